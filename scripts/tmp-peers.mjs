/**
 * Sets up, builds and runs the benchmarks with other libraries beside the package. These are installed
 * into the user's cache in the versions of tests/bench/peers, never into the project.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBench } from './bench.mjs';
import { withLock } from './lib/lock.mjs';
import { isMain, main } from './lib/main.mjs';
import { at } from './lib/project.mjs';
import { run } from './lib/run.mjs';
import { peersFolder } from '../tests/bench/peers/find.mjs';

const LIST = 'tests/bench/peers';

/** Written last: what is installed. */
const DONE = 'installed.json';

/** @returns {Promise<string>} the folder with the libraries */
async function installPeers() {
  const folder = peersFolder();
  const wanted = readFileSync(at(LIST, 'package-lock.json'), 'utf8');
  const isThere = () =>
    existsSync(join(folder, DONE)) && readFileSync(join(folder, DONE), 'utf8') === wanted;
  if (isThere()) return folder;
  mkdirSync(folder, { recursive: true });
  await withLock(join(folder, 'npm.lock'), async () => {
    if (isThere()) return;
    for (const file of ['package.json', 'package-lock.json']) {
      copyFileSync(at(LIST, file), join(folder, file));
    }
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    // Scripts of onnxruntime-node would fetch libraries for graphics cards.
    await run(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
      label: 'Installing the libraries to measure against',
    });
    copyFileSync(at(LIST, 'package-lock.json'), join(folder, DONE));
  });
  return folder;
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const folder = await installPeers();
    console.log(folder);
  });
}

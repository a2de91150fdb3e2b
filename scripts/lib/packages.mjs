/** Keeps node_modules in step with package-lock.json. */
import { existsSync } from 'node:fs';
import { withLock } from './lock.mjs';
import { ROOT, at, readJson } from './project.mjs';
import { run } from './run.mjs';

/** npm's own record of what it installed; it is written last. */
const INSTALLED = 'node_modules/.package-lock.json';

/** Whether every package that package-lock.json asks for is installed in the version it names. */
function isUpToDate() {
  if (!existsSync(at(INSTALLED))) return false;
  const installed = readJson(INSTALLED).packages;
  return Object.entries(readJson('package-lock.json').packages).every(([path, wanted]) => {
    const have = installed[path];
    // Optional packages are those of other systems.
    if (path === '' || (have === undefined && (wanted.optional || wanted.peer))) return true;
    return have?.version === wanted.version && have.integrity === wanted.integrity;
  });
}

/** Runs `npm ci` unless what it would install is there. */
export async function setUpPackages() {
  if (isUpToDate()) return;
  await withLock(at('build/npm.lock'), async () => {
    if (isUpToDate()) return;
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    await run(npm, ['ci', '--no-audit', '--no-fund'], {
      cwd: ROOT,
      label: 'Installing npm packages',
    });
  });
}

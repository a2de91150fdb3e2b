/** Installs what the project needs and is not there yet; see README.md. No dependencies. */
import { setUpToolchain } from '../cpp/toolchain/setup.mjs';
import { isAtLeast } from '../cpp/toolchain/versions.mjs';
import { isMain, main } from './lib/main.mjs';
import { setUpPackages } from './lib/packages.mjs';
import { readJson } from './lib/project.mjs';
import { setUpBuildPrograms, setUpTestPrograms } from './lib/system.mjs';

/**
 * Sets up npm packages, build programs and the C++ toolchain.
 * @param {{ tests?: boolean }} [options] with `tests`, also what only the tests need
 */
export async function setUp({ tests = false } = {}) {
  const minimum = readJson('package.json').engines.node.replace('>=', '');
  if (!isAtLeast(process.versions.node, minimum)) {
    throw new Error(`Node ${minimum} or newer is needed; this is ${process.versions.node}`);
  }
  await setUpPackages();
  await setUpBuildPrograms();
  console.log(await setUpToolchain());
  if (tests) await setUpTestPrograms();
}

if (isMain(import.meta.url)) {
  await main(() => setUp({ tests: process.argv.includes('--tests') }));
}

/** Programs of the system that the build and the tests use. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../cpp/toolchain/find.mjs';
import { firstVersion, isAtLeast } from '../../cpp/toolchain/versions.mjs';
import { installPackages } from './apt.mjs';
import { run } from './run.mjs';

const CMAKE_MINIMUM = '3.25';

const CHROMIUM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const CHROMIUM_PATHS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** @returns {string | undefined} the browser for the tests: $CHROMIUM, else the system's */
export function findChromium() {
  const { CHROMIUM } = process.env;
  if (CHROMIUM) return existsSync(CHROMIUM) ? CHROMIUM : undefined;
  const installed = CHROMIUM_NAMES.map((name) => findProgram(name)).find(Boolean);
  return installed ?? CHROMIUM_PATHS.find((path) => existsSync(path));
}

const EMPTY_TARGET = `#include <span>
extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) {
  return 0;
}
`;

/** @returns {Promise<string | undefined>} a Clang that comes with libFuzzer and the sanitizers */
export async function findFuzzingCompiler() {
  const clang = findProgram('clang++');
  if (clang === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'posenc-fuzz-'));
  try {
    const source = join(folder, 'empty.cpp');
    writeFileSync(source, EMPTY_TARGET);
    const options = ['-std=c++20', '-fsanitize=fuzzer,address,undefined'];
    await run(clang, [...options, source, '-o', join(folder, 'empty')]);
    return clang;
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Installs that compiler; which package has libFuzzer depends on the release. */
async function setUpFuzzingCompiler() {
  for (const name of ['clang', 'libclang-rt-dev']) {
    if ((await findFuzzingCompiler()) !== undefined) return;
    const advice = await installPackages([name]);
    if (advice) {
      console.error(`The fuzz tests need Clang with libFuzzer; ${advice}`);
      return;
    }
  }
}

/** Whether some font has Chinese characters; without one, screenshots show boxes. */
async function hasChineseFont() {
  if (process.platform !== 'linux') return true;
  return (await run('fc-list', [':lang=zh']).catch(() => '')) !== '';
}

const hasCompiler = () =>
  Boolean(process.env.CXX) || ['c++', 'g++', 'clang++'].some((name) => findProgram(name));

/**
 * Installs the programs that the build needs, where that is possible.
 * @throws {Error} that says which are missing and how to get them
 */
export async function setUpBuildPrograms() {
  const missing = [];
  if (findProgram('cmake') === undefined) missing.push('cmake');
  if (!hasCompiler()) missing.push('g++');
  const hasGenerator = findProgram('ninja') !== undefined || findProgram('make') !== undefined;
  if (findProgram('ninja') === undefined) missing.push('ninja-build');
  const advice = missing.length > 0 ? await installPackages(missing) : undefined;
  // Where ninja is all that is missing, make does as well.
  if (advice && !(hasGenerator && missing.length === 1 && missing[0] === 'ninja-build')) {
    throw new Error(`the build needs ${missing.join(' and ')}; ${advice}`);
  }
  const version = firstVersion(await run('cmake', ['--version']));
  if (!isAtLeast(version, CMAKE_MINIMUM)) {
    throw new Error(`the build needs CMake ${CMAKE_MINIMUM} or newer; found ${version}`);
  }
}

/** Installs what only the tests need; what cannot be installed is reported, its tests are skipped. */
export async function setUpTestPrograms() {
  const missing = ['clang-format', 'clang-tidy'].filter((name) => findProgram(name) === undefined);
  if (findChromium() === undefined) missing.push('chromium');
  if (!(await hasChineseFont())) missing.push('fonts-noto-cjk');
  const advice = missing.length > 0 ? await installPackages(missing) : undefined;
  if (advice) console.error(`Some tests need ${missing.join(', ')}; ${advice}`);
  await setUpFuzzingCompiler();
}

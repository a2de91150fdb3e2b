/** The ways to get the toolchain, the nearest first, each tried out before it is taken. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from '../../scripts/lib/run.mjs';
import { hasApt } from './apt-private.mjs';
import { makeDebianRoot } from './debian-root.mjs';
import { findEmcc, findHeaders } from './find.mjs';
import { MINIMUM, firstVersion, isAtLeast } from './versions.mjs';
import { EMSCRIPTEN_COMMANDS, writeForwarders, writeRootWrappers } from './wrappers.mjs';

const INSTRUCTION = `
To build posenc, install Emscripten ${MINIMUM.emscripten} or newer:
  git clone https://github.com/emscripten-core/emsdk && cd emsdk
  ./emsdk install latest && ./emsdk activate latest && . ./emsdk_env.sh
and the headers of xsimd ${MINIMUM.xsimd}+ and doctest ${MINIMUM.doctest}+ (packages libxsimd-dev and doctest-dev in
Debian), or set POSENC_XSIMD and POSENC_DOCTEST to the folders that hold xsimd/ and doctest/.`;

/** What the package does, in small. */
const TRIAL = `#include <emscripten/bind.h>
#include <xsimd/xsimd.hpp>
float sum(float x) { return xsimd::reduce_add(xsimd::batch<float>(x)); }
EMSCRIPTEN_BINDINGS(trial) { emscripten::function("sum", &sum); }
`;
const TRIAL_OPTIONS = [
  ...['-std=c++20', '-O3', '-msimd128', '-fno-exceptions', '-fno-rtti', '--bind'],
  ...['-DEMSCRIPTEN_HAS_UNBOUND_TYPE_NAMES=0', '-sMODULARIZE', '-sEXPORT_ES6'],
  ...['-sENVIRONMENT=web,worker', '-sFILESYSTEM=0', '-sMALLOC=emmalloc'],
];

/** An installed emcc. */
async function fromInstalled(path, cache, folder) {
  const version = firstVersion(await run(path, ['--version']));
  if (!isAtLeast(version, MINIMUM.emscripten)) {
    throw new Error(`version ${version ?? 'unknown'}, ${MINIMUM.emscripten} is needed`);
  }
  const commands = EMSCRIPTEN_COMMANDS.map((name) => [name, join(dirname(path), name)]);
  writeForwarders(join(folder, 'bin'), Object.fromEntries(commands));
  return { name: `Emscripten ${version} (${path})`, needs: [path], includeFolders: [] };
}

/** Debian's packages in a private folder. */
async function fromDebian(cache, folder) {
  const root = await makeDebianRoot(cache, 'emscripten');
  const bin = join(folder, 'bin');
  writeRootWrappers(root, bin);
  const version = firstVersion(await run(join(bin, 'emcc'), ['--version']));
  return {
    name: `Emscripten ${version} (Debian packages in ${root})`,
    needs: [root],
    includeFolders: [join(root, 'usr/include')],
  };
}

/**
 * Copies new enough headers into the toolchain folder, which holds nothing else: all of
 * /usr/include on the path would break emcc's own headers.
 * @returns {Promise<string[]>} names with versions
 */
async function copyHeaders(cache, folder, includeFolders) {
  const choose = (name, folders) =>
    findHeaders(name, folders).find(({ version }) => isAtLeast(version, MINIMUM[name]));
  const names = ['xsimd', 'doctest'];
  const folders = [...includeFolders];
  if (!names.every((name) => choose(name, folders)) && hasApt) {
    folders.push(join(await makeDebianRoot(cache, 'headers'), 'usr/include'));
  }
  return names.map((name) => {
    const found = choose(name, folders);
    if (!found) throw new Error(`no headers of ${name} ${MINIMUM[name]} or newer`);
    const target = join(folder, 'include', name);
    cpSync(join(found.folder, name), target, { recursive: true, dereference: true });
    return `${name} ${found.version}`;
  });
}

/** Compiles and links a small program, which also fills Emscripten's cache of system libraries. */
async function tryOut(folder) {
  const trial = join(folder, 'trial');
  mkdirSync(trial);
  writeFileSync(join(trial, 'trial.cpp'), TRIAL);
  const files = [join(trial, 'trial.cpp'), '-o', join(trial, 'trial.js')];
  const include = `-I${join(folder, 'include')}`;
  await run(join(folder, 'bin/em++'), [...files, include, ...TRIAL_OPTIONS], {
    label: 'Trying the compiler',
  });
  rmSync(trial, { recursive: true });
}

/**
 * Fills the toolchain folder in the first way that works.
 * @param {string} cache the user's cache folder
 * @param {string} folder emptied before each attempt
 * @returns {Promise<{ description: string, needs: string[] }>} what was chosen and why, and the
 *   files outside the folder that it needs
 */
export async function makeToolchain(cache, folder) {
  const candidates = findEmcc().map((path) => ({
    name: path,
    make: () => fromInstalled(path, cache, folder),
  }));
  if (hasApt) candidates.push({ name: 'Debian packages', make: () => fromDebian(cache, folder) });
  const reasons = candidates.length > (hasApt ? 1 : 0) ? [] : ['no emcc on this machine'];
  for (const { name, make } of candidates) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'bin'), { recursive: true });
    try {
      const { name: chosen, needs, includeFolders } = await make();
      const headers = await copyHeaders(cache, folder, includeFolders);
      await tryOut(folder);
      const why = reasons.length > 0 ? `; ${reasons.join('; ')}` : '';
      return { description: `${[chosen, ...headers].join(', ')}${why}`, needs };
    } catch (error) {
      reasons.push(`${name}: ${error.message}`);
    }
  }
  rmSync(folder, { recursive: true, force: true });
  throw new Error(`${reasons.join('\n')}${INSTRUCTION}`);
}

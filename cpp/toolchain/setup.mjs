#!/usr/bin/env node
/**
 * Finds or makes the C++ toolchain: Emscripten, xsimd and doctest. Run it as often as you like: if
 * nothing changed it only looks. Its result is `build/toolchain.cmake`, which CMake reads.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from '../../scripts/lib/lock.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { hasApt } from './apt-private.mjs';
import { makeDebianRoot } from './debian-root.mjs';
import { findEmcc, findHeaders, programIdentity } from './find.mjs';
import { MINIMUM, firstVersion, isAtLeast } from './versions.mjs';
import { EMSCRIPTEN_COMMANDS, writeForwarders, writeRootWrappers } from './wrappers.mjs';

/** Raise this when the layout of the toolchain folder changes: a new folder is then made. */
const RECIPE = 1;

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

const INSTRUCTION = `
To build posenc, install Emscripten ${MINIMUM.emscripten} or newer:
  git clone https://github.com/emscripten-core/emsdk && cd emsdk
  ./emsdk install latest && ./emsdk activate latest && . ./emsdk_env.sh
and the headers of xsimd ${MINIMUM.xsimd}+ and doctest ${MINIMUM.doctest}+ (packages libxsimd-dev and doctest-dev, or
xsimd and doctest), or set POSENC_XSIMD and POSENC_DOCTEST to folders that hold xsimd/ and doctest/.`;

/** No toolchain can be had; the message says what to do. */
export class ToolchainError extends Error {}

/** The user's cache folder for this project. */
export function cacheFolder() {
  const { POSENC_CACHE, XDG_CACHE_HOME } = process.env;
  return POSENC_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'posenc');
}

/** What the choice depends on: another Emscripten or another variable needs another look. */
function inputs() {
  return {
    recipe: RECIPE,
    node: process.execPath,
    emcc: findEmcc().map(programIdentity),
    xsimd: process.env.POSENC_XSIMD,
    doctest: process.env.POSENC_DOCTEST,
  };
}

/** The newest enough Emscripten that is installed, and why others were not taken. */
async function chooseEmcc() {
  const rejected = [];
  for (const path of findEmcc()) {
    const version = firstVersion(await run(path, ['--version']).catch(() => ''));
    if (isAtLeast(version, MINIMUM.emscripten)) return { path, version, rejected };
    rejected.push(`${path} is ${version ?? 'broken'}, ${MINIMUM.emscripten} is needed`);
  }
  return { rejected };
}

/** The include folders that hold new enough headers. */
async function chooseHeaders(cache, folders) {
  const chosen = {};
  for (const name of ['xsimd', 'doctest']) {
    const goodEnough = ({ version }) => isAtLeast(version, MINIMUM[name]);
    chosen[name] = findHeaders(name, folders).find(goodEnough);
  }
  if (chosen.xsimd && chosen.doctest) return chosen;
  const missing = Object.keys(chosen).filter((name) => chosen[name] === undefined);
  if (!hasApt || folders.length > 0) {
    throw new ToolchainError(`no ${missing.join(' and no ')} that is new enough.${INSTRUCTION}`);
  }
  const root = await makeDebianRoot(cache, 'headers');
  return chooseHeaders(cache, [join(root, 'usr/include')]);
}

/** Compiles and links a program with Embind, which also fills Emscripten's cache. */
async function tryOut(folder) {
  const source = join(folder, 'try.cpp');
  writeFileSync(
    source,
    `#include <emscripten/bind.h>
#include <xsimd/xsimd.hpp>
float sum(float x) { return xsimd::reduce_add(xsimd::batch<float>(x)); }
EMSCRIPTEN_BINDINGS(try_out) { emscripten::function("sum", &sum); }
`,
  );
  const options = '-std=c++20 -O3 -msimd128 --bind -sMODULARIZE -sEXPORT_ES6 -sFILESYSTEM=0'.split(
    ' ',
  );
  options.push('-sMALLOC=emmalloc', '-fno-exceptions', '-fno-rtti');
  options.push('-DEMSCRIPTEN_HAS_UNBOUND_TYPE_NAMES=0', '-sENVIRONMENT=web,worker');
  await run(
    join(folder, 'bin/em++'),
    [source, '-o', join(folder, 'try.js'), `-I${join(folder, 'include')}`, ...options],
    { label: 'Trying the compiler' },
  );
}

/** Chooses, and fills the toolchain folder. */
async function make(cache, folder) {
  const { path, version, rejected } = await chooseEmcc();
  const bin = join(folder, 'bin');
  let description;
  let includeFolders = [];
  mkdirSync(bin, { recursive: true });
  if (path !== undefined) {
    const commands = EMSCRIPTEN_COMMANDS.map((name) => [name, join(dirname(path), name)]);
    writeForwarders(bin, Object.fromEntries(commands));
    description = `Emscripten ${version} (${path})`;
  } else if (hasApt) {
    const root = await makeDebianRoot(cache, 'emscripten');
    writeRootWrappers(root, bin);
    includeFolders = [join(root, 'usr/include')];
    const own = firstVersion(await run(join(bin, 'emcc'), ['--version']));
    const why = rejected.length > 0 ? rejected.join('; ') : 'no emcc on this machine';
    description = `Emscripten ${own} (Debian packages in ${root}, because ${why})`;
  } else {
    throw new ToolchainError(
      [...rejected, 'no Emscripten that is new enough.'].join('\n') + INSTRUCTION,
    );
  }
  const headers = await chooseHeaders(cache, includeFolders);
  // A folder with nothing else in it: all of /usr/include on the path breaks emcc's own headers.
  for (const [name, { folder: from }] of Object.entries(headers)) {
    cpSync(join(from, name), join(folder, 'include', name), { recursive: true, dereference: true });
  }
  await tryOut(folder);
  const versions = Object.entries(headers).map(([name, found]) => `${name} ${found.version}`);
  return [description, ...versions].join(', ');
}

/**
 * Finds or makes the toolchain.
 * @returns {Promise<{ folder: string, description: string }>} the folder with `bin/` and `include/`,
 *   and what was chosen and why
 */
export async function setUpToolchain() {
  const cache = cacheFolder();
  const key = JSON.stringify(inputs());
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 12);
  const folder = join(cache, `toolchain-${hash}`);
  const stamp = join(folder, 'toolchain.json');
  const isFinished = () => existsSync(stamp);
  if (!isFinished()) {
    await withLock(join(cache, 'toolchain.lock'), async () => {
      if (isFinished()) return;
      rmSync(folder, { recursive: true, force: true });
      const description = await make(cache, folder);
      writeFileSync(`${stamp}.new`, JSON.stringify({ description, key }, null, 2));
      renameSync(`${stamp}.new`, stamp);
    });
  }
  const { description } = JSON.parse(readFileSync(stamp, 'utf8'));
  writeForCMake(folder);
  return { folder, description };
}

/** Tells CMake where the toolchain is. */
function writeForCMake(folder) {
  const path = join(PROJECT, 'build/toolchain.cmake');
  const text = `set(POSENC_TOOLCHAIN [==[${folder}]==])\n`;
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    console.log((await setUpToolchain()).description);
  } catch (error) {
    console.error(`posenc: ${error.message}`);
    process.exitCode = 1;
  }
}

#!/usr/bin/env node
/**
 * Finds or makes the C++ toolchain: Emscripten, xsimd and doctest. Run it as often as you like: if
 * nothing changed it only looks. Its result is `build/toolchain.cmake`, which CMake reads.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withLock } from '../../scripts/lib/lock.mjs';
import { isMain, main } from '../../scripts/lib/main.mjs';
import { at, cacheFolder } from '../../scripts/lib/project.mjs';
import { makeToolchain } from './candidates.mjs';
import { findEmcc, programIdentity } from './find.mjs';

/** Raise this when the layout of the toolchain folder changes: a new folder is then made. */
const RECIPE = 1;

/** What the choice depends on: another Emscripten or another variable needs another look. */
function inputs() {
  return JSON.stringify({
    recipe: RECIPE,
    node: process.execPath,
    emcc: findEmcc().map(programIdentity),
    xsimd: process.env.POSENC_XSIMD,
    doctest: process.env.POSENC_DOCTEST,
  });
}

/** What an earlier run recorded as its last act, if all it needs is still there. */
function readStamp(path) {
  if (!existsSync(path)) return undefined;
  const stamp = JSON.parse(readFileSync(path, 'utf8'));
  return stamp.needs.every((needed) => existsSync(needed)) ? stamp : undefined;
}

/** Replaces a file in one step, unless it has this content. */
function writeIfChanged(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
}

/**
 * Finds or makes the toolchain.
 * @returns {Promise<string>} what was chosen and why
 */
export async function setUpToolchain() {
  const cache = cacheFolder();
  const key = inputs();
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 12);
  const folder = join(cache, `toolchain-${hash}`);
  const stampPath = join(folder, 'toolchain.json');
  let stamp = readStamp(stampPath);
  if (stamp === undefined) {
    stamp = await withLock(join(cache, 'toolchain.lock'), async () => {
      const other = readStamp(stampPath);
      if (other !== undefined) return other;
      const made = { ...(await makeToolchain(cache, folder)), inputs: JSON.parse(key) };
      writeIfChanged(stampPath, `${JSON.stringify(made, null, 2)}\n`);
      return made;
    });
  }
  writeIfChanged(at('build/toolchain.cmake'), `set(POSENC_TOOLCHAIN [==[${folder}]==])\n`);
  return stamp.description;
}

if (isMain(import.meta.url)) await main(async () => console.log(await setUpToolchain()));

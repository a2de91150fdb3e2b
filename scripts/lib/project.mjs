/** Where things are in this project. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** @param {...string} parts @returns {string} an absolute path inside the project */
export const at = (...parts) => join(ROOT, ...parts);

/** The user's cache, where what is fetched once stays: the toolchain, libraries to compare with, texts. */
export function cacheFolder() {
  const { POSENC_CACHE, XDG_CACHE_HOME } = process.env;
  return POSENC_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'posenc');
}

/** The program of a package in node_modules. */
export const tool = (name) => at('node_modules/.bin', name);

/** @returns {any} the content of a JSON file of the project */
export const readJson = (path) => JSON.parse(readFileSync(at(path), 'utf8'));

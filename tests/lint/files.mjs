/** Reads the texts that the lints judge. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Folders that hold nothing written by hand. */
const skipped = new Set(['node_modules', 'dist', 'cache', 'generated', 'golden', '.git', '.cache']);

/**
 * @typedef {ReadonlyMap<string, string>} Texts  path from the root, with `/`, → content
 */

/**
 * Every file below `folders` whose name matches.
 * @param {string} root
 * @param {readonly string[]} folders
 * @param {RegExp} name
 * @param {{ deep?: boolean }} [options]  `deep: false` leaves folders inside alone
 * @returns {Texts}
 */
export function readTexts(root, folders, name, { deep = true } = {}) {
  /** @type {Map<string, string>} */
  const texts = new Map();
  const visit = (/** @type {string} */ folder) => {
    for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
      const inner = path.posix.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (deep && !skipped.has(entry.name) && !entry.name.startsWith('build')) visit(inner);
      } else if (entry.isFile() && name.test(entry.name)) {
        texts.set(inner, readFileSync(path.join(root, inner), 'utf8'));
      }
    }
  };
  for (const folder of folders) visit(folder);
  return texts;
}

/**
 * Line number of an offset, from 1.
 * @param {string} text
 * @param {number} offset
 */
export function lineAt(text, offset) {
  return text.slice(0, offset).split('\n').length;
}

/**
 * The script of a Vue file, on the lines where it stands; other files as they are.
 * @param {string} file
 * @param {string} text
 */
export function scriptOf(file, text) {
  if (!file.endsWith('.vue')) return text;
  const match = /(<script[^>]*>)([\s\S]*?)<\/script>/.exec(text);
  if (!match) return '';
  const above = text.slice(0, match.index).replace(/[^\n]/g, '');
  return above + match[1].replace(/[^\n]/g, '') + match[2];
}

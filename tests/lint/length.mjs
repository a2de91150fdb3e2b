/** A file is read in one sitting. */
const most = 400;

/**
 * Files of more than 400 lines.
 * @param {import('./files.mjs').Texts} texts
 * @returns {string[]}
 */
export function lengthFaults(texts) {
  return [...texts]
    .map(([file, text]) => ({ file, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > most)
    .map(({ file, lines }) => `${file}: ${lines} lines, at most ${most}`);
}

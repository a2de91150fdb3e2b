/** The oldest versions that work, and the comparison of dotted versions. */

export const MINIMUM = {
  /** LLVM 19: the first release with the final opcodes of relaxed SIMD. */
  emscripten: '3.1.69',
  /** The first release with a WebAssembly back end. */
  xsimd: '11.2',
  doctest: '2.4',
};

/**
 * Finds the first dotted version number in a text.
 * @param {string} text
 * @returns {string | undefined}
 */
export function firstVersion(text) {
  return /\d+(?:\.\d+)+/.exec(text)?.[0];
}

/**
 * @param {string | undefined} version dotted; Debian suffixes such as `+dfsg-3` are ignored
 * @param {string} minimum dotted
 * @returns {boolean} whether `version` is known and at least `minimum`
 */
export function isAtLeast(version, minimum) {
  if (version === undefined) return false;
  const have = version.split('.').map((part) => Number.parseInt(part, 10));
  for (const [index, part] of minimum.split('.').entries()) {
    const difference = (have[index] ?? 0) - Number(part);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

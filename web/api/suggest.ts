/** Names longer than this are not compared: nobody mistypes them, and the cost is quadratic. */
const maxLength = 64;

/**
 * The candidate nearest to a mistyped name, or `undefined` when none is near enough (at most a third
 * of the letters wrong, and at least one typo allowed). Case, `-` and `_` do not count as typos, so
 * `head_dim` finds `headDim`. Ties go to the earlier candidate.
 */
export function suggest(name: unknown, candidates: Iterable<string>): string | undefined {
  if (typeof name !== 'string' || name === '' || name.length > maxLength) return undefined;
  const wanted = fold(name);
  let nearest: string | undefined;
  let least = Infinity;
  for (const candidate of candidates) {
    const other = fold(candidate);
    const allowed = Math.max(1, Math.floor(Math.max(wanted.length, other.length) / 3));
    if (other.length > maxLength || Math.abs(other.length - wanted.length) > allowed) continue;
    const distance = editDistance(wanted, other);
    if (distance <= allowed && distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

const fold = (name: string): string => name.toLowerCase().replace(/[-_\s]/g, '');

/**
 * Damerau–Levenshtein distance (optimal string alignment): the least number of insertions,
 * deletions, substitutions and swaps of neighbours that turn `a` into `b`.
 */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min(substitution, last[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, beforeLast[j - 2]! + 1);
      }
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}

/**
 * Writes −ln p(next token) of `logits`, the rows of tokens `first` and after, to `losses`, whose number
 * n is that of token n + 1. The last token foresees nothing that is known.
 */
export function perplexityOf(
  logits: Float32Array,
  vocabulary: number,
  ids: Int32Array,
  first: number,
  losses: Float32Array,
): void {
  const rows = logits.length / vocabulary;
  for (let row = 0; row < rows && first + row < losses.length; row++) {
    const own = logits.subarray(row * vocabulary, (row + 1) * vocabulary);
    losses[first + row] = logSumExp(own) - own[ids[first + row + 1]!]!;
  }
}

/** ln Σ e^x, in float64. */
export function logSumExp(x: Float32Array): number {
  let most = -Infinity;
  for (const value of x) if (value > most) most = value;
  let sum = 0;
  for (const value of x) sum += Math.exp(value - most);
  return most + Math.log(sum);
}

/** What the two attention groups share: masks in the terms of this project. */

/** Spreads a tensor over `shape`, dimensions aligned at the right (the rule of NumPy). A short last one is filled up. */
export function broadcast({ shape: from, values }, shape, filler) {
  const padded = [...Array(shape.length - from.length).fill(1), ...from];
  const count = shape.reduce((a, b) => a * b, 1);
  const at = (index) => {
    let offset = 0;
    let rest = index;
    let stride = 1;
    for (let d = shape.length - 1; d >= 0; d--) {
      const i = rest % shape[d];
      rest = Math.floor(rest / shape[d]);
      if (padded[d] > 1) {
        if (i >= padded[d]) return filler;
        offset += i * stride;
      }
      stride *= padded[d];
    }
    return values[offset];
  };
  return { shape, values: Array.from({ length: count }, (_, i) => at(i)) };
}

/** First query of each batch entry → positions (batch, queries). */
export function positionsFrom(firsts, queries) {
  const values = firsts.flatMap((first) => Array.from({ length: queries }, (_, i) => first + i));
  return ['i32', { shape: [firsts.length, queries], values }];
}

/** Same for every query and head: padding of keys (batch, keys), else null. */
function asKeyMask(mask) {
  const [batch, heads, queries, keys] = mask.shape;
  const of = (b, n) => mask.values[b * heads * queries * keys + n];
  const values = Array.from({ length: batch * keys }, (_, i) => of(Math.floor(i / keys), i % keys));
  const same = mask.values.every((x, i) => {
    const b = Math.floor(i / (heads * queries * keys));
    return x === values[b * keys + (i % keys)];
  });
  return same ? { shape: [batch, keys], values } : null;
}

/** Four dimensions, as they are in the source: 1 where the batch, the heads … share numbers. */
function compact({ shape, values }, full) {
  const padded = [...Array(4 - shape.length).fill(1), ...shape];
  return padded.every((size, d) => size === 1 || size === full.shape[d])
    ? { shape: padded, values }
    : full;
}

/**
 * A mask of the source as this project says it: padding of keys, a bias, or a mask of any form. Booleans say who may
 * attend; numbers are added to the logit.
 */
export function maskTerms(given, shape) {
  const isBool = given.dtype === 'bool';
  const full = broadcast(given, shape, isBool ? 0 : -Infinity);
  const dense = compact(given, full);
  if (!isBool && full.values.some((x) => x !== 0 && x !== -Infinity)) {
    return { bias: ['f32', dense] };
  }
  const shown = ({ shape: of, values }) => ({
    shape: of,
    values: values.map((x) => ((isBool ? x : x === 0) ? 1 : 0)),
  });
  const padding = asKeyMask(shown(full));
  return padding ? { key_mask: ['u8', padding] } : { mask: ['u8', shown(dense)] };
}

export const about = [
  'Attention. query (batch, heads, queries, head_dim), key and value (batch, kv_heads, keys, ·).',
  'causal: key position ≤ query position; window w: |query − key| < w. Positions of keys are 0, 1, …; those of queries',
  'as given, else 0, 1, … (the top-left alignment of the sources).',
  'key_mask (batch, keys): 0 = padding. bias, mask: (batch, heads, queries, keys), each or 1: added to the logit, 0 = hidden.',
  'Expected, in float64: output, and stages of the score under the names of the taps.',
];

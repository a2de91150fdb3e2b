/** The numbers that all contenders compute with: the same in every engine. */

/** Uniform numbers of variance 1, mulberry32. @param {number} seed @param {number} count */
export function uniform(seed, count) {
  const out = new Float32Array(count);
  const width = 2 * Math.sqrt(3);
  let state = seed * 0x9e3779b9;
  for (let i = 0; i < count; ++i) {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    out[i] = width * (((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32 - 0.5);
  }
  return out;
}

export const product = (shape) => shape.reduce((a, b) => a * b, 1);

/** Shapes of an attention's arrays. @param {import('./rows.mjs').Attention} work */
export const shapesOf = ({ heads, kvHeads, queries, keys, headDim }) => ({
  query: [1, heads, queries, headDim],
  key: [1, kvHeads, keys, headDim],
  value: [1, kvHeads, keys, headDim],
});

/** Queries, keys and values of an attention; going back, the gradient by its output as well. */
export function inputsOf(work) {
  const { query, key, value } = shapesOf(work);
  const shapes = { query, key, value, ...(work.kind === 'backward' && { gradient: query }) };
  const arrays = Object.entries(shapes).map(([name, shape], i) => [
    name,
    uniform(i + 1, product(shape)),
  ]);
  return Object.fromEntries(arrays);
}

/**
 * Cosines and sines of RoPE for every dimension, (tokens, headDim) each: y = x · cos + partner · sin.
 * Sines have the sign of their dimension; dimensions that do not turn have 1 and 0.
 * @param {import('./rows.mjs').Rope} work
 */
export function turningTables({ tokens, headDim, rotaryDim, layout }) {
  const pairs = rotaryDim / 2;
  const [cos, sin] = [
    new Float32Array(tokens * headDim).fill(1),
    new Float32Array(tokens * headDim),
  ];
  const [step, partner] = layout === 'half' ? [1, pairs] : [2, 1];
  for (let token = 0; token < tokens; ++token) {
    for (let i = 0; i < pairs; ++i) {
      const angle = token * 10000 ** (-i / pairs);
      const first = token * headDim + step * i;
      cos[first] = cos[first + partner] = Math.cos(angle);
      sin[first] = -Math.sin(angle);
      sin[first + partner] = Math.sin(angle);
    }
  }
  return { cos, sin };
}

/** (outer, inner, width) → (inner, outer, width): heads before tokens or after them. */
export function swapAxes(data, [outer, inner, width]) {
  const out = new Float32Array(data.length);
  for (let a = 0; a < outer; ++a) {
    for (let b = 0; b < inner; ++b) {
      const at = (a * inner + b) * width;
      out.set(data.subarray(at, at + width), (b * outer + a) * width);
    }
  }
  return out;
}

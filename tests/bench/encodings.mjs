/**
 * The encodings of the measured rows: options for the package, and what the paper says they do, in
 * float64, for one query m and one key n of a head.
 */
import { uniform } from './numbers.mjs';

/** Distances beyond it share a vector. */
const SHAW_REACH = 16;
const T5_BUCKETS = 32;
const T5_DISTANCE = 128;
const BASE = 10000;

/** Σ a[i + x] · b[i + y] */
export function dot(a, x, b, y, count) {
  let sum = 0;
  for (let i = 0; i < count; ++i) sum += a[x + i] * b[y + i];
  return sum;
}

const clip = (value, low, high) => Math.max(low, Math.min(high, value));
const small = (seed, count) => uniform(seed, count).map((x) => 0.25 * x);

/**
 * @typedef {object} Hooks
 * @property {object} options  what `pe.encoding` takes
 * @property {(h: number, m: number, n: number) => number} [bias]
 * @property {(vector: Float64Array, position: number) => Float64Array} [turn]
 * @property {(at: { h: number, m: number, n: number, q: Float64Array, k: Float64Array }) => number} [content]
 * @property {(m: number, n: number) => Float32Array} [value]  what is added to a value
 */

/** @type {Record<string, (work: import('./rows.mjs').Attention) => Hooks>} */
export const encodings = {
  alibi({ heads }) {
    // Of a power of two of heads; the distance counts in both directions.
    return {
      options: { heads },
      bias: (h, m, n) => -Math.abs(m - n) * 2 ** ((-8 * (h + 1)) / heads),
    };
  },

  t5({ heads, causal }) {
    const table = uniform(11, T5_BUCKETS * heads);
    const count = causal ? T5_BUCKETS : T5_BUCKETS / 2;
    const exact = count / 2;
    const bucket = (distance) => {
      if (distance < exact) return distance;
      const step = Math.log2(distance / exact) / Math.log2(T5_DISTANCE / exact);
      return Math.min(count - 1, exact + Math.floor(step * (count - exact)));
    };
    const row = (back) =>
      causal ? bucket(Math.max(back, 0)) : bucket(Math.abs(back)) + (back < 0 ? count : 0);
    return {
      options: { heads, table, bidirectional: !causal },
      bias: (h, m, n) => table[row(m - n) * heads + h],
    };
  },

  rope({ headDim }) {
    const pairs = headDim / 2;
    return {
      options: { headDim, base: BASE },
      turn: (vector, position) =>
        vector.map((x, i) => {
          const angle = position * BASE ** (-(i % pairs) / pairs);
          const partner = i < pairs ? -vector[i + pairs] : vector[i - pairs];
          return x * Math.cos(angle) + partner * Math.sin(angle);
        }),
    };
  },

  shaw({ headDim }) {
    const rows = 2 * SHAW_REACH + 1;
    const [keys, values] = [12, 13].map((seed) => small(seed, rows * headDim));
    const row = (m, n) => (clip(n - m, -SHAW_REACH, SHAW_REACH) + SHAW_REACH) * headDim;
    return {
      options: { headDim, maxDistance: SHAW_REACH, keys, values },
      content: ({ m, n, q }) => dot(q, 0, keys, row(m, n), headDim),
      value: (m, n) => values.subarray(row(m, n), row(m, n) + headDim),
    };
  },

  transformer_xl({ heads, headDim, keys, causal }) {
    const reach = keys - 1;
    const first = causal ? 0 : -reach;
    const rows = reach - first + 1;
    const vectors = small(14, heads * rows * headDim);
    const [contentBias, positionBias] = [15, 16].map((seed) => small(seed, heads * headDim));
    return {
      options: {
        ...{ heads, headDim, maxDistance: reach, bidirectional: !causal },
        ...{ contentBias, positionBias, vectors },
      },
      content({ h, m, n, q, k }) {
        const row = (h * rows + clip(m - n, first, reach) - first) * headDim;
        return (
          dot(q, 0, vectors, row, headDim) +
          dot(positionBias, h * headDim, vectors, row, headDim) +
          dot(contentBias, h * headDim, k, 0, headDim)
        );
      },
    };
  },

  deberta({ heads, headDim }) {
    const span = 512;
    const [keys, queries] = [17, 18].map((seed) => small(seed, heads * 2 * span * headDim));
    return {
      options: { heads, headDim, maxDistance: span, keys, queries },
      content({ h, m, n, q, k }) {
        const row = (2 * span * h + clip(m - n + span, 0, 2 * span - 1)) * headDim;
        return dot(q, 0, keys, row, headDim) + dot(k, 0, queries, row, headDim);
      },
    };
  },
};

/** The hooks of each encoding of a work. */
export const hooksOf = (work) => work.encodings.map((name) => encodings[name](work));

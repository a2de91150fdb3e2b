/** Float64 references: what every contender is checked against before it is timed. */
import { dot, hooksOf } from './encodings.mjs';
import { inputsOf, uniform } from './numbers.mjs';

/** |x − y| ≤ absolute + relative · |y|, as in the tests of the project. */
const FORWARD = { absolute: 2e-6, relative: 2e-5 };
/** Sums of 512 products of variance 1. */
const PRODUCT = { absolute: 5e-5, relative: 2e-5 };
const GRADIENT = { absolute: 1e-5, relative: 1e-4 };

/** Tokens whose results are checked: computing all of them in float64 would take longer than the race. */
const tokensOf = (count, head) =>
  [...new Set([0, 1, (head * 37 + 5) % count, count >> 1, count - 1])].filter((m) => m < count);

/**
 * @typedef {{ at: number, values: Float64Array }[]} Expected  numbers from places in the result on
 */

/**
 * Rows of softmax(q·k / √d + …) · v.
 * @param {import('./rows.mjs').Attention} work
 * @returns {Expected} places in (heads, queries, headDim)
 */
export function attention(work) {
  const { heads, kvHeads, queries, keys, headDim, causal } = work;
  const { query, key, value } = inputsOf(work);
  const hooks = hooksOf(work);
  const width = headDim;
  const turn = (vector, position) =>
    hooks.reduce((x, { turn: by }) => (by ? by(x, position) : x), vector);
  const row = (array, at) => Float64Array.from(array.subarray(at, at + width));
  const expected = [];
  for (let h = 0; h < heads; ++h) {
    const head = Math.floor((h * kvHeads) / heads) * keys;
    for (const token of tokensOf(queries, h)) {
      const m = keys - queries + token;
      const at = (h * queries + token) * width;
      const q = row(query, at);
      const turned = turn(q, m);
      const visible = causal ? m + 1 : keys;
      const logits = Float64Array.from({ length: visible }, (_, n) => {
        const k = row(key, (head + n) * width);
        let score = dot(turned, 0, turn(k, n), 0, width);
        for (const { content } of hooks) score += content?.({ h, m, n, q, k }) ?? 0;
        score /= Math.sqrt(width);
        for (const { bias } of hooks) score += bias?.(h, m, n) ?? 0;
        return score;
      });
      const highest = logits.reduce((a, b) => Math.max(a, b), -Infinity);
      const weights = logits.map((x) => Math.exp(x - highest));
      const sum = weights.reduce((a, b) => a + b, 0);
      const values = new Float64Array(width);
      weights.forEach((weight, n) => {
        for (let d = 0; d < width; ++d) values[d] += (weight / sum) * value[(head + n) * width + d];
        for (const { value: added } of hooks)
          added?.(m, n).forEach((x, d) => (values[d] += (weight / sum) * x));
      });
      expected.push({ at, values });
    }
  }
  return expected;
}

/**
 * Rows of the gradients by queries, keys and values of the first and the last head.
 * @param {import('./rows.mjs').Attention} work  as many key heads as heads, no encodings
 * @returns {Expected} places in the three gradients, one after another
 */
export function backward(work) {
  const { heads, queries, keys, headDim: width, causal } = work;
  const { query, key, value, gradient } = inputsOf(work);
  const scale = 1 / Math.sqrt(width);
  const expected = [];
  for (const h of [0, heads - 1]) {
    const [q, k] = [h * queries * width, h * keys * width];
    // Of each pair, its weight and the gradient by its logit, (queries, keys).
    const [weights, slopes] = [new Float64Array(queries * keys), new Float64Array(queries * keys)];
    for (let m = 0; m < queries; ++m) {
      const visible = causal ? keys - queries + m + 1 : keys;
      const row = weights.subarray(m * keys, m * keys + visible);
      row.forEach((_, n) => {
        row[n] = Math.exp(scale * dot(query, q + m * width, key, k + n * width, width));
      });
      const sum = row.reduce((a, b) => a + b, 0);
      const slope = slopes.subarray(m * keys, m * keys + visible);
      let mean = 0;
      row.forEach((_, n) => {
        row[n] /= sum;
        slope[n] = dot(gradient, q + m * width, value, k + n * width, width);
        mean += row[n] * slope[n];
      });
      row.forEach((weight, n) => (slope[n] = weight * (slope[n] - mean)));
    }
    /** Σ over one side of factors (from, with a stride) times rows. */
    const sum = (factors, from, stride, count, rows, first) =>
      Float64Array.from({ length: width }, (_, d) => {
        let total = 0;
        for (let i = 0; i < count; ++i) {
          total += factors[from + i * stride] * rows[first + i * width + d];
        }
        return total;
      });
    const scaled = (values) => values.map((x) => scale * x);
    for (const m of tokensOf(queries, h)) {
      const values = scaled(sum(slopes, m * keys, 1, keys, key, k));
      expected.push({ at: q + m * width, values });
    }
    for (const n of tokensOf(keys, h)) {
      const at = query.length + k + n * width;
      expected.push({ at, values: scaled(sum(slopes, n, keys, queries, query, q)) });
      const byValue = sum(weights, n, keys, queries, gradient, q);
      expected.push({ at: at + key.length, values: byValue });
    }
  }
  return expected;
}

/** Rows of RoPE. @param {import('./rows.mjs').Rope} work @returns {Expected} */
export function rope({ rows, tokens, headDim, rotaryDim, layout }) {
  const x = uniform(1, rows * tokens * headDim);
  const pairs = rotaryDim / 2;
  const [step, partner] = layout === 'half' ? [1, pairs] : [2, 1];
  const expected = [];
  for (let r = 0; r < rows; ++r) {
    for (const token of tokensOf(tokens, r)) {
      const at = (r * tokens + token) * headDim;
      const values = Float64Array.from(x.subarray(at, at + headDim));
      for (let i = 0; i < pairs; ++i) {
        const angle = token * 10000 ** (-i / pairs);
        const [first, second] = [step * i, step * i + partner];
        const [a, b] = [values[first], values[second]];
        values[first] = a * Math.cos(angle) - b * Math.sin(angle);
        values[second] = b * Math.cos(angle) + a * Math.sin(angle);
      }
      expected.push({ at, values });
    }
  }
  return expected;
}

/** Rows of a sinusoidal table, sines and cosines taking turns. @returns {Expected} */
export function sinusoidal({ tokens, width }) {
  return tokensOf(tokens, 0).map((token) => ({
    at: token * width,
    values: Float64Array.from({ length: width }, (_, i) => {
      const angle = token * 10000 ** (-(i - (i % 2)) / width);
      return i % 2 ? Math.cos(angle) : Math.sin(angle);
    }),
  }));
}

/** Rows of RoPE's cosines. @returns {Expected} */
export function table({ tokens, pairs }) {
  return tokensOf(tokens, 0).map((token) => ({
    at: token * pairs,
    values: Float64Array.from({ length: pairs }, (_, i) => Math.cos(token * 10000 ** (-i / pairs))),
  }));
}

/** Rows of input · weightᵀ. @param {import('./rows.mjs').Gemm} work @returns {Expected} */
export function gemm({ rows, inputs, outputs }) {
  const [input, weight] = [uniform(1, rows * inputs), uniform(2, outputs * inputs)];
  return tokensOf(rows, 0).map((row) => ({
    at: row * outputs,
    values: Float64Array.from({ length: outputs }, (_, i) =>
      dot(input, row * inputs, weight, i * inputs, inputs),
    ),
  }));
}

/** Whole models are held against float64 in the tests of the package. @returns {Expected} */
export const writing = () => [];
export const training = () => [];

/**
 * Throws when a result has too large an error.
 * @param {string} kind  of the work @param {Float32Array} actual @param {Expected} expected
 */
export function checkClose(kind, actual, expected) {
  const { absolute, relative } = { backward: GRADIENT, gemm: PRODUCT }[kind] ?? FORWARD;
  for (const { at, values } of expected) {
    values.forEach((value, i) => {
      const error = Math.abs(actual[at + i] - value);
      if (!(error <= absolute + relative * Math.abs(value))) {
        throw new Error(`number ${at + i} is ${actual[at + i]}, should be ${value}`);
      }
    });
  }
}

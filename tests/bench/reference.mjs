/** Float64 references: what every contender is checked against before it is timed. */
import { dot, hooksOf } from './encodings.mjs';
import { inputsOf, uniform } from './numbers.mjs';

/** |x − y| ≤ absolute + relative · |y|, as in the tests of the project. */
const ABSOLUTE = 2e-6;
const RELATIVE = 2e-5;

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

/**
 * The largest error of a result; throws when one is too large.
 * @param {Float32Array} actual @param {Expected} expected
 */
export function checkClose(actual, expected) {
  let worst = 0;
  for (const { at, values } of expected) {
    values.forEach((value, i) => {
      const error = Math.abs(actual[at + i] - value);
      if (!(error <= ABSOLUTE + RELATIVE * Math.abs(value))) {
        throw new Error(`number ${at + i} is ${actual[at + i]}, should be ${value}`);
      }
      worst = Math.max(worst, error);
    });
  }
  return worst;
}

/** The same work in plain JavaScript, as a careful developer would write it without this package. */
import { product, shapesOf, uniform, inputsOf } from '../numbers.mjs';

/** More takes seconds a call. */
const MOST_ATTENTION_FLOPS = 1e9;
const MOST_TOKENS = 1e5;

/** @type {import('../bench.mjs').Contender} */
export const plain = {
  name: 'plain JavaScript',
  candidates(work) {
    const make = kinds[work.kind];
    return make === undefined || !canDo(work) ? [] : [() => make(work)];
  },
};

function canDo({ kind, tokens = 0, encodings, heads, queries, keys, headDim }) {
  if (kind !== 'attention') return tokens < MOST_TOKENS;
  // A single key is no work: that row measures what a call costs.
  return (
    encodings.length === 0 &&
    keys > 1 &&
    4 * heads * queries * keys * headDim < MOST_ATTENTION_FLOPS
  );
}

/** RoPE from a table of float64 angles; dimensions past rotaryDim pass. */
function rope({ rows, tokens, headDim, rotaryDim, layout, inPlace }) {
  const x = uniform(1, rows * tokens * headDim);
  const out = inPlace ? x : new Float32Array(x.length);
  const pairs = rotaryDim / 2;
  const { cos, sin } = angles(tokens, pairs);
  const [step, partner] = layout === 'half' ? [1, pairs] : [2, 1];
  const call = () => {
    for (let row = 0; row < rows; ++row) {
      for (let t = 0; t < tokens; ++t) {
        const at = (row * tokens + t) * headDim;
        const angle = t * pairs;
        for (let i = 0; i < pairs; ++i) {
          const first = at + step * i;
          const a = x[first];
          const b = x[first + partner];
          out[first] = a * cos[angle + i] - b * sin[angle + i];
          out[first + partner] = b * cos[angle + i] + a * sin[angle + i];
        }
        if (!inPlace) for (let i = at + rotaryDim; i < at + headDim; ++i) out[i] = x[i];
      }
    }
  };
  return { call, result: () => out };
}

/** Cosines and sines, (tokens, pairs) each. */
function angles(tokens, pairs, cos = new Float32Array(tokens * pairs), sin = cos.slice()) {
  const frequencies = Array.from({ length: pairs }, (_, i) => 10000 ** (-i / pairs));
  for (let t = 0, at = 0; t < tokens; ++t) {
    for (let i = 0; i < pairs; ++i, ++at) {
      cos[at] = Math.cos(t * frequencies[i]);
      sin[at] = Math.sin(t * frequencies[i]);
    }
  }
  return { cos, sin };
}

function table({ tokens, pairs }) {
  const { cos, sin } = angles(tokens, pairs);
  return { call: () => void angles(tokens, pairs, cos, sin), result: () => cos };
}

/** The sinusoidal table, interleaved. */
function sinusoidal({ tokens, width }) {
  const out = new Float32Array(tokens * width);
  const call = () => {
    for (let i = 0; i < width / 2; ++i) {
      const frequency = 10000 ** ((-2 * i) / width);
      for (let t = 0; t < tokens; ++t) {
        out[t * width + 2 * i] = Math.sin(t * frequency);
        out[t * width + 2 * i + 1] = Math.cos(t * frequency);
      }
    }
  };
  return { call, result: () => out };
}

/** Softmax attention, one row of weights at a time. */
function attention(work) {
  const { heads, kvHeads, queries, keys, headDim, causal } = work;
  const { query, key, value } = inputsOf(work);
  const out = new Float32Array(product(shapesOf(work).query));
  const scale = 1 / Math.sqrt(headDim);
  const weights = new Float32Array(keys);
  const call = () => {
    out.fill(0);
    for (let h = 0; h < heads; ++h) {
      const head = Math.floor((h * kvHeads) / heads) * keys * headDim;
      for (let m = 0; m < queries; ++m) {
        const at = (h * queries + m) * headDim;
        const visible = causal ? keys - queries + m + 1 : keys;
        let maximum = -Infinity;
        for (let n = 0; n < visible; ++n) {
          let score = 0;
          for (let d = 0; d < headDim; ++d) score += query[at + d] * key[head + n * headDim + d];
          weights[n] = score * scale;
          maximum = Math.max(maximum, weights[n]);
        }
        let sum = 0;
        for (let n = 0; n < visible; ++n) {
          weights[n] = Math.exp(weights[n] - maximum);
          sum += weights[n];
        }
        for (let n = 0; n < visible; ++n) {
          const weight = weights[n] / sum;
          for (let d = 0; d < headDim; ++d) out[at + d] += weight * value[head + n * headDim + d];
        }
      }
    }
  };
  return { call, result: () => out };
}

/** input · weightᵀ, four sums at a time. */
function gemm({ rows, inputs, outputs }) {
  const [input, weight] = [uniform(1, rows * inputs), uniform(2, outputs * inputs)];
  const out = new Float32Array(rows * outputs);
  const call = () => {
    for (let row = 0; row < rows; ++row) {
      for (let output = 0; output < outputs; ++output) {
        let [a, b, c, d] = [0, 0, 0, 0];
        const [x, w] = [row * inputs, output * inputs];
        for (let i = 0; i < inputs; i += 4) {
          a += input[x + i] * weight[w + i];
          b += input[x + i + 1] * weight[w + i + 1];
          c += input[x + i + 2] * weight[w + i + 2];
          d += input[x + i + 3] * weight[w + i + 3];
        }
        out[row * outputs + output] = a + b + c + d;
      }
    }
  };
  return { call, result: () => out };
}

const kinds = { attention, rope, table, sinusoidal, gemm };

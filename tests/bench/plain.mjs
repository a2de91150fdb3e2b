/** The same work in plain JavaScript, as a careful developer would write it without this package. */

/**
 * RoPE from a table of float64 angles; dimensions past rotaryDim pass. x: (rows, tokens, headDim).
 */
export function rope(x, out, { rows, tokens, headDim, rotaryDim, layout, base }) {
  const pairs = rotaryDim / 2;
  const { cos, sin } = angles({ tokens, pairs, base });
  const [step, partner] = layout === 'half' ? [1, pairs] : [2, 1];
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
      for (let i = at + rotaryDim; i < at + headDim; ++i) out[i] = x[i];
    }
  }
}

/** Cosines and sines, (tokens, pairs) each, from float64 angles. */
export function angles({ tokens, pairs, base }, out) {
  const size = tokens * pairs;
  const { cos, sin } = out ?? { cos: new Float32Array(size), sin: new Float32Array(size) };
  const frequencies = Array.from({ length: pairs }, (_, i) => base ** (-i / pairs));
  for (let t = 0, at = 0; t < tokens; ++t) {
    for (let i = 0; i < pairs; ++i, ++at) {
      cos[at] = Math.cos(t * frequencies[i]);
      sin[at] = Math.sin(t * frequencies[i]);
    }
  }
  return { cos, sin };
}

/** The sinusoidal table, interleaved. */
export function sinusoidal(out, { tokens, width, base }) {
  for (let i = 0; i < width / 2; ++i) {
    const frequency = base ** ((-2 * i) / width);
    for (let t = 0; t < tokens; ++t) {
      out[t * width + 2 * i] = Math.sin(t * frequency);
      out[t * width + 2 * i + 1] = Math.cos(t * frequency);
    }
  }
}

/** Softmax attention of each head, (heads, tokens, headDim). */
export function attention(query, key, value, out, { heads, tokens, headDim, causal }) {
  const scale = 1 / Math.sqrt(headDim);
  const weights = new Float32Array(tokens);
  out.fill(0);
  for (let h = 0; h < heads; ++h) {
    const head = h * tokens * headDim;
    for (let m = 0; m < tokens; ++m) {
      const keys = causal ? m + 1 : tokens;
      let maximum = -Infinity;
      for (let n = 0; n < keys; ++n) {
        let score = 0;
        for (let d = 0; d < headDim; ++d) {
          score += query[head + m * headDim + d] * key[head + n * headDim + d];
        }
        weights[n] = score * scale;
        maximum = Math.max(maximum, weights[n]);
      }
      let sum = 0;
      for (let n = 0; n < keys; ++n) {
        weights[n] = Math.exp(weights[n] - maximum);
        sum += weights[n];
      }
      for (let n = 0; n < keys; ++n) {
        const weight = weights[n] / sum;
        for (let d = 0; d < headDim; ++d) {
          out[head + m * headDim + d] += weight * value[head + n * headDim + d];
        }
      }
    }
  }
}

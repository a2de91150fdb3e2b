/**
 * The formulas of the papers in float64, written for reading: what the kernels are compared with.
 * Arrays are in C order.
 */

/** Sinusoids (Vaswani 2017, section 3.5) in the layouts that are in use. */
export function sinusoid(
  positions: readonly number[],
  width: number,
  { base = 10000, layout = 'interleaved', denominator = 'd/2', order = 'sin-cos' } = {},
): number[] {
  const [first, second] = order === 'sin-cos' ? [Math.sin, Math.cos] : [Math.cos, Math.sin];
  const half = Math.floor(width / 2);
  const divisor = denominator === 'd/2' ? width / 2 : Math.max(half - 1, 1);
  const column = (position: number, j: number): number => {
    const pair = layout === 'interleaved' ? Math.floor(j / 2) : j % half;
    const isFirst = layout === 'interleaved' ? j % 2 === 0 : j < half;
    if (layout === 'halves' && j >= 2 * half) return 0;
    return (isFirst ? first : second)(position * base ** (-pair / divisor));
  };
  return positions.flatMap((position) =>
    Array.from({ length: width }, (_, j) => column(position, j)),
  );
}

/** RoPE (Su 2021, eq. 15) of one vector. */
export function turn(
  vector: ArrayLike<number>,
  position: number,
  { rotaryDim = vector.length, base = 10000, layout = 'half' } = {},
): number[] {
  const out = Array.from(vector);
  for (let pair = 0; pair < rotaryDim / 2; pair++) {
    const angle = position * base ** ((-2 * pair) / rotaryDim);
    const [i, j] = layout === 'half' ? [pair, pair + rotaryDim / 2] : [2 * pair, 2 * pair + 1];
    out[i] = vector[i]! * Math.cos(angle) - vector[j]! * Math.sin(angle);
    out[j] = vector[i]! * Math.sin(angle) + vector[j]! * Math.cos(angle);
  }
  return out;
}

/** Slopes of ALiBi (Press 2021): for other head counts, those of the power of two below, then every second one of the next. */
export function slopes(heads: number): number[] {
  const power = 2 ** Math.floor(Math.log2(heads));
  const series = (n: number) => Array.from({ length: n }, (_, i) => 2 ** ((-8 * (i + 1)) / n));
  if (power === heads) return series(heads);
  const between = series(2 * power).filter((_, i) => i % 2 === 0);
  return [...series(power), ...between.slice(0, heads - power)];
}

export interface ReferenceInputs {
  batch: number;
  heads: number;
  kvHeads: number;
  queries: number;
  keys: number;
  headDim: number;
  valueDim: number;
  query: ArrayLike<number>;
  key: ArrayLike<number>;
  value: ArrayLike<number>;
  queryPosition: (batch: number, query: number) => number;
  keyPosition: (batch: number, key: number) => number;
  /** Turns a query or a key. */
  rotate?: (vector: ArrayLike<number>, position: number) => number[];
  bias?: (head: number, distance: number) => number;
  causal?: boolean;
  window?: number;
  softcap?: number;
  scale?: number;
  /** Whether a key is real. */
  isReal?: (batch: number, key: number) => boolean;
  /** Whether nothing else hides a key. */
  sees?: (batch: number, head: number, query: number, key: number) => boolean;
  /** What is added to a logit. */
  added?: (batch: number, head: number, query: number, key: number) => number;
  /** What the scale of a query is multiplied by. */
  factor?: (batch: number, head: number, query: number) => number;
  /** A logit that takes part in the softmax and has no value. */
  sinkLogit?: (head: number) => number;
}

/** Attention with every intermediate value; rows without a visible key give 0. */
export function attention(inputs: ReferenceInputs) {
  const { batch, heads, kvHeads, queries, keys, headDim, valueDim } = inputs;
  const { rotate = (vector) => Array.from(vector), bias = () => 0, softcap } = inputs;
  const { scale = 1 / Math.sqrt(headDim), window = Infinity, isReal = () => true } = inputs;
  const { sees = () => true, added = () => 0, factor = () => 1 } = inputs;
  const { sinkLogit = () => -Infinity } = inputs;
  const slice = (data: ArrayLike<number>, row: number, width: number) =>
    Array.from({ length: width }, (_, d) => data[row * width + d]!);
  const output: number[] = [];
  const taps = {
    scores: [] as number[],
    capped: [] as number[],
    biased: [] as number[],
    logits: [] as number[],
    weights: [] as number[],
  };
  for (let b = 0; b < batch; b++) {
    for (let h = 0; h < heads; h++) {
      const kvRow = (b * kvHeads + Math.floor((h * kvHeads) / heads)) * keys;
      for (let m = 0; m < queries; m++) {
        const at = inputs.queryPosition(b, m);
        const q = rotate(slice(inputs.query, (b * heads + h) * queries + m, headDim), at);
        const logits = Array.from({ length: keys }, (_, n) => {
          const position = inputs.keyPosition(b, n);
          const k = rotate(slice(inputs.key, kvRow + n, headDim), position);
          const score = scale * factor(b, h, m) * q.reduce((sum, x, d) => sum + x * k[d]!, 0);
          const capped = softcap === undefined ? score : softcap * Math.tanh(score / softcap);
          const biased = capped + bias(h, at - position);
          const visible =
            isReal(b, n) &&
            sees(b, h, m, n) &&
            !(inputs.causal && position > at) &&
            Math.abs(at - position) < window;
          taps.scores.push(score);
          taps.capped.push(capped);
          taps.biased.push(biased);
          return visible ? biased + added(b, h, m, n) : -Infinity;
        });
        const sink = sinkLogit(h);
        const most = Math.max(...logits, sink);
        const powers = logits.map((logit) => (logit === -Infinity ? 0 : Math.exp(logit - most)));
        const sinkPower = sink === -Infinity ? 0 : Math.exp(sink - most);
        const sum = powers.reduce((total, power) => total + power, sinkPower);
        const weights = powers.map((power) => (sum === 0 ? 0 : power / sum));
        taps.logits.push(...logits);
        taps.weights.push(...weights);
        for (let d = 0; d < valueDim; d++) {
          let mixed = 0;
          weights.forEach((weight, n) => {
            if (weight > 0) mixed += weight * inputs.value[(kvRow + n) * valueDim + d]!;
          });
          output.push(mixed);
        }
      }
    }
  }
  return { output, ...taps };
}

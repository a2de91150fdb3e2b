/** Gradients of `reference.ts`' attention without encodings by the formulas of the chain rule, in float64. */
import { attention, type ReferenceInputs } from './reference.js';

export function attentionGradients(inputs: ReferenceInputs, gradient: ArrayLike<number>) {
  const { batch, heads, kvHeads, queries, keys, headDim, valueDim, softcap } = inputs;
  const { scale: by = 1 / Math.sqrt(headDim), factor = () => 1 } = inputs;
  const { weights, capped, scores, output } = attention(inputs);
  const zeros = (count: number) => Array<number>(count).fill(0);
  const result = {
    query: zeros(inputs.query.length),
    key: zeros(inputs.key.length),
    value: zeros(inputs.value.length),
    /** By the logits, as by numbers that are added to each: `[batch, heads, queries, keys]`. */
    logits: zeros(weights.length),
    sinkLogits: zeros(heads),
    /** By what the scores of a query are multiplied by: `[batch, heads, queries]`. */
    factors: zeros(batch * heads * queries),
  };
  for (let row = 0; row < batch * heads * queries; row++) {
    const head = Math.floor(row / queries);
    const [b, h, m] = [Math.floor(head / heads), head % heads, row % queries];
    const keyRow = (b * kvHeads + Math.floor((h * kvHeads) / heads)) * keys;
    const scale = by * factor(b, h, m);
    const dOutput = Array.from({ length: valueDim }, (_, d) => gradient[row * valueDim + d]!);
    const mean = dOutput.reduce((sum, x, d) => sum + x * output[row * valueDim + d]!, 0);
    let seen = 0;
    for (let n = 0; n < keys; n++) {
      const weight = weights[row * keys + n]!;
      if (weight === 0) continue;
      seen += weight;
      let dWeight = 0;
      for (let d = 0; d < valueDim; d++) {
        const at = (keyRow + n) * valueDim + d;
        dWeight += dOutput[d]! * inputs.value[at]!;
        result.value[at]! += weight * dOutput[d]!;
      }
      const dLogit = weight * (dWeight - mean);
      const bent = softcap === undefined ? 0 : capped[row * keys + n]! / softcap;
      const dScore = dLogit * (1 - bent * bent);
      result.logits[row * keys + n] = dLogit;
      result.factors[row]! += (dScore * scores[row * keys + n]!) / factor(b, h, m);
      for (let d = 0; d < headDim; d++) {
        const [q, k] = [row * headDim + d, (keyRow + n) * headDim + d];
        result.query[q]! += dScore * scale * inputs.key[k]!;
        result.key[k]! += dScore * scale * inputs.query[q]!;
      }
    }
    // A sink has the rest of the weight, and no value.
    if (inputs.sinkLogit) result.sinkLogits[h]! -= (1 - seen) * mean;
  }
  return result;
}

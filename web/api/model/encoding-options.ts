import type { EncodingSpec, EncodingTensor, StackSpec, TensorName } from './spec.js';

/** `[rows, outputs]`: rows of `input` times `weight` `[outputs, inputs]`, and `bias`; as `pe.linear`. */
export type Linear = (inputs: {
  input: Float32Array;
  weight: Float32Array;
  bias: Float32Array;
  shape: { rows: number; inputs: number; outputs: number };
}) => Float32Array;

/** What the numbers of encodings are made of. */
export interface EncodingNumbers {
  readonly stack: Pick<StackSpec, 'heads' | 'headDim' | 'normEpsilon'>;
  /** Numbers of a tensor of the model by its name; those of {@link encodingTensors} are asked for. */
  readonly read: (name: TensorName) => Float32Array;
  readonly linear: Linear;
}

/** Names of all tensors that the encoding is made of. */
export const encodingTensors = ({ tensors = {} }: EncodingSpec): TensorName[] =>
  Object.values(tensors).flatMap(({ tensor, norm, projection }) => [
    tensor,
    ...(norm === undefined ? [] : [`${norm}.weight`, `${norm}.bias`]),
    ...(projection === undefined ? [] : [`${projection}.weight`, `${projection}.bias`]),
  ]);

/** All options of an encoding, those of trained numbers included: what `pe.encoding` takes. */
export function encodingOptions(
  { options, tensors = {} }: EncodingSpec,
  numbers: EncodingNumbers,
): Record<string, unknown> {
  const trained = Object.entries(tensors).map(
    ([option, tensor]) => [option, numbersOf(tensor, numbers)] as const,
  );
  return { ...options, ...Object.fromEntries(trained) };
}

function numbersOf(
  { tensor, norm, projection }: EncodingTensor,
  { stack: { heads, headDim, normEpsilon }, read, linear }: EncodingNumbers,
): Float32Array {
  let data = read(tensor);
  if (norm !== undefined) {
    data = layerNorm(data, read(`${norm}.weight`), read(`${norm}.bias`), normEpsilon);
  }
  if (projection === undefined) return data;
  const weight = read(`${projection}.weight`);
  const outputs = heads * headDim;
  const inputs = weight.length / outputs;
  const rows = data.length / inputs;
  const shape = { rows, inputs, outputs };
  const projected = linear({ input: data, weight, bias: read(`${projection}.bias`), shape });
  return byHead(projected, rows, heads, headDim);
}

/** Rows to mean 0 and variance 1, times `weight`, plus `bias`; sums in float64. */
function layerNorm(
  data: Float32Array,
  weight: Float32Array,
  bias: Float32Array,
  epsilon: number,
): Float32Array {
  const width = weight.length;
  const out = new Float32Array(data.length);
  for (let start = 0; start < data.length; start += width) {
    const row = data.subarray(start, start + width);
    const mean = row.reduce((sum, x) => sum + x, 0) / width;
    const variance = row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / width;
    const factor = 1 / Math.sqrt(variance + epsilon);
    for (let i = 0; i < width; i++)
      out[start + i] = (row[i]! - mean) * factor * weight[i]! + bias[i]!;
  }
  return out;
}

/** `[rows, heads, headDim]` to `[heads, rows, headDim]`. */
function byHead(data: Float32Array, rows: number, heads: number, headDim: number): Float32Array {
  const out = new Float32Array(data.length);
  for (let row = 0; row < rows; row++) {
    for (let head = 0; head < heads; head++) {
      const from = (row * heads + head) * headDim;
      out.set(data.subarray(from, from + headDim), (head * rows + row) * headDim);
    }
  }
  return out;
}

import type { Cut } from './families/types.js';
import type { PlannedTensor } from './match.js';
import type { TensorName } from './spec.js';
import type { Weights } from './weights/types.js';

/** A tensor as the engine takes it. */
export interface ModelTensor {
  readonly name: TensorName;
  readonly shape: readonly number[];
  /** An array of its own: nothing else holds it. */
  readonly data: Float32Array;
}

/**
 * The tensors of a plan one after the other, in the order of the files: each tensor of the checkpoint is
 * read once, and let go before the next.
 */
export async function* streamTensors(
  planned: readonly PlannedTensor[],
  weights: Pick<Weights, 'tensors' | 'read'>,
): AsyncGenerator<ModelTensor, void, undefined> {
  const wanted = new Map<string, PlannedTensor[]>();
  for (const tensor of planned) {
    const list = wanted.get(tensor.source);
    if (list === undefined) wanted.set(tensor.source, [tensor]);
    else list.push(tensor);
  }
  for (const [source, { shape: whole }] of weights.tensors) {
    const list = wanted.get(source) ?? [];
    if (list.length === 0) continue;
    const data = await weights.read(source);
    for (const { name, shape, cut } of list) {
      const own = list.length > 1 && cut.blocks === undefined ? data.slice() : data;
      yield { name, shape, data: applyCut(own, whole, cut) };
    }
  }
}

/** Makes a tensor of the engine from one of the checkpoint, whose numbers may be overwritten. */
export function applyCut(
  given: Float32Array,
  shape: readonly number[],
  { transposed = false, blocks, add = 0 }: Cut,
): Float32Array {
  const [rows = 1, columns = 1] = shape;
  if (!transposed) {
    return addTo(blocks === undefined ? given : takeRows(given, columns, blocks), add);
  }
  if (blocks === undefined || blocks.count > 1) {
    const turned = transpose(given, rows, columns);
    return addTo(blocks === undefined ? turned : takeRows(turned, rows, blocks), add);
  }
  // Only the columns that will be rows of the result.
  return addTo(transpose(given, rows, columns, blocks.first, blocks.rows), add);
}

function transpose(
  data: Float32Array,
  rows: number,
  columns: number,
  first = 0,
  count = columns,
): Float32Array {
  const out = new Float32Array(rows * count);
  for (let row = 0; row < rows; row++) {
    const start = row * columns + first;
    for (let i = 0; i < count; i++) out[i * rows + row] = data[start + i]!;
  }
  return out;
}

function takeRows(
  data: Float32Array,
  columns: number,
  { first, rows, step, count }: NonNullable<Cut['blocks']>,
): Float32Array {
  const size = rows * columns;
  const out = new Float32Array(count * size);
  for (let i = 0; i < count; i++) {
    const start = (first + i * step) * columns;
    out.set(data.subarray(start, start + size), i * size);
  }
  return out;
}

function addTo(data: Float32Array, add: number): Float32Array {
  if (add !== 0) for (let i = 0; i < data.length; i++) data[i] = data[i]! + add;
  return data;
}

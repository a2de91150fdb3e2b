import { size, sizeOrNone } from './array.js';
import { checkOptions, wrong } from './check.js';
import { ResidentTensor } from './tensor.js';
import type { AttentionShape, Data } from './types.js';

const shapeKeys = ['batch', 'heads', 'kvHeads', 'queries', 'keys', 'headDim', 'valueDim'];

/** All dimensions of an attention call. */
export type FullShape = Required<AttentionShape>;

/** Checks the shape of an attention call, or reads it off its tensors. */
export function attentionShape(
  shape: AttentionShape | undefined,
  query: Data,
  key: Data,
  value: Data,
): FullShape {
  const full = shape === undefined ? shapeOf(query, key, value) : complete(shape);
  if (full.heads % full.kvHeads !== 0) {
    const allowed = `a divisor of heads = ${full.heads}`;
    const argument = shape === undefined ? 'key.shape[1]' : 'shape.kvHeads';
    throw wrong('shape', argument, full.kvHeads, allowed);
  }
  return full;
}

/** Fills in the defaults. */
function complete(given: AttentionShape): FullShape {
  const shape = checkOptions(given, shapeKeys, 'shape', 'shape');
  const heads = size(shape.heads, 'shape.heads');
  const queries = sizeOrNone(shape.queries, 'shape.queries');
  const headDim = size(shape.headDim, 'shape.headDim');
  const { batch = 1, kvHeads = heads, keys = queries, valueDim = headDim } = shape;
  return {
    batch: sizeOrNone(batch, 'shape.batch'),
    heads,
    kvHeads: size(kvHeads, 'shape.kvHeads'),
    queries,
    keys: sizeOrNone(keys, 'shape.keys'),
    headDim,
    valueDim: size(valueDim, 'shape.valueDim'),
  };
}

/**
 * The dimensions of query, key and value when all three are tensors of four dimensions. Whether they
 * fit each other shows when the tensors are used.
 */
function shapeOf(query: Data, key: Data, value: Data): FullShape {
  const [batch, heads, queries, headDim] = fourDimensions(query, 'query');
  const [, kvHeads, keys] = fourDimensions(key, 'key');
  const [, , , valueDim] = fourDimensions(value, 'value');
  return { batch, heads, kvHeads, queries, keys, headDim, valueDim };
}

function fourDimensions(data: Data, argument: string): [number, number, number, number] {
  if (ResidentTensor.is(data) && data.shape.length === 4) {
    return data.shape as [number, number, number, number];
  }
  const allowed =
    '{ heads, queries, headDim, … } unless query, key and value are tensors of four dimensions';
  throw wrong('argument', 'shape', undefined, `${allowed} (${argument} is not)`);
}

/**
 * Attention of ONNX, opset 25 (of which 23 and 24 are parts), by the text of the operator and its reference
 * implementation in onnx 1.23.
 */
import { attention } from '../attention.js';
import { checkOptions, choice, finite, integer, list, wrong } from '../check.js';
import type { Engine } from '../engine.js';
import { PosencError } from '../error.js';
import type { Memory } from '../memory.js';
import type { AttentionMasks, Tap } from '../types.js';
import { arrayOf, expectShape, readFloats, readMask, swapMiddle, wrongShape } from './arrays.js';
import { checkHeads, fourDimensions, type Heads } from './onnx-heads.js';
import { join, paddingOf, present, queryPositions, readLengths, readPast } from './onnx-cache.js';
import type {
  OnnxAttentionAttributes,
  OnnxAttentionInputs,
  OnnxAttentionOutputs,
} from './types.js';

const inputKeys = ['Q', 'K', 'V', 'attn_mask', 'past_key', 'past_value', 'nonpad_kv_seqlen'];
const attributeKeys = [
  ...['is_causal', 'scale', 'softcap', 'q_num_heads', 'kv_num_heads', 'qk_matmul_output_mode'],
  ...['softmax_precision', 'left_window_size', 'right_window_size'],
];
const outputNames = ['Y', 'present_key', 'present_value', 'qk_matmul_output'] as const;

/** What the values of `qk_matmul_output_mode` ask for. */
const stages: readonly Tap[] = ['scores', 'capped', 'logits', 'weights'];

/** Widest window: no two positions are further apart. */
const maxDistance = 2 ** 31;

/** ONNX's Attention; see `Posenc.onnxAttention` in `types.ts`. */
export function onnxAttention(
  engine: Engine,
  inputs: OnnxAttentionInputs,
  attributes?: OnnxAttentionAttributes,
  outputs?: readonly (keyof OnnxAttentionOutputs)[],
): OnnxAttentionOutputs {
  const { memory } = engine;
  const given = checkOptions<Partial<OnnxAttentionInputs>>(
    inputs,
    inputKeys,
    'onnxAttention',
    'inputs',
  );
  const options = checkOptions(attributes, attributeKeys, 'onnxAttention', 'attributes');
  const wanted = checkOutputs(outputs, options);
  const numbers = checkNumbers(options);
  const stage = stages[integerOr(0, options.qk_matmul_output_mode, 'qk_matmul_output_mode', 0, 3)]!;

  const Q = readFloats(memory, given.Q, 'Q', 'dims');
  const rank = Q.shape.length;
  const query = fourDimensions(Q, 'Q', checkHeads(options.q_num_heads, 'q_num_heads', Q));
  const K = readFloats(memory, given.K, 'K', 'dims');
  const newKey = fourDimensions(K, 'K', checkHeads(options.kv_num_heads, 'kv_num_heads', K), rank);
  const V = readFloats(memory, given.V, 'V', 'dims');
  const newValue = fourDimensions(V, 'V', newKey.shape[1], rank);

  const [batch, heads, queries, headDim] = query.shape;
  const [, kvHeads, added] = newKey.shape;
  const valueDim = newValue.shape[3];
  expectShape(newKey.shape, 'K', [batch, kvHeads, added, headDim]);
  expectShape(newValue.shape, 'V', [batch, kvHeads, added, valueDim]);
  if (heads % kvHeads !== 0) {
    throw wrong('shape', 'kv_num_heads', kvHeads, `a divisor of q_num_heads = ${heads}`);
  }
  const past = readPast(memory, given, newKey.shape, newValue.shape);
  const key = past === undefined ? newKey : join(past.key, newKey);
  const value = past === undefined ? newValue : join(past.value, newValue);
  const keys = key.shape[2];
  const real = readLengths(given.nonpad_kv_seqlen, batch, keys);

  const result = attention<Float32Array>(engine, {
    query: query.data,
    key: key.data,
    value: value.data,
    shape: { batch, heads, kvHeads, queries, keys, headDim, valueDim },
    ...numbers,
    ...maskOf(memory, given.attn_mask, [batch, heads, queries, keys]),
    ...(real !== undefined && { keyMask: paddingOf(real, keys) }),
    queryPositions: queryPositions(past?.key.shape[2], real, queries),
    return: wanted.includes('qk_matmul_output') ? [stage] : [],
  });
  return {
    Y: outputOf(result.output, [batch, heads, queries, valueDim], rank),
    ...(wanted.includes('present_key') && { present_key: present(key, newKey) }),
    ...(wanted.includes('present_value') && { present_value: present(value, newValue) }),
    ...(result[stage] !== undefined && {
      qk_matmul_output: { data: result[stage], dims: [batch, heads, queries, keys] },
    }),
  };
}

/** The outputs to return: `qk_matmul_output` is large, and comes where something asks for it. */
function checkOutputs(
  outputs: unknown,
  { qk_matmul_output_mode: mode }: OnnxAttentionAttributes,
): (keyof OnnxAttentionOutputs)[] {
  if (outputs === undefined) return outputNames.slice(0, mode === undefined ? 3 : 4);
  const allowed = `an array of ${list(outputNames)}`;
  if (!Array.isArray(outputs)) throw wrong('argument', 'outputs', outputs, allowed);
  return Array.from(outputs, (name: unknown, i) => {
    if (name === undefined) throw wrong('argument', `outputs[${i}]`, name, list(outputNames));
    return choice(name, `outputs[${i}]`, outputNames);
  });
}

/** The attributes as options of `attention`. */
function checkNumbers(options: OnnxAttentionAttributes) {
  const { scale, softcap } = options;
  checkPrecision(options.softmax_precision);
  const before = integerOr(-1, options.left_window_size, 'left_window_size', -1, maxDistance);
  const after = integerOr(-1, options.right_window_size, 'right_window_size', -1, maxDistance);
  const window = { ...(before >= 0 && { before }), ...(after >= 0 && { after }) };
  return {
    causal: integerOr(0, options.is_causal, 'is_causal', 0, 1) === 1,
    window,
    ...(scale !== undefined && { scale: notNegative(scale, 'scale') }),
    ...(softcap !== undefined && notNegative(softcap, 'softcap') > 0 && { softcap }),
  };
}

const integerOr = (otherwise: number, value: unknown, name: string, low: number, high: number) =>
  value === undefined ? otherwise : integer(value, name, low, high);

function notNegative(value: unknown, argument: string): number {
  const number = finite(value, argument);
  if (number < 0) throw wrong('range', argument, value, 'a finite number of at least 0');
  return number;
}

/** Numbers of `TensorProto.DataType`. */
function checkPrecision(precision: unknown): void {
  if (precision === undefined || precision === 1 || precision === 10 || precision === 16) return;
  const allowed = '1 (float32), 10 (float16) or 16 (bfloat16)';
  if (precision !== 11) throw wrong('range', 'softmax_precision', precision, allowed);
  throw new PosencError('unsupported', 'softmax_precision is 11: there is no float64 softmax', {
    argument: 'softmax_precision',
    received: '11',
    allowed,
  });
}

/** `attn_mask` over all keys: it may end before them, and what it does not reach is hidden. */
function maskOf(
  memory: Memory,
  given: unknown,
  full: Heads,
): Pick<AttentionMasks, 'mask' | 'maskShape'> {
  if (given === undefined) return {};
  const { data, shape } = readMask(memory, given, 'attn_mask', 'dims');
  const padded = [...Array<number>(Math.max(0, 4 - shape.length)).fill(1), ...shape];
  const keys = full[3];
  const length = padded.at(-1)!;
  const fits = padded.slice(0, -1).every((size, i) => size === 1 || size === full[i]);
  if (padded.length > 4 || !fits || length > keys) {
    const sizes = `[batch, q_num_heads, q_sequence, total_sequence] = [${full.join(', ')}]`;
    throw wrongShape(shape, 'attn_mask', `up to ${sizes}, the first three each or 1`);
  }
  const maskShape = [...padded.slice(0, -1), keys];
  if (length === keys) return { mask: data, maskShape };
  const rows = maskShape.slice(0, -1).reduce((count, size) => count * size, 1);
  const isAdded = data instanceof Float32Array;
  const mask = isAdded
    ? new Float32Array(rows * keys).fill(-Infinity)
    : new Uint8Array(rows * keys);
  for (let row = 0; row < rows; row++) {
    mask.set(data.subarray(row * length, (row + 1) * length), row * keys);
  }
  return { mask, maskShape };
}

/** The output in as many dimensions as the inputs have. */
function outputOf(output: Float32Array, shape: Heads, rank: number) {
  if (rank === 4) return { data: output, dims: [...shape] };
  const [batch, heads, queries, valueDim] = shape;
  return { data: arrayOf(swapMiddle(output, shape)), dims: [batch, queries, heads * valueDim] };
}

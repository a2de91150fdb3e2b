/**
 * torch.nn.functional.scaled_dot_product_attention by PyTorch's documentation; a row that sees nothing is 0, as
 * since PyTorch 2.5.
 */
import { attention } from '../attention.js';
import { checkOptions, finite, flag, wrong } from '../check.js';
import type { Engine } from '../engine.js';
import { PosencError } from '../error.js';
import type { Memory } from '../memory.js';
import type { AttentionMasks } from '../types.js';
import { expectShape, readFloats, readMask, wrongShape } from './arrays.js';
import type { ScaledDotProductAttentionOptions, ShapedArray } from './types.js';

const optionKeys = ['attnMask', 'dropoutP', 'isCausal', 'scale', 'enableGqa'];

/** PyTorch's attention; see `Posenc.scaledDotProductAttention` in `types.ts`. */
export function scaledDotProductAttention(
  engine: Engine,
  query: unknown,
  key: unknown,
  value: unknown,
  options?: ScaledDotProductAttentionOptions,
): ShapedArray {
  const { memory } = engine;
  const given = checkOptions(options, optionKeys, 'scaledDotProductAttention');
  const causal = flag(given.isCausal, 'isCausal');
  const grouped = flag(given.enableGqa, 'enableGqa');
  checkDropout(given.dropoutP);
  if (causal && given.attnMask !== undefined) {
    throw wrong('argument', 'attnMask', given.attnMask, 'to be left out, since isCausal is true');
  }
  const q = split(memory, query, 'query');
  const k = split(memory, key, 'key');
  const v = split(memory, value, 'value');
  const { outer, heads, tokens: queries, width: headDim } = q;
  const { heads: kvHeads, tokens: keys } = k;
  const kvShape = [...outer, ...(q.hasHeads ? [kvHeads] : []), keys];
  expectShape(k.shape, 'key', [...kvShape, headDim]);
  expectShape(v.shape, 'value', [...kvShape, v.width]);
  if (heads !== kvHeads && !(grouped && heads % kvHeads === 0)) {
    const allowed = grouped
      ? `a divisor of the ${heads} heads of query`
      : `${heads} heads as query`;
    throw wrongShape(k.shape, 'key', grouped ? allowed : `${allowed}, or enableGqa`);
  }
  const batch = outer.reduce((count, size) => count * size, 1);
  const { output } = attention<Float32Array>(engine, {
    query: q.data,
    key: k.data,
    value: v.data,
    shape: { batch, heads, kvHeads, queries, keys, headDim, valueDim: v.width },
    causal,
    ...(given.scale !== undefined && { scale: finite(given.scale, 'scale') }),
    ...maskOf(memory, given.attnMask, [...outer, heads, queries, keys]),
    queryPositions: 0, // top-left
  });
  return { data: output, shape: [...q.shape.slice(0, -1), v.width] };
}

/** The dimensions of `[…, heads, tokens, width]`; two dimensions are one head. */
function split(memory: Memory, given: unknown, argument: string) {
  const { data, shape } = readFloats(memory, given, argument, 'shape');
  const hasHeads = shape.length > 2;
  const [heads = 1] = hasHeads ? shape.slice(-3) : [];
  const [tokens = 0, width = 0] = shape.slice(-2);
  if (shape.length < 2 || heads === 0 || width === 0) {
    throw wrongShape(shape, argument, 'at least two dimensions, and heads that are not empty');
  }
  return { data, shape, outer: shape.slice(0, -3), heads, tokens, width, hasHeads };
}

function checkDropout(dropout: unknown): void {
  if (dropout === undefined || dropout === 0) return;
  if (typeof dropout !== 'number') throw wrong('argument', 'dropoutP', dropout, 'the number 0');
  throw new PosencError('unsupported', `dropoutP is ${dropout}, needs 0: there is no dropout`, {
    argument: 'dropoutP',
    received: String(dropout),
    allowed: '0',
  });
}

/** A mask spread over the outer dimensions, unless it is the same for all of them. */
function maskOf(
  memory: Memory,
  given: unknown,
  full: readonly number[],
): Pick<AttentionMasks, 'mask' | 'maskShape'> {
  if (given === undefined) return {};
  const { data, shape } = readMask(memory, given, 'attnMask', 'shape');
  const padded = [...Array<number>(Math.max(0, full.length - shape.length)).fill(1), ...shape];
  if (padded.length > full.length || padded.some((size, i) => size !== 1 && size !== full[i])) {
    throw wrongShape(shape, 'attnMask', `one that broadcasts to [${full.join(', ')}]`);
  }
  const own = padded.slice(-3);
  const outer = padded.slice(0, -3);
  if (outer.every((size) => size === 1)) return { mask: data, maskShape: [1, ...own] };
  const block = own.reduce((count, size) => count * size, 1);
  const batch = full.slice(0, -3).reduce((count, size) => count * size, 1);
  const mask =
    data instanceof Float32Array ? new Float32Array(batch * block) : new Uint8Array(batch * block);
  for (let entry = 0; entry < batch; entry++) {
    const from = offsetOf(entry, full, outer) * block;
    mask.set(data.subarray(from, from + block), entry * block);
  }
  return { mask, maskShape: [batch, ...own] };
}

/** Which block of a mask with the dimensions `outer` an entry of the `full` ones reads. */
function offsetOf(entry: number, full: readonly number[], outer: readonly number[]): number {
  let [offset, stride, rest] = [0, 1, entry];
  for (let i = outer.length - 1; i >= 0; i--) {
    if (outer[i] !== 1) offset += (rest % full[i]!) * stride;
    rest = Math.floor(rest / full[i]!);
    stride *= outer[i]!;
  }
  return offset;
}

import { checkAttached, checkShape, float32, typedArrayName } from './array.js';
import { flag, integer, wrong } from './check.js';
import { PosencError, show } from './error.js';
import type { Frame } from './frame.js';
import type { AttentionCall } from './kernels.js';
import type { AttentionMasks, WindowSides } from './attention/masks.js';
import type { FullShape } from './shape.js';
import { ResidentTensor } from './tensor.js';
import type { Data } from './types.js';

/** Widest window: no two positions are further apart. */
export const maxDistance = 2 ** 31;
/** Longest chunk, and last position of a sink. */
export const maxReach = 2 ** 30;

/** The options that `placeMasks` reads. */
export const maskKeys = [
  ...['causal', 'window', 'chunk', 'sinks', 'globalKeys', 'globalQueries', 'keyMask'],
  ...['querySegments', 'keySegments', 'mask', 'maskShape'],
  ...['sinkLogits', 'headScales', 'queryScales'],
];

/** Numbers in the module's memory, one per token or one per (batch, token); 0 = not given. */
interface Placed {
  readonly pointer: number;
  readonly perBatch: 0 | 1;
}

const absent: Placed = { pointer: 0, perBatch: 0 };

/** Checks the masks of a call and writes them into the module's memory. */
export function placeMasks(frame: Frame, given: AttentionMasks, shape: FullShape) {
  const { batch, heads, queries, keys } = shape;
  const perToken = (value: unknown, argument: string, tokens: number) =>
    placeFlags(frame, value, argument, tokens, batch);
  const globalKeys = perToken(given.globalKeys, 'globalKeys', keys);
  const globalQueries = perToken(given.globalQueries, 'globalQueries', queries);
  const keyMask = perToken(given.keyMask, 'keyMask', keys);
  const segments = placeSegments(frame, given, shape);
  const ofHeads = (value: Data | undefined, argument: string) =>
    value === undefined ? 0 : frame.input(value, argument, [heads], ['heads']);
  const queryScales = placeScales(frame, given.queryScales, queries, batch);
  return {
    causal: flag(given.causal, 'causal') ? 1 : 0,
    ...checkWindow(given.window),
    chunk: given.chunk === undefined ? 0 : integer(given.chunk, 'chunk', 1, maxReach),
    sinks: given.sinks === undefined ? 0 : integer(given.sinks, 'sinks', 0, maxReach),
    global_keys: globalKeys.pointer,
    global_keys_per_batch: globalKeys.perBatch,
    global_queries: globalQueries.pointer,
    global_queries_per_batch: globalQueries.perBatch,
    key_mask: keyMask.pointer,
    key_mask_per_batch: keyMask.perBatch,
    query_segments: segments.query.pointer,
    query_segments_per_batch: segments.query.perBatch,
    key_segments: segments.key.pointer,
    key_segments_per_batch: segments.key.perBatch,
    ...placePairs(frame, given, shape),
    sink_logits: ofHeads(given.sinkLogits, 'sinkLogits'),
    head_scales: ofHeads(given.headScales, 'headScales'),
    query_scales: queryScales.pointer,
    query_scales_per_batch: queryScales.perBatch,
  } satisfies Partial<AttentionCall>;
}

/** A window as the module takes it: its width, or its sides; 0 and −1 = none. */
function checkWindow(window: unknown): { window: number; before: number; after: number } {
  const none = { window: 0, before: -1, after: -1 };
  if (window === undefined) return none;
  if (typeof window !== 'object' || window === null) {
    return { ...none, window: integer(window, 'window', 1, maxDistance) };
  }
  const unknown = Object.keys(window).find((name) => name !== 'before' && name !== 'after');
  if (unknown !== undefined) {
    throw wrong('option', `window.${unknown}`, window, 'an object of before and after');
  }
  const side = (name: keyof WindowSides): number => {
    const value = (window as WindowSides)[name];
    return value === undefined ? -1 : integer(value, `window.${name}`, 0, maxDistance);
  };
  return { window: 0, before: side('before'), after: side('after') };
}

/** Whether there is a list per batch entry; throws when `length` fits neither. */
function checkCount(length: number, argument: string, tokens: number, batch: number): 0 | 1 {
  if (batch > 1 && length === batch * tokens) return 1;
  if (length === tokens) return 0;
  const side = /key/i.test(argument) ? 'key' : 'query';
  const each =
    batch > 1 ? `, or per (batch, ${side}) = ${batch}·${tokens} = ${batch * tokens}` : '';
  const allowed = `one value per ${side} = ${tokens}${each}`;
  throw new PosencError('shape', `${argument} has ${length} values, needs ${allowed}`, {
    argument,
    received: `${length} values`,
    allowed,
  });
}

/** Writes flags per token as bytes. */
function placeFlags(
  frame: Frame,
  flags: unknown,
  argument: string,
  tokens: number,
  batch: number,
): Placed {
  if (flags === undefined) return absent;
  const values = checkFlags(flags, argument);
  const perBatch = checkCount(values.length, argument, tokens, batch);
  return { pointer: writeFlags(frame, values, argument), perBatch };
}

function checkFlags(flags: unknown, argument: string): ArrayLike<unknown> {
  if (!Array.isArray(flags) && typedArrayName(flags) !== 'Uint8Array') {
    throw wrong('argument', argument, flags, 'an array of booleans or a Uint8Array');
  }
  if (!Array.isArray(flags)) checkAttached((flags as Uint8Array).buffer, argument);
  return flags as ArrayLike<unknown>;
}

function writeFlags(frame: Frame, values: ArrayLike<unknown>, argument: string): number {
  const pointer = frame.bytes(values.length, argument);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value !== true && value !== false && value !== 0 && value !== 1) {
      throw wrong('range', `${argument}[${i}]`, value, 'true or 1, false or 0');
    }
    frame.memory.kernels.HEAPU8[pointer + i] = Number(value);
  }
  return pointer;
}

/** Writes the numbers of packed documents; there are both or none. */
function placeSegments(
  frame: Frame,
  { querySegments, keySegments }: AttentionMasks,
  { batch, queries, keys }: FullShape,
): { query: Placed; key: Placed } {
  if (querySegments === undefined && keySegments === undefined)
    return { query: absent, key: absent };
  const place = (segments: unknown, argument: string, tokens: number): Placed => {
    const isTyped = typedArrayName(segments) === 'Int32Array';
    if (!Array.isArray(segments) && !isTyped) {
      const allowed = 'an array of integers or an Int32Array, for queries and keys or for neither';
      throw wrong('argument', argument, segments, allowed);
    }
    const values = segments as ArrayLike<unknown>;
    if (isTyped) checkAttached((segments as Int32Array).buffer, argument);
    const perBatch = checkCount(values.length, argument, tokens, batch);
    const pointer = frame.bytes(4 * values.length, argument);
    for (let i = 0; i < values.length; i++) {
      const value = integer(values[i], `${argument}[${i}]`, -(2 ** 31), 2 ** 31 - 1);
      frame.memory.kernels.HEAP32[(pointer >>> 2) + i] = value;
    }
    return { pointer, perBatch };
  };
  return {
    query: place(querySegments, 'querySegments', queries),
    key: place(keySegments, 'keySegments', keys),
  };
}

/** Writes a factor per query. */
function placeScales(
  frame: Frame,
  scales: Data | undefined,
  queries: number,
  batch: number,
): Placed {
  if (scales === undefined) return absent;
  const count = ResidentTensor.is(scales) ? scales.size : float32(scales, 'queryScales').length;
  const perBatch = checkCount(count, 'queryScales', queries, batch);
  const dimensions = perBatch === 1 ? [batch, queries] : [queries];
  const pointer = frame.input(
    scales,
    'queryScales',
    dimensions,
    ['batch', 'queries'].slice(-dimensions.length),
  );
  return { pointer, perBatch };
}

/** Writes a mask of one value per pair, with its strides; dimensions of 1 are shared. */
function placePairs(frame: Frame, { mask, maskShape }: AttentionMasks, shape: FullShape) {
  const none = { visible: 0, added: 0 };
  const strides = { mask_batch: 0, mask_head: 0, mask_query: 0, mask_key: 0 };
  if (mask === undefined) {
    if (maskShape === undefined) return { ...none, ...strides };
    throw wrong('argument', 'maskShape', maskShape, 'nothing, since there is no mask');
  }
  const adds = ResidentTensor.is(mask) || typedArrayName(mask) === 'Float32Array';
  const values = adds ? undefined : checkFlags(mask, 'mask');
  const count = ResidentTensor.is(mask) ? mask.size : (mask as ArrayLike<unknown>).length;
  const dimensions = pairShape(mask, maskShape, count, shape);
  let stride = 1;
  for (const [i, name] of (
    ['mask_key', 'mask_query', 'mask_head', 'mask_batch'] as const
  ).entries()) {
    const dimension = dimensions[3 - i]!;
    strides[name] = dimension === 1 ? 0 : stride;
    stride *= dimension;
  }
  if (values !== undefined) {
    return { ...none, ...strides, visible: writeFlags(frame, values, 'mask') };
  }
  const added = frame.input(mask, 'mask', [count], ['count']);
  checkAdded(frame, added, count);
  return { ...none, ...strides, added };
}

/** The four dimensions of a mask. */
function pairShape(
  mask: AttentionMasks['mask'],
  given: readonly number[] | undefined,
  count: number,
  { batch, heads, queries, keys }: FullShape,
): number[] {
  const full = [batch, heads, queries, keys];
  const shape = given ?? (ResidentTensor.is(mask) ? mask.shape : undefined);
  const guessed = count === queries * keys ? [queries, keys] : full;
  const dimensions = shape === undefined ? guessed : checkShape(shape, 4, 'maskShape');
  const padded = [...Array<number>(4 - dimensions.length).fill(1), ...dimensions];
  const fits = padded.every((dimension, i) => dimension === 1 || dimension === full[i]);
  if (fits && padded.reduce((product, dimension) => product * dimension, 1) === count)
    return padded;
  const allowed = `maskShape of [batch, heads, queries, keys] = [${full.join(', ')}], each of them or 1`;
  const has = `mask has ${count} values and the shape ${show(dimensions)}`;
  throw new PosencError('shape', `${has}, needs a ${allowed}`, {
    argument: given === undefined ? 'mask' : 'maskShape',
    received: `${count} values, ${show(dimensions)}`,
    allowed,
  });
}

/** What is added is a number or −∞: NaN would be in every weight of its row. */
function checkAdded(frame: Frame, pointer: number, count: number): void {
  const { HEAPF32 } = frame.memory.kernels;
  const start = pointer >>> 2;
  for (let i = 0; i < count; i++) {
    if (HEAPF32[start + i]! < Infinity) continue;
    throw wrong('range', `mask[${i}]`, HEAPF32[start + i], 'a finite number, or −∞ to hide');
  }
}

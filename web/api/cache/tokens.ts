import { float32 } from '../array.js';
import { wrong } from '../check.js';
import type { Domain } from '../domain.js';
import { PosencError } from '../error.js';
import type { Frame } from '../frame.js';
import type { AttentionCall } from '../kernels.js';
import { placeMasks } from '../mask.js';
import { placePositions } from '../place-positions.js';
import type { FullShape } from '../shape.js';
import { ResidentTensor } from '../tensor.js';
import type { Data } from '../types.js';
import type { CacheSetup } from './setup.js';
import type { CacheQueries, CacheTokens } from './types.js';

const keyNames = ['batch', 'kvHeads', 'tokens', 'headDim'];
const valueNames = ['batch', 'kvHeads', 'tokens', 'valueDim'];

/** What the new tokens of a call look like; queries and keys are as many. */
export type TokenShape = FullShape & { readonly tokens: number };

/** Reads off the arrays how many tokens there are, and how many heads ask. */
export function tokenShape(
  setup: CacheSetup,
  { key, sequence }: CacheTokens,
  query?: Data,
): TokenShape {
  const { kvHeads, headDim, valueDim } = setup;
  const batch = sequence === undefined ? setup.batch : 1;
  const tokens = multiple(key, 'key', [batch, kvHeads, headDim], ['batch', 'kvHeads', 'headDim']);
  const heads =
    query === undefined
      ? kvHeads
      : kvHeads *
        multiple(
          query,
          'query',
          [batch, kvHeads, tokens, headDim],
          ['batch', 'kvHeads', 'tokens', 'headDim'],
        );
  return { batch, heads, kvHeads, queries: tokens, keys: tokens, tokens, headDim, valueDim };
}

/** By what the product of `dimensions` must be multiplied to give the length of `data`: at least 1. */
function multiple(
  data: unknown,
  argument: string,
  dimensions: readonly number[],
  names: readonly string[],
): number {
  const length = ResidentTensor.is(data)
    ? data.size
    : float32(data, argument, ' or a tensor').length;
  const unit = dimensions.reduce((product, dimension) => product * dimension);
  if (length > 0 && length % unit === 0) return length / unit;
  const allowed = `a multiple of ${names.join('·')} = ${dimensions.join('·')} = ${unit}`;
  throw new PosencError('shape', `${argument} has ${length} numbers, needs ${allowed}`, {
    argument,
    received: `${length} numbers`,
    allowed,
  });
}

/** Writes new tokens, their positions and masks; what only queries need is left empty. */
export function placeTokens(
  frame: Frame,
  setup: CacheSetup,
  domain: Domain,
  given: CacheTokens & Partial<CacheQueries>,
  shape: TokenShape,
): AttentionCall {
  const { batch, kvHeads, tokens, headDim, valueDim } = shape;
  const key = frame.input(given.key, 'key', [batch, kvHeads, tokens, headDim], keyNames);
  const value = frame.input(given.value, 'value', [batch, kvHeads, tokens, valueDim], valueNames);
  const { axes } = setup;
  if (given.positions !== undefined && setup.positions === 'slots') {
    const allowed = 'nothing, since positions of the cache are its slots';
    throw wrong('argument', 'positions', given.positions, allowed);
  }
  const positions =
    given.positions === undefined
      ? { pointer: 0, perBatch: 0 }
      : placePositions(frame, given.positions, { batch, tokens, axes, domain }, 'positions');
  return {
    batch,
    heads: shape.heads,
    kv_heads: kvHeads,
    queries: tokens,
    keys: tokens,
    head_dim: headDim,
    value_dim: valueDim,
    query: 0,
    key,
    value,
    output: 0,
    encoding_count: 0,
    encodings: 0,
    softcap: 0,
    scale: 1,
    axes,
    query_positions: positions.pointer,
    query_positions_per_batch: positions.perBatch,
    key_positions: 0,
    key_positions_per_batch: 0,
    ...placeMasks(frame, masksOf(given), shape),
    scores: 0,
    capped: 0,
    biased: 0,
    logits: 0,
    weights: 0,
    statistics: 0,
  };
}

/** What `attention` calls the same; the window and the sinks are the cache's own. */
function masksOf(given: CacheTokens & Partial<CacheQueries>) {
  const { causal = true, keyMask, sinkLogits, headScales, queryScales } = given;
  const named = { causal, keyMask, sinkLogits, headScales, queryScales };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

/** The part of a call that is about one of its batch entries. */
export function entryOf(call: AttentionCall, entry: number): AttentionCall {
  const { heads, kv_heads, queries, head_dim, value_dim, axes } = call;
  const part = (pointer: number, bytes: number) => (pointer === 0 ? 0 : pointer + entry * bytes);
  const own = (pointer: number, perBatch: number, bytes: number) =>
    perBatch === 0 ? pointer : part(pointer, bytes);
  const tap = 4 * heads * queries * call.keys;
  return {
    ...call,
    batch: 1,
    query: part(call.query, 4 * heads * queries * head_dim),
    key: part(call.key, 4 * kv_heads * queries * head_dim),
    value: part(call.value, 4 * kv_heads * queries * value_dim),
    output: part(call.output, 4 * heads * queries * value_dim),
    query_positions: own(call.query_positions, call.query_positions_per_batch, 4 * queries * axes),
    key_mask: own(call.key_mask, call.key_mask_per_batch, queries),
    query_scales: own(call.query_scales, call.query_scales_per_batch, 4 * queries),
    scores: part(call.scores, tap),
    capped: part(call.capped, tap),
    biased: part(call.biased, tap),
    logits: part(call.logits, tap),
    weights: part(call.weights, tap),
  };
}

/** How many tokens of a batch entry are real, and their largest coordinate where positions were given. */
export function countReal(frame: Frame, call: AttentionCall, entry: number) {
  const { queries, axes } = call;
  const { query_positions, key_mask } = entryOf(call, entry);
  const { HEAPU8, HEAP32 } = frame.memory.kernels;
  let real = 0;
  let farthest: number | undefined;
  for (let t = 0; t < queries; t++) {
    if (key_mask !== 0 && HEAPU8[key_mask + t] === 0) continue;
    real += 1;
    for (let axis = 0; query_positions !== 0 && axis < axes; axis++) {
      farthest = Math.max(farthest ?? 0, HEAP32[(query_positions >>> 2) + t * axes + axis]!);
    }
  }
  return { real, farthest };
}

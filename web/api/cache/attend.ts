import { checkNumbers, checkTaps, outputNames, queryNames, tapNames } from '../attention.js';
import { product } from '../array.js';
import { Frame } from '../frame.js';
import type { AttentionCall } from '../kernels.js';
import { checkTerms, placeAddresses, placeTerms, scoreScale } from '../terms.js';
import type { AttentionResult, Data } from '../types.js';
import type { LiveCache } from './live.js';
import { checkRoom, expectStored, type Newcomers } from './refuse.js';
import { countReal, entryOf, placeTokens, tokenShape } from './tokens.js';
import type { CacheQueries, CacheTokens } from './types.js';

/** Stores new tokens. */
export function append(cache: LiveCache, layer: number, given: CacheTokens): void {
  const { engine, setup, encodings } = cache;
  const frame = new Frame(engine.memory);
  try {
    const shape = tokenShape(setup, given);
    const call = placeTokens(frame, setup, encodings.domain, given, shape);
    run(cache, frame, 'cacheAppend', layer, given.sequence, call);
  } finally {
    frame.release();
  }
}

/** Stores new tokens and lets their queries attend. */
export function attend<Output extends Data>(
  cache: LiveCache,
  layer: number,
  given: CacheQueries<Output>,
): AttentionResult<Output> {
  const { engine, setup, encodings } = cache;
  const { scale, softcap } = checkNumbers(given);
  const wanted = checkTaps(given.return);
  const shape = tokenShape(setup, given, given.query);
  const { batch, heads, tokens, headDim, valueDim } = shape;
  checkTerms(encodings.any, shape);
  const frame = new Frame(engine.memory);
  try {
    const call = placeTokens(frame, setup, encodings.domain, given, shape);
    call.query = frame.input(given.query, 'query', [batch, heads, tokens, headDim], queryNames);
    const output = frame.output(given.out, 'out', [batch, heads, tokens, valueDim], outputNames);
    call.output = output.pointer;
    call.softcap = softcap;
    const rows = batch * heads * tokens;
    product([batch, heads, tokens, setup.capacity], tapNames, 'return');
    if (wanted.length > 0) call.keys = setup.capacity;
    for (const tap of wanted) call[tap] = frame.floats(rows * setup.capacity, tap);
    run(cache, frame, 'cacheAttend', layer, given.sequence, call, scale);
    const result: AttentionResult<Output> = { output: output.deliver() };
    const longest = Math.max(
      ...sequencesOf(cache, given.sequence).map((sequence) =>
        engine.kernels.cacheCount(cache.handle, layer, sequence),
      ),
    );
    for (const tap of wanted)
      result[tap] = columns(frame, call[tap], rows, setup.capacity, longest);
    return result;
  } finally {
    frame.release();
  }
}

/** The sequences of a call. */
const sequencesOf = ({ setup }: LiveCache, sequence: number | undefined): number[] =>
  sequence === undefined ? Array.from({ length: setup.batch }, (_, i) => i) : [sequence];

/** The first `count` of the `width` columns of `rows` rows. */
function columns(
  frame: Frame,
  pointer: number,
  rows: number,
  width: number,
  count: number,
): Float32Array {
  const { HEAPF32 } = frame.memory.kernels;
  const out = new Float32Array(rows * count);
  for (let row = 0; row < rows; row++) {
    const start = (pointer >>> 2) + row * width;
    out.set(HEAPF32.subarray(start, start + count), row * count);
  }
  return out;
}

/**
 * Runs a call, in parts by sequence where these are of lengths for which a rotation has different
 * tables: a sequence does not depend on its neighbours.
 */
function run(
  cache: LiveCache,
  frame: Frame,
  name: 'cacheAppend' | 'cacheAttend',
  layer: number,
  sequence: number | undefined,
  call: AttentionCall,
  scale?: number,
): void {
  const { engine, setup, encodings, handle } = cache;
  const { kernels } = engine;
  const newcomers = sequencesOf(cache, sequence).map((sequence, entry) => {
    return { layer, sequence, ...countReal(frame, call, entry) };
  });
  const part = (length: number, of: readonly Newcomers[], which: number, call: AttentionCall) => {
    const placed = placeTerms(frame, encodings.at(length));
    const block = frame.call(engine.attentionOrder, {
      ...call,
      encoding_count: placed.length,
      encodings: placeAddresses(frame, placed),
      scale: scale ?? scoreScale(kernels, placed, setup.headDim),
    });
    expectStored(cache, kernels[name](handle, layer, which, block), name, of);
  };
  const lengths = newcomers.map((one) => encodings.likeLength(() => lengthAfter(cache, one)));
  if (lengths.every((length) => length === lengths[0])) {
    part(lengths[0]!, newcomers, sequence ?? -1, call);
    return;
  }
  checkRoom(cache, newcomers);
  for (const [entry, one] of newcomers.entries()) {
    part(lengths[entry]!, [one], one.sequence, entryOf(call, entry));
  }
}

/** How long a sequence will be: where the token behind the new ones would stand. */
function lengthAfter({ engine, setup, handle }: LiveCache, newcomers: Newcomers): number {
  const { layer, sequence, real, farthest } = newcomers;
  const next = engine.kernels.cacheNext(handle, layer, sequence);
  if (farthest !== undefined) return Math.max(next, farthest + 1);
  const { window, sinks, positions } = setup;
  const most = positions === 'slots' && window > 0 ? window + sinks : Infinity;
  return Math.min(next + real, most);
}

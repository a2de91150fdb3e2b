import { checkAttached, typedArrayName } from '../array.js';
import { checkOptions, integer, wrong } from '../check.js';
import type { Engine } from '../engine.js';
import { PosencError } from '../error.js';
import { Frame } from '../frame.js';
import { maxPosition } from '../positions/limits.js';
import { placeAddresses, placeTerms } from '../terms.js';
import type { AttentionResult, Data } from '../types.js';
import { append, attend } from './attend.js';
import type { CacheEncodings } from './encodings.js';
import type { LiveCache } from './live.js';
import { labelOf, notSaved, pack, unpack } from './saved.js';
import { checkSetup, type CacheSetup } from './setup.js';
import type {
  CachePart,
  CachePlace,
  CacheQueries,
  CacheShift,
  CacheTokens,
  KvCache,
  KvCacheOptions,
} from './types.js';

const tokenKeys = ['key', 'value', 'positions', 'keyMask', 'sequence'];
const queryKeys = [
  ...[...tokenKeys, 'query', 'causal', 'softcap', 'scale'],
  ...['sinkLogits', 'headScales', 'queryScales', 'return', 'out'],
];
const placeKeys = ['layer', 'sequence'];

/** Makes a cache; see `Posenc.kvCache` in `types.ts`. */
export function kvCache(engine: Engine, options: KvCacheOptions): KvCache {
  const { setup, encodings } = checkSetup(engine, options);
  return new LayerCache(engine, setup, encodings, (frame, out) => {
    const { layers, batch, capacity, axes, window, sinks } = setup;
    const call = frame.call(engine.cacheOrder, {
      ...{ layers, batch, capacity, axes, window, sinks },
      kv_heads: setup.kvHeads,
      head_dim: setup.headDim,
      value_dim: setup.valueDim,
      turned: setup.store === 'turned' ? 1 : 0,
      renumber: setup.positions === 'slots' ? 1 : 0,
    });
    return engine.kernels.cacheMake(call, out);
  });
}

/** What writes the handle of a new cache to `out`; returns the module's status. */
type Make = (frame: Frame, out: number) => number;

/** A cache in the module's memory; see {@link KvCache}. Owns it until it is disposed. */
export class LayerCache implements KvCache {
  readonly layers: number;
  readonly batch: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly valueDim: number;
  readonly capacity: number;
  readonly store: 'turned' | 'raw';
  readonly bytes: number;
  readonly #engine: Engine;
  readonly #setup: CacheSetup;
  readonly #encodings: CacheEncodings;
  /** 0 when disposed. */
  #handle: number;

  constructor(engine: Engine, setup: CacheSetup, encodings: CacheEncodings, make: Make) {
    const { layers, batch, kvHeads, headDim, valueDim, capacity, store } = setup;
    this.layers = layers;
    this.batch = batch;
    this.kvHeads = kvHeads;
    this.headDim = headDim;
    this.valueDim = valueDim;
    this.capacity = capacity;
    this.store = store;
    this.#engine = engine;
    this.#setup = setup;
    this.#encodings = encodings;
    this.bytes = 4 * layers * batch * capacity * (kvHeads * (headDim + valueDim) + setup.axes);
    const { kernels, memory } = engine;
    const handle = () =>
      this.#framed((frame) => {
        const out = frame.doubles([0], 'the cache');
        return make(frame, out) === 0 ? kernels.HEAPF64[out >>> 3]! : 0;
      });
    const free = (pointer: number) => kernels.cacheFree(pointer);
    this.#handle = memory.claim(handle, free, this.bytes, 'the cache');
    engine.memory.liveCaches += 1;
  }

  get disposed(): boolean {
    return this.#handle === 0;
  }

  /** What is inside a cache of this package; throws when it was disposed. */
  static inside(cache: KvCache): LiveCache {
    return (cache as LayerCache).#live();
  }

  attend<Output extends Data = Float32Array>(
    layer: number,
    inputs: CacheQueries<Output>,
  ): AttentionResult<NoInfer<Output>> {
    const cache = this.#live();
    const which = this.#layer(layer);
    const given = checkOptions(inputs, queryKeys, 'attend', 'inputs') as CacheQueries<Output>;
    this.#sequence(given.sequence);
    return attend(cache, which, given);
  }

  append(layer: number, tokens: CacheTokens): void {
    const cache = this.#live();
    const which = this.#layer(layer);
    const given = checkOptions(tokens, tokenKeys, 'append', 'tokens') as CacheTokens;
    this.#sequence(given.sequence);
    append(cache, which, given);
  }

  length(place?: CachePlace): number {
    const { engine, handle } = this.#live();
    return engine.kernels.cacheCount(handle, ...this.#place(place, 'length'));
  }

  next(place?: CachePlace): number {
    const { engine, handle } = this.#live();
    return engine.kernels.cacheNext(handle, ...this.#place(place, 'next'));
  }

  positions(place?: CachePlace): Int32Array {
    const { engine, handle } = this.#live();
    const where = this.#place(place, 'positions');
    const count = engine.kernels.cacheCount(handle, ...where) * this.#setup.axes;
    return this.#framed((frame) => {
      const pointer = frame.bytes(4 * count, 'the positions');
      engine.kernels.cachePositions(handle, ...where, pointer);
      return engine.kernels.HEAP32.slice(pointer >>> 2, (pointer >>> 2) + count);
    });
  }

  evict(slots: readonly number[] | Int32Array, part?: CachePart): void {
    const { engine, handle } = this.#live();
    const where = this.#part(part, 'evict');
    const shortest = Math.min(...this.#places(...where).map((place) => this.length(place)));
    const sorted = checkSlots(slots, shortest);
    this.#framed((frame) => {
      const pointer = frame.bytes(4 * sorted.length, 'slots');
      engine.kernels.HEAP32.set(sorted, pointer >>> 2);
      const { address, count } = this.#placeEncodings(frame);
      const taken = [pointer, sorted.length] as const;
      const status = engine.kernels.cacheEvict(handle, ...where, ...taken, address, count);
      engine.expectOk(status, 'evict');
    });
  }

  truncate(length: number, part?: CachePart): void {
    const { engine, handle } = this.#live();
    const count = integer(length, 'length', 0, this.capacity);
    const where = this.#part(part, 'truncate');
    const status = engine.kernels.cacheTruncate(handle, ...where, count);
    if (engine.statusName(status) === 'position') {
      const allowed =
        'a length behind which nothing is missing: the window evicted what comes before';
      throw wrong('range', 'length', length, allowed);
    }
    engine.expectOk(status, 'truncate');
  }

  shift(delta: number, options?: CacheShift): void {
    const { engine, handle } = this.#live();
    const by = integer(delta, 'delta', -2 * maxPosition, 2 * maxPosition);
    const given = checkOptions(options, [...placeKeys, 'from', 'to'], 'shift');
    const { from = -maxPosition, to = maxPosition + 1 } = given;
    integer(from, 'from', -maxPosition, maxPosition);
    integer(to, 'to', from, maxPosition + 1);
    const where = this.#checked(given, -1);
    this.#expectShiftable();
    this.#framed((frame) => {
      const { address, count } = this.#placeEncodings(frame);
      const status = engine.kernels.cacheShift(handle, ...where, from, to, by, address, count);
      if (engine.statusName(status) === 'position') {
        const { low, high } = this.#encodings.domain;
        const allowed = `a shift that keeps tokens at positions from ${low} to ${high}`;
        throw wrong('range', 'delta', delta, allowed);
      }
      engine.expectOk(status, 'shift');
    });
  }

  copySequence(from: number, to: number): void {
    const { engine, handle } = this.#live();
    const source = integer(from, 'from', 0, this.batch - 1);
    const target = integer(to, 'to', 0, this.batch - 1);
    engine.expectOk(engine.kernels.cacheCopySequence(handle, source, target), 'copySequence');
  }

  clear(options?: { sequence?: number }): void {
    const { engine, handle } = this.#live();
    const { sequence } = checkOptions(options, ['sequence'], 'clear');
    engine.expectOk(engine.kernels.cacheClear(handle, this.#sequence(sequence)), 'clear');
  }

  fork(): KvCache {
    const { engine, setup, encodings, handle } = this.#live();
    const clone = (_: Frame, out: number) => engine.kernels.cacheClone(handle, out);
    return new LayerCache(engine, setup, encodings, clone);
  }

  save(): Uint8Array {
    const { engine, setup, encodings, handle } = this.#live();
    return this.#framed((frame) => {
      const size = engine.kernels.cacheSize(handle);
      const pointer = frame.bytes(size, 'the saved cache');
      engine.kernels.cacheSave(handle, 0, pointer);
      const content = engine.kernels.HEAPU8.subarray(pointer, pointer + size);
      return pack(labelOf(setup, encodings), content);
    });
  }

  restore(bytes: Uint8Array): void {
    const { engine, setup, encodings, handle } = this.#live();
    const content = unpack(bytes, labelOf(setup, encodings));
    this.#framed((frame) => {
      const pointer = frame.bytes(content.length, 'bytes');
      engine.kernels.HEAPU8.set(content, pointer);
      const status = engine.kernels.cacheRestore(handle, 0, pointer, content.length);
      if (engine.statusName(status) === 'capacity') {
        const allowed = `a cache of a capacity of at most the slots here, ${this.capacity}`;
        throw wrong('capacity', 'bytes', bytes, allowed);
      }
      if (status !== 0) throw notSaved(bytes);
    });
  }

  dispose(): void {
    if (this.#handle === 0) return;
    this.#engine.kernels.cacheFree(this.#handle);
    this.#handle = 0;
    this.#engine.memory.liveCaches -= 1;
  }

  /** What `using` calls. In engines without it this is a method of no consequence called `undefined`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  #live(): LiveCache {
    if (this.#handle === 0) {
      throw new PosencError('disposed', 'the cache was disposed, needs a live cache', {
        argument: 'the cache',
        received: 'a disposed cache',
        allowed: 'a live cache',
      });
    }
    const [engine, setup, encodings] = [this.#engine, this.#setup, this.#encodings];
    return { engine, setup, encodings, handle: this.#handle };
  }

  #framed<T>(use: (frame: Frame) => T): T {
    const frame = new Frame(this.#engine.memory);
    try {
      return use(frame);
    } finally {
      frame.release();
    }
  }

  /** Writes what turns keys that move. */
  #placeEncodings(frame: Frame): { address: number; count: number } {
    const placed = placeTerms(frame, this.#encodings.any);
    return { address: placeAddresses(frame, placed), count: placed.length };
  }

  #layer(layer: unknown): number {
    return integer(layer, 'layer', 0, this.layers - 1);
  }

  /** Checks a sequence; −1 when none is named. */
  #sequence(sequence: unknown): number {
    return sequence === undefined ? -1 : integer(sequence, 'sequence', 0, this.batch - 1);
  }

  #place(place: CachePlace | undefined, owner: string): [layer: number, sequence: number] {
    return this.#checked(checkOptions(place, placeKeys, owner, 'place'), 0);
  }

  #part(part: CachePart | undefined, owner: string): [layer: number, sequence: number] {
    return this.#checked(checkOptions(part, placeKeys, owner, 'part'), -1);
  }

  /** A checked layer and sequence, each `otherwise` where it is not given. */
  #checked({ layer, sequence }: CachePlace, otherwise: number): [number, number] {
    return [
      layer === undefined ? otherwise : this.#layer(layer),
      sequence === undefined ? otherwise : this.#sequence(sequence),
    ];
  }

  /** Every layer of every sequence that is meant. */
  #places(layer: number, sequence: number): Required<CachePlace>[] {
    const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
    const layers = layer < 0 ? upTo(this.layers) : [layer];
    const sequences = sequence < 0 ? upTo(this.batch) : [sequence];
    return layers.flatMap((layer) => sequences.map((sequence) => ({ layer, sequence })));
  }

  /** Throws where a token at another position is not what the cache could make of it. */
  #expectShiftable(): void {
    const { positions, axes } = this.#setup;
    const { absolute } = this.#encodings;
    const refuse = (received: string, why: string) =>
      new PosencError('unsupported', `shift is not defined here: ${why}`, {
        argument: 'shift',
        received,
        allowed: 'positions of one axis that only their distances matter of',
      });
    if (positions === 'slots') throw refuse('"slots"', 'positions of the cache are its slots');
    if (axes > 1) throw refuse(`${axes} axes`, `positions have ${axes} axes`);
    if (absolute === undefined) return;
    const { argument, encoding } = absolute;
    const why = `${argument} (${encoding.name}) depends on more than distances`;
    throw refuse(encoding.name, why);
  }
}

/** Checks slots; returns them in ascending order, each once. */
function checkSlots(slots: unknown, length: number): number[] {
  const isTyped = typedArrayName(slots) === 'Int32Array';
  if (!Array.isArray(slots) && !isTyped) {
    throw wrong('argument', 'slots', slots, 'an array of integers or an Int32Array');
  }
  if (isTyped) checkAttached((slots as Int32Array).buffer, 'slots');
  const checked = Array.from(slots as ArrayLike<unknown>, (slot, i) => {
    if (length > 0) return integer(slot, `slots[${i}]`, 0, length - 1);
    throw wrong('range', `slots[${i}]`, slot, 'no slots, since none is taken');
  });
  return [...new Set(checked)].sort((a, b) => a - b);
}

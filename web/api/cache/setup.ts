import { product, size } from '../array.js';
import { checkOptions, choice, integer, wrong } from '../check.js';
import type { Engine } from '../engine.js';
import { PosencError } from '../error.js';
import { maxDistance, maxReach } from '../mask.js';
import { countAxes } from '../place-positions.js';
import { CacheEncodings } from './encodings.js';
import type { KvCacheOptions } from './types.js';

const optionKeys = [
  ...['layers', 'batch', 'kvHeads', 'headDim', 'valueDim', 'capacity', 'axes'],
  ...['encoding', 'window', 'sinks', 'positions', 'store'],
];
const keyNames = ['layers', 'batch', 'kvHeads', 'capacity', 'headDim'];
const valueNames = ['layers', 'batch', 'kvHeads', 'capacity', 'valueDim'];

/** The checked sizes and rules of a cache. */
export interface CacheSetup {
  readonly layers: number;
  readonly batch: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly valueDim: number;
  readonly capacity: number;
  readonly axes: number;
  /** 0 = none. */
  readonly window: number;
  readonly sinks: number;
  readonly positions: 'absolute' | 'slots';
  readonly store: 'turned' | 'raw';
}

/** Checks the options of `kvCache`. */
export function checkSetup(engine: Engine, options: KvCacheOptions) {
  const given = checkOptions(options, optionKeys, 'kvCache') as KvCacheOptions;
  const headDim = size(given.headDim, 'headDim');
  const { layers = 1, batch = 1, valueDim = headDim, sinks = 0 } = given;
  const sizes = {
    layers: size(layers, 'layers'),
    batch: size(batch, 'batch'),
    kvHeads: size(given.kvHeads, 'kvHeads'),
    headDim,
    valueDim: size(valueDim, 'valueDim'),
    capacity: size(given.capacity, 'capacity'),
  };
  const rows = [sizes.layers, sizes.batch, sizes.kvHeads, sizes.capacity];
  product([...rows, headDim], keyNames, 'the keys of the cache');
  product([...rows, sizes.valueDim], valueNames, 'the values of the cache');
  const encodings = new CacheEncodings(engine, given.encoding, sizes);
  const positions = choice(given.positions, 'positions', ['absolute', 'slots']);
  const axes = countAxes(given.axes, encodings.domain);
  if (positions === 'slots') checkSlots(axes, encodings);
  const setup: CacheSetup = {
    ...sizes,
    axes,
    window: given.window === undefined ? 0 : integer(given.window, 'window', 1, maxDistance),
    sinks: integer(sinks, 'sinks', 0, maxReach),
    positions,
    store: checkStore(given.store, positions, encodings),
  };
  const kept = setup.window + setup.sinks;
  if (kept > setup.capacity) {
    throw wrong('range', 'capacity', setup.capacity, `at least window + sinks = ${kept}`);
  }
  return { setup: Object.freeze(setup), encodings };
}

/** Positions inside the cache change as tokens go, which not all encodings survive. */
function checkSlots(axes: number, { absolute }: CacheEncodings): void {
  if (axes > 1) {
    throw wrong('unsupported', 'positions', 'slots', `"absolute", since they have ${axes} axes`);
  }
  if (absolute === undefined) return;
  const why = `${absolute.argument} (${absolute.encoding.name}) depends on more than distances`;
  throw wrong('unsupported', 'positions', 'slots', `"absolute", since ${why}`);
}

/** How keys wait: as asked for, where it can be right. */
function checkStore(
  given: unknown,
  positions: CacheSetup['positions'],
  encodings: CacheEncodings,
): CacheSetup['store'] {
  const store = choice(given, 'store', ['auto', 'turned', 'raw']);
  const obstacle = whyRaw(positions, encodings);
  if (store !== 'turned') return store === 'raw' || obstacle !== undefined ? 'raw' : 'turned';
  if (obstacle === undefined) return 'turned';
  throw new PosencError('unsupported', `store is "turned", needs "raw": ${obstacle}`, {
    argument: 'store',
    received: '"turned"',
    allowed: '"raw" or "auto"',
  });
}

/** Why keys cannot wait turned, if they cannot. */
function whyRaw(
  positions: CacheSetup['positions'],
  { rotation, keepsTurned, followedFrom }: CacheEncodings,
): string | undefined {
  if (rotation === undefined) return 'no encoding turns keys';
  const name = `${rotation.argument} (${rotation.encoding.name})`;
  if (positions === 'slots') return 'positions "slots" change while keys wait';
  if (followedFrom !== undefined) {
    return `${name} turns by a table that changes beyond a length of ${followedFrom} (fix it by the option length)`;
  }
  return keepsTurned ? undefined : `${name} does more than turning pairs of a key by its position`;
}

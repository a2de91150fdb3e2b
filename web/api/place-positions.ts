import { checkAttached, size, typedArrayName } from './array.js';
import { integer, wrong } from './check.js';
import type { Domain } from './domain.js';
import { PosencError } from './error.js';
import type { Frame } from './frame.js';
import { maxPosition } from './positions/limits.js';
import type { Positions } from './types.js';

const positionsAllowed = 'an integer, an array of integers or an Int32Array';

/** Most coordinates of a position. */
const maxAxes = 64;

/** Coordinates per position: what was asked for, which must do for the encodings, else what they read. */
export function countAxes(given: unknown, { axes, oneForAll }: Domain): number {
  if (given === undefined) return axes;
  return oneForAll && given === 1 ? 1 : integer(given, 'axes', axes, maxAxes);
}

/** Positions in the module's memory: int32, one per token or one per (batch, token), axes fastest. */
export interface PlacedPositions {
  readonly pointer: number;
  /** 1 when every batch has its own row, else 0. */
  readonly perBatch: 0 | 1;
}

/**
 * How many tokens `positions` stand for: `count` when it is given, else the length of the list, else
 * `otherwise`.
 */
export function countTokens(
  positions: unknown,
  count: unknown,
  argument: string,
  countArgument: string,
  axes: number,
  otherwise?: number,
): number {
  if (count !== undefined) return size(count, countArgument);
  if (typeof positions !== 'number' && positions !== undefined) {
    const { length } = checkList(positions, argument);
    if (length === 0) throw wrong('shape', argument, positions, 'at least one position');
    if (length % axes === 0) return length / axes;
    throw wrong('shape', argument, positions, `a multiple of axes = ${axes} numbers`);
  }
  if (otherwise !== undefined) return otherwise;
  const allowed = `the number of tokens, since ${argument} does not list them`;
  throw wrong('argument', countArgument, undefined, allowed);
}

/**
 * How many positions there are: `tokens`, or `batch` rows of as many, of `axes` coordinates each; and
 * which of them the encodings know.
 */
export interface Extent {
  readonly batch: number;
  readonly tokens: number;
  readonly axes: number;
  readonly domain: Domain;
}

/** Writes positions into the module's memory. */
export function placePositions(
  frame: Frame,
  positions: Positions,
  extent: Extent,
  argument: string,
): PlacedPositions {
  const { batch, tokens, axes, domain } = extent;
  if (typeof positions === 'number') {
    const first = firstOf(positions, extent, argument);
    return placeRange(frame, first, extent, argument);
  }
  const { length } = checkList(positions, argument);
  const perBatch = batch > 1 && length === batch * tokens * axes;
  if (!perBatch && length !== tokens * axes) throw wrongCount(argument, length, extent);
  const pointer = frame.bytes(4 * length, argument);
  const start = pointer >>> 2;
  const { kernels } = frame.memory;
  // A typed array is checked as copied: another thread may write to a shared buffer meanwhile.
  const typed = !Array.isArray(positions);
  if (typed) kernels.HEAP32.set(positions, start);
  for (let i = 0; i < length; i++) {
    const position: unknown = typed ? kernels.HEAP32[start + i] : positions[i];
    const read = i % axes < domain.axes;
    const low = read ? domain.low : -maxPosition;
    const high = read ? domain.high : maxPosition;
    kernels.HEAP32[start + i] = isBetween(position, low, high)
      ? position
      : integer(position, `${argument}[${i}]`, low, high);
  }
  return { pointer, perBatch: perBatch ? 1 : 0 };
}

const isBetween = (value: unknown, low: number, high: number): value is number =>
  Number.isInteger(value) && (value as number) >= low && (value as number) <= high;

/** Checks a first position: all that follow it must be known. */
function firstOf(first: number, { tokens, domain }: Extent, argument: string): number {
  const { low, high } = domain;
  const known = high - low + 1;
  if (tokens <= known) return integer(first, argument, low, high - tokens + 1);
  const allowed = `at most ${known} tokens, since the encoding knows positions ${low} to ${high}`;
  throw new PosencError('range', `${argument} stands for ${tokens} tokens, needs ${allowed}`, {
    argument,
    received: `${tokens} tokens`,
    allowed,
  });
}

/** What tells the positions of queries and keys. */
export interface Sides {
  readonly batch: number;
  readonly queries: number;
  readonly keys: number;
  readonly axes: number;
  readonly domain: Domain;
  readonly queryPositions: Positions | undefined;
  readonly keyPositions: Positions | undefined;
}

/**
 * Writes the positions of queries and keys. Keys stand at 0, 1, 2 … by default; queries are by
 * default the last of the keys.
 */
export function placeSides(
  frame: Frame,
  sides: Sides,
): { query: PlacedPositions; key: PlacedPositions } {
  const { batch, queries, keys, axes, domain, queryPositions, keyPositions = 0 } = sides;
  const extent = { batch, axes, domain };
  const key = placePositions(frame, keyPositions, { ...extent, tokens: keys }, 'keyPositions');
  if (queryPositions === undefined && keys === 0) {
    return { query: placeAnywhere(frame, sides), key };
  }
  if (queryPositions === undefined && typeof keyPositions !== 'number') {
    return { query: lastOf(frame, key, sides), key };
  }
  const positions =
    queryPositions === undefined ? (keyPositions as number) + keys - queries : queryPositions;
  const query = placePositions(frame, positions, { ...extent, tokens: queries }, 'queryPositions');
  return { query, key };
}

/** Queries at a position that all encodings know: without keys it makes no difference which. */
function placeAnywhere(frame: Frame, { queries, axes, domain }: Sides): PlacedPositions {
  const pointer = frame.bytes(4 * queries * axes, 'queryPositions');
  const start = pointer >>> 2;
  frame.memory.kernels.HEAP32.fill(domain.low, start, start + queries * axes);
  return { pointer, perBatch: 0 };
}

/** The last `queries` positions of each row of keys. */
function lastOf(frame: Frame, key: PlacedPositions, sides: Sides): PlacedPositions {
  const { batch, queries, keys, axes } = sides;
  if (queries > keys) {
    const allowed = `positions, since there are more queries (${queries}) than keyPositions (${keys})`;
    throw wrong('argument', 'queryPositions', undefined, allowed);
  }
  const skipped = axes * (keys - queries);
  if (key.perBatch === 0) return { pointer: key.pointer + 4 * skipped, perBatch: 0 };
  const kept = axes * queries;
  const pointer = frame.bytes(4 * batch * kept, 'queryPositions');
  const { HEAP32 } = frame.memory.kernels;
  for (let row = 0; row < batch; row++) {
    const from = (key.pointer >>> 2) + row * axes * keys + skipped;
    HEAP32.copyWithin((pointer >>> 2) + row * kept, from, from + kept);
  }
  return { pointer, perBatch: 1 };
}

/** Writes `first`, `first + 1`, … on every axis. */
function placeRange(
  frame: Frame,
  first: number,
  { tokens, axes }: Extent,
  argument: string,
): PlacedPositions {
  const pointer = frame.bytes(4 * tokens * axes, argument);
  const start = pointer >>> 2;
  const { HEAP32 } = frame.memory.kernels;
  for (let token = 0, at = start; token < tokens; token++) {
    for (let axis = 0; axis < axes; axis++) HEAP32[at++] = first + token;
  }
  return { pointer, perBatch: 0 };
}

/** Checks that `positions` is a list of one kind or the other. */
function checkList(positions: unknown, argument: string): readonly number[] | Int32Array {
  const kind = typedArrayName(positions);
  if (!Array.isArray(positions) && kind !== 'Int32Array') {
    const convert = kind?.startsWith('Big') ? `${argument}, Number` : argument;
    const hint = kind?.endsWith('Array') ? `: Int32Array.from(${convert})` : '';
    throw wrong('argument', argument, positions, positionsAllowed + hint);
  }
  const values = positions as readonly number[] | Int32Array;
  if (!Array.isArray(values)) checkAttached((values as Int32Array).buffer, argument);
  return values;
}

function wrongCount(argument: string, length: number, extent: Extent): PosencError {
  const { batch, tokens, axes } = extent;
  const one =
    axes > 1
      ? `one per (token, axis) = ${tokens}·${axes} = ${tokens * axes}`
      : `one per token = ${tokens}`;
  const names = axes > 1 ? '(batch, token, axis)' : '(batch, token)';
  const factors = axes > 1 ? `${batch}·${tokens}·${axes}` : `${batch}·${tokens}`;
  const each = batch > 1 ? `, or per ${names} = ${factors} = ${batch * tokens * axes}` : '';
  const allowed = one + each;
  return new PosencError('shape', `${argument} has ${length} numbers, needs ${allowed}`, {
    argument,
    received: `${length} numbers`,
    allowed,
  });
}

import { checkAttached, size, typedArrayName } from './array.js';
import { integer, wrong } from './check.js';
import { PosencError } from './error.js';
import type { Frame } from './frame.js';
import type { Positions } from './types.js';

/** Positions reach from −2^30 to 2^30, so that the difference of two fits 32 bits. */
const maxPosition = 2 ** 30;

const isPosition = (value: unknown): value is number =>
  Number.isInteger(value) && Math.abs(value as number) <= maxPosition;

const positionsAllowed = 'an integer, an array of integers or an Int32Array';

/** Positions in the module's memory: int32, one per token or one per (batch, token). */
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
  otherwise?: number,
): number {
  if (count !== undefined) return size(count, countArgument);
  if (typeof positions !== 'number' && positions !== undefined) {
    return checkList(positions, argument).length;
  }
  if (otherwise !== undefined) return otherwise;
  const allowed = `the number of tokens, since ${argument} does not list them`;
  throw wrong('argument', countArgument, undefined, allowed);
}

/** Writes positions into the module's memory: `tokens`, or `batch` rows of as many. */
export function placePositions(
  frame: Frame,
  positions: Positions,
  tokens: number,
  batch: number,
  argument: string,
): PlacedPositions {
  if (typeof positions === 'number') {
    const first = integer(positions, argument, -maxPosition, maxPosition - tokens + 1);
    return placeRange(frame, first, tokens, argument);
  }
  const { length } = checkList(positions, argument);
  const perBatch = batch > 1 && length === batch * tokens;
  if (!perBatch && length !== tokens) throw wrongCount(argument, length, tokens, batch);
  const pointer = frame.bytes(4 * length, argument);
  const start = pointer >>> 2;
  const { kernels } = frame.memory;
  // A typed array is checked as copied: another thread may write to a shared buffer meanwhile.
  const typed = !Array.isArray(positions);
  if (typed) kernels.HEAP32.set(positions, start);
  for (let i = 0; i < length; i++) {
    const position: unknown = typed ? kernels.HEAP32[start + i] : positions[i];
    kernels.HEAP32[start + i] = isPosition(position)
      ? position
      : integer(position, `${argument}[${i}]`, -maxPosition, maxPosition);
  }
  return { pointer, perBatch: perBatch ? 1 : 0 };
}

/** What tells the positions of queries and keys. */
export interface Sides {
  readonly batch: number;
  readonly queries: number;
  readonly keys: number;
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
  const { batch, queries, keys, queryPositions, keyPositions = 0 } = sides;
  const key = placePositions(frame, keyPositions, keys, batch, 'keyPositions');
  if (queryPositions !== undefined) {
    return { query: placePositions(frame, queryPositions, queries, batch, 'queryPositions'), key };
  }
  if (typeof keyPositions === 'number') {
    const first = keyPositions + keys - queries;
    return { query: placePositions(frame, first, queries, batch, 'queryPositions'), key };
  }
  return { query: lastOf(frame, key, sides), key };
}

/** The last `queries` positions of each row of keys. */
function lastOf(frame: Frame, key: PlacedPositions, sides: Sides): PlacedPositions {
  const { batch, queries, keys } = sides;
  if (queries > keys) {
    const allowed = `positions, since there are more queries (${queries}) than keyPositions (${keys})`;
    throw wrong('argument', 'queryPositions', undefined, allowed);
  }
  const skipped = keys - queries;
  if (key.perBatch === 0) return { pointer: key.pointer + 4 * skipped, perBatch: 0 };
  const pointer = frame.bytes(4 * batch * queries, 'queryPositions');
  const { HEAP32 } = frame.memory.kernels;
  for (let row = 0; row < batch; row++) {
    const from = (key.pointer >>> 2) + row * keys + skipped;
    HEAP32.copyWithin((pointer >>> 2) + row * queries, from, from + queries);
  }
  return { pointer, perBatch: 1 };
}

/** Writes `first`, `first + 1`, … */
function placeRange(
  frame: Frame,
  first: number,
  tokens: number,
  argument: string,
): PlacedPositions {
  const pointer = frame.bytes(4 * tokens, argument);
  const start = pointer >>> 2;
  const { HEAP32 } = frame.memory.kernels;
  for (let i = 0; i < tokens; i++) HEAP32[start + i] = first + i;
  return { pointer, perBatch: 0 };
}

/** Checks that `positions` is a list of one kind or the other, and not empty. */
function checkList(positions: unknown, argument: string): readonly number[] | Int32Array {
  const kind = typedArrayName(positions);
  if (!Array.isArray(positions) && kind !== 'Int32Array') {
    const convert = kind?.startsWith('Big') ? `${argument}, Number` : argument;
    const hint = kind?.endsWith('Array') ? `: Int32Array.from(${convert})` : '';
    throw wrong('argument', argument, positions, positionsAllowed + hint);
  }
  const values = positions as readonly number[] | Int32Array;
  if (!Array.isArray(values)) checkAttached((values as Int32Array).buffer, argument);
  if (values.length === 0) throw wrong('shape', argument, positions, 'at least one position');
  return values;
}

function wrongCount(argument: string, length: number, tokens: number, batch: number): PosencError {
  const each = batch > 1 ? `, or per (batch, token) = ${batch}·${tokens} = ${batch * tokens}` : '';
  const allowed = `one per token = ${tokens}${each}`;
  return new PosencError('shape', `${argument} has ${length} numbers, needs ${allowed}`, {
    argument,
    received: `${length} numbers`,
    allowed,
  });
}

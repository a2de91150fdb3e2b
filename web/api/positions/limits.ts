import { checkAttached, size, typedArrayName } from '../array.js';
import { integer, wrong } from '../check.js';

/** Positions reach from −2^30 to 2^30, so that the difference of two fits 32 bits. */
export const maxPosition = 2 ** 30;

/** Most tokens of a list that these functions make. */
const maxTokens = 2 ** 23;

/** Checks how many tokens a list is for: 1 … 2^23. */
export const tokenCount = (value: unknown, argument: string): number =>
  integer(value, argument, 1, maxTokens);

/** Checks a part of such a count, which may be 0. */
export const partCount = (value: unknown, argument: string): number =>
  integer(value, argument, 0, maxTokens);

/** Checks a first position from which `tokens` follow. */
export const firstPosition = (value: unknown, argument: string, tokens: number): number =>
  integer(value, argument, -maxPosition, maxPosition - tokens + 1);

/** Checks a list of marks, one per token: true or 1, false or 0. Returns them as booleans. */
export function marks(value: unknown, argument: string): boolean[] {
  if (!Array.isArray(value) && typedArrayName(value) !== 'Uint8Array') {
    throw wrong('argument', argument, value, 'an array of booleans or a Uint8Array');
  }
  if (!Array.isArray(value)) checkAttached((value as Uint8Array).buffer, argument);
  const list = value as ArrayLike<unknown>;
  if (list.length === 0) throw wrong('shape', argument, value, 'at least one value');
  return Array.from({ length: list.length }, (_, i) => {
    const mark = list[i];
    if (mark === true || mark === 1) return true;
    if (mark === false || mark === 0) return false;
    throw wrong('range', `${argument}[${i}]`, mark, 'true or 1, false or 0');
  });
}

/** How many tokens a row has when `length` values stand in `batch` rows. */
export function rowLength(length: number, batch: unknown, argument: string): number {
  const rows = size(batch, 'batch');
  if (length % rows === 0) return length / rows;
  throw wrong('shape', 'batch', batch, `a divisor of the ${length} values of ${argument}`);
}

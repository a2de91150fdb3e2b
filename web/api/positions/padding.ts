import { checkOptions, integer, wrong } from '../check.js';
import { firstPosition, marks, maxPosition, partCount, rowLength, tokenCount } from './limits.js';

/** Options of {@link positionsFromMask}. */
export interface MaskOptions {
  /** Rows of the mask. Default 1. */
  batch?: number;
  /** Position of the first real token of a row. Default 0; OPT starts at 2, RoBERTa at padding_idx + 1. */
  start?: number;
  /** Where padding stands. Default `start`; RoBERTa's is padding_idx. Attention must mask it anyway. */
  paddingPosition?: number;
}

/** What {@link positionsFromMask} returns. */
export interface MaskedPositions {
  /** `[batch, tokens]` */
  readonly positions: Int32Array;
  /** `[batch]`: where the next token of each row stands, which differs by row. */
  readonly next: Int32Array;
}

/**
 * Positions under padding, on the left, on the right or in between: real tokens count up, padding does
 * not count. `mask` is `[batch, tokens]`, true or 1 = real, false or 0 = padding.
 *
 * A row with padding then gives the same numbers as without, for absolute encodings too; and decoding
 * goes on at `next`, not at the number of columns.
 */
export function positionsFromMask(
  mask: readonly boolean[] | readonly number[] | Uint8Array,
  options?: MaskOptions,
): MaskedPositions {
  const given = checkOptions(options, ['batch', 'start', 'paddingPosition'], 'positionsFromMask');
  const real = marks(mask, 'mask');
  const { batch = 1 } = given;
  const tokens = rowLength(real.length, batch, 'mask');
  const start = firstPosition(given.start ?? 0, 'start', tokens + 1);
  const { paddingPosition = start } = given;
  integer(paddingPosition, 'paddingPosition', -maxPosition, maxPosition);
  const next = new Int32Array(batch).fill(start);
  const positions = Int32Array.from(real, (isReal, i) =>
    isReal ? next[Math.floor(i / tokens)]!++ : paddingPosition,
  );
  return { positions, next };
}

/** What {@link packedPositions} returns. */
export interface PackedPositions {
  /** `[tokens]`: each document counts from 0. */
  readonly positions: Int32Array;
  /** `[tokens]`: which document a token belongs to; tokens of different ones must not see each other. */
  readonly segments: Int32Array;
}

/**
 * Positions of documents packed into one row, from their lengths (in all 1 … 2^23). Relative encodings
 * need no restart for correctness within a document, but keep positions in the trained range by it.
 */
export function packedPositions(lengths: readonly number[]): PackedPositions {
  const checked = list(lengths);
  const tokens = checked.reduce((sum, length) => sum + length, 0);
  tokenCount(tokens, 'the sum of lengths');
  const positions = new Int32Array(tokens);
  const segments = new Int32Array(tokens);
  let at = 0;
  for (const [segment, length] of checked.entries()) {
    segments.fill(segment, at, at + length);
    for (let i = 0; i < length; i++) positions[at++] = i;
  }
  return { positions, segments };
}

/** Checks the lengths. */
function list(lengths: unknown): number[] {
  if (!Array.isArray(lengths)) throw wrong('argument', 'lengths', lengths, 'an array of integers');
  return Array.from(lengths, (length: unknown, i) => partCount(length, `lengths[${i}]`));
}

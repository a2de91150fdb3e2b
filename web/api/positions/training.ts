import { checkOptions, integer } from '../check.js';
import { Draws } from './draw.js';
import { marks, maxPosition, rowLength, tokenCount } from './limits.js';

/** What all positions drawn for training take. */
export interface DrawOptions {
  /** Integer 0 … 2^53 − 1; the same seed gives the same positions everywhere. */
  seed: number;
  /** How many positions. 1 … 2^23 */
  tokens: number;
}

/** Options of {@link posePositions}. */
export interface PoseOptions extends DrawOptions {
  /** Length that the positions are to cover, `tokens` … 2^30. */
  target: number;
  /** Chunks, 1 … tokens. Default 2, as in the paper. */
  chunks?: number;
}

/**
 * Positions of PoSE (Zhu 2023, 2309.10400, section 3.2): the row is cut into chunks at random places, and
 * chunk i is moved on by a random skip u_i, uniform from u_{i−1} to target − tokens, the first by none. A
 * model fine-tuned on rows of `tokens` so meets all distances of a row of `target`.
 */
export function posePositions(options: PoseOptions): Int32Array {
  const given = checkOptions(options, ['seed', 'tokens', 'target', 'chunks'], 'posePositions');
  const tokens = tokenCount(given.tokens, 'tokens');
  const target = integer(given.target, 'target', tokens, maxPosition);
  const chunks = integer(given.chunks ?? 2, 'chunks', 1, tokens);
  const draws = new Draws(given.seed);
  const starts = draws.sample(chunks - 1, tokens - 1).map((cut) => cut + 1);
  const positions = new Int32Array(tokens);
  let [skip, chunk] = [0, 0];
  for (let i = 0; i < tokens; i++) {
    if (i === starts[chunk]) {
      skip = draws.integer(skip, target - tokens);
      chunk += 1;
    }
    positions[i] = i + skip;
  }
  return positions;
}

/** Options of {@link randomizedPositions}. */
export interface RandomizedOptions extends DrawOptions {
  /** Positions are taken from 0 … length − 1; `tokens` … 2^30. */
  length: number;
}

/**
 * Randomised positions (Ruoss 2023, 2305.16843, section 3): `tokens` different positions below `length`,
 * drawn without replacement and sorted, anew for every batch. The order is kept and distances are
 * varied, so that longer rows bring nothing new.
 */
export function randomizedPositions(options: RandomizedOptions): Int32Array {
  const given = checkOptions(options, ['seed', 'tokens', 'length'], 'randomizedPositions');
  const tokens = tokenCount(given.tokens, 'tokens');
  const length = integer(given.length, 'length', tokens, maxPosition);
  return new Draws(given.seed).sample(tokens, length);
}

/** Options of {@link shapePositions}. */
export interface ShapeOptions extends DrawOptions {
  /** Largest shift, 0 … 2^29. */
  maxShift: number;
}

/**
 * Positions of SHAPE (Kiyono 2021, 2109.05644, section 3): the whole row moves on by one shift, uniform
 * from 0 to `maxShift`, so that an absolute encoding learns to be indifferent to it.
 */
export function shapePositions(options: ShapeOptions): Int32Array {
  const given = checkOptions(options, ['seed', 'tokens', 'maxShift'], 'shapePositions');
  const tokens = tokenCount(given.tokens, 'tokens');
  const shift = new Draws(given.seed).integer(0, integer(given.maxShift, 'maxShift', 0, 2 ** 29));
  return Int32Array.from({ length: tokens }, (_, i) => i + shift);
}

/** Options of {@link abacusPositions}. */
export interface AbacusOptions {
  /** Rows of the list. Default 1. */
  batch?: number;
  /** In training all digits move on by one offset, uniform from 0 to this. Default 0 (in use); the paper: 99. */
  maxOffset?: number;
  /** Integer 0 … 2^53 − 1. Default 0. */
  seed?: number;
}

/**
 * Positions of Abacus embeddings (McLeish 2024, 2405.17399, section 3.1), rows of a learned table (the
 * encoding `learned`, whose row 0 is that of everything else): digits count from 1 inside their number,
 * everything else is 0. `isDigit` is `[batch, tokens]`, true or 1 for digits. Numbers must be written
 * with the lowest digit first, so that equal positions mean equal powers of ten.
 */
export function abacusPositions(
  isDigit: readonly boolean[] | readonly number[] | Uint8Array,
  options?: AbacusOptions,
): Int32Array {
  const given = checkOptions(options, ['batch', 'maxOffset', 'seed'], 'abacusPositions');
  const digits = marks(isDigit, 'isDigit');
  const tokens = rowLength(digits.length, given.batch ?? 1, 'isDigit');
  const maxOffset = integer(given.maxOffset ?? 0, 'maxOffset', 0, 2 ** 29);
  const offset = new Draws(given.seed ?? 0).integer(0, maxOffset);
  let inNumber = 0;
  return Int32Array.from(digits, (isDigitHere, i) => {
    if (i % tokens === 0 || !isDigitHere) inNumber = 0;
    return isDigitHere ? ++inNumber + offset : 0;
  });
}

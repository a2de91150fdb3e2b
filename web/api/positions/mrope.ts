import { size } from '../array.js';
import { checkOptions, wrong } from '../check.js';
import { PosencError } from '../error.js';
import { maxPosition, partCount, tokenCount } from './limits.js';

/** Tokens of text, or a grid of patches: an image (one frame) or a video. */
export type MropePart =
  | {
      /** How many tokens, those around an image (vision start and end) included. 0 … 2^23 */
      readonly text: number;
    }
  | {
      /** Frames, rows and columns of patches, as in `image_grid_thw` and `video_grid_thw`. */
      readonly grid: readonly [frames: number, rows: number, columns: number];
      /**
       * Positions from one frame to the next, rounded down after multiplying. Default 1 (Qwen2-VL);
       * Qwen2.5-VL: tokens_per_second · seconds per frame. Any number from 0 to 2^30.
       */
      readonly timeStep?: number;
    };

/** Options of {@link mropePositions}. */
export interface MropeOptions {
  /** Rows and columns of patches that become one token (spatial_merge_size). 1 … 2^29. Default 2. */
  merge?: number;
  /** Padding tokens before the row. Default 0. */
  paddingBefore?: number;
  /** Padding tokens behind the row. Default 0. */
  paddingAfter?: number;
}

/** What {@link mropePositions} returns. */
export interface MropePositions {
  /** `[tokens, 3]`: time, row, column of each token, padding included (at 0, and to be masked). */
  readonly positions: Int32Array;
  /** How many tokens, padding included. */
  readonly tokens: number;
  /** Where the next token of text stands, on all three axes: one past the largest so far. */
  readonly next: number;
  /** `next − tokens`: what decoding adds to the index of a token in the cache (`rope_deltas`). */
  readonly ropeDelta: number;
}

/**
 * Positions of M-RoPE (Wang 2024, Qwen2-VL, 2409.12191, section 2.1) for a row of text, images and videos.
 * Text counts up on all three axes at once. A grid starts one past the largest position so far and has
 * (frame, row, column) added to that; what follows starts one past its largest position. For Qwen3-VL give
 * every frame as a grid of its own, with the text of its time stamp before it.
 */
export function mropePositions(
  parts: readonly MropePart[],
  options?: MropeOptions,
): MropePositions {
  const given = checkOptions(options, ['merge', 'paddingBefore', 'paddingAfter'], 'mropePositions');
  const merge = size(given.merge ?? 2, 'merge');
  const before = partCount(given.paddingBefore ?? 0, 'paddingBefore');
  const after = partCount(given.paddingAfter ?? 0, 'paddingAfter');
  if (!Array.isArray(parts)) throw wrong('argument', 'parts', parts, 'an array of parts');
  const checked = Array.from(parts, (part: unknown, i) => checkPart(part, `parts[${i}]`, merge));
  const tokens = checked.reduce((sum, { tokens }) => sum + tokens, before + after);
  tokenCount(tokens, 'the number of tokens');

  const positions = new Int32Array(3 * tokens);
  let next = 0;
  let at = 3 * before;
  for (const { frames, rows, columns, timeStep, isText } of checked) {
    const start = next;
    const put = (...coordinates: [time: number, row: number, column: number]): void => {
      for (const coordinate of coordinates) positions[at++] = start + coordinate;
      next = Math.max(next, start + Math.max(...coordinates) + 1);
    };
    for (let frame = 0; frame < frames; frame++) {
      const time = Math.floor(frame * timeStep);
      if (start + Math.max(time, rows, columns) > maxPosition) throw tooFar();
      for (let row = 0; row < rows; row++) {
        for (let column = 0; column < columns; column++) {
          if (isText) put(frame, frame, frame);
          else put(time, row, column);
        }
      }
    }
  }
  return { positions, tokens, next, ropeDelta: next - tokens };
}

/** A checked part; text is a column of frames. */
interface Grid {
  readonly isText: boolean;
  readonly frames: number;
  readonly rows: number;
  readonly columns: number;
  readonly timeStep: number;
  readonly tokens: number;
}

function checkPart(part: unknown, argument: string, merge: number): Grid {
  const allowed = '{ text } or { grid: [frames, rows, columns] }';
  if (typeof part !== 'object' || part === null || 'text' in part === 'grid' in part) {
    throw wrong('argument', argument, part, allowed);
  }
  if ('text' in part) {
    const { text } = checkOptions(part, ['text'], argument) as { text: unknown };
    const tokens = partCount(text, `${argument}.text`);
    return { isText: true, frames: tokens, rows: 1, columns: 1, timeStep: 1, tokens };
  }
  const { grid, timeStep = 1 } = checkOptions(part, ['grid', 'timeStep'], argument) as {
    grid: unknown;
    timeStep?: unknown;
  };
  if (!Array.isArray(grid) || grid.length !== 3) {
    throw wrong('shape', `${argument}.grid`, grid, 'an array [frames, rows, columns]');
  }
  const frames = size(grid[0], `${argument}.grid[0]`);
  const [rows, columns] = [1, 2].map((axis) => {
    const name = `${argument}.grid[${axis}]`;
    const patches = size(grid[axis], name);
    if (patches % merge !== 0)
      throw wrong('shape', name, patches, `a multiple of merge = ${merge}`);
    return patches / merge;
  }) as [number, number];
  const times = `a number from 0 to ${maxPosition}`;
  const step = `${argument}.timeStep`;
  if (typeof timeStep !== 'number') throw wrong('argument', step, timeStep, times);
  if (!(timeStep >= 0 && timeStep <= maxPosition)) throw wrong('range', step, timeStep, times);
  const tokens = tokenCount(frames * rows * columns, `the tokens of ${argument}`);
  return { isText: false, frames, rows, columns, timeStep, tokens };
}

const tooFar = (): PosencError =>
  new PosencError('range', `the parts reach a position beyond 2^30`, {
    argument: 'parts',
    allowed: 'positions up to 2^30',
  });

/** A head's attention as a picture: squares by depth, and sentences about them. */
import { color } from '../../../figures/frame-color.js';
import type { HeadView } from '../../small/protocol.js';

/** Depths of a square. */
const LEVELS = 14;

/** Squares of one depth. */
export interface Level {
  readonly d: string;
  readonly opacity: number;
}

/** Squares of `[tokens, tokens]` weights, `size` pixels each; those near 0 are left out. */
export function mapLevels(weights: ArrayLike<number>, tokens: number, size: number): Level[] {
  const paths = Array.from({ length: LEVELS + 1 }, () => '');
  for (let query = 0; query < tokens; query++) {
    for (let key = 0; key < tokens; key++) {
      // The square root lets small weights be seen.
      const level = Math.round(LEVELS * Math.sqrt(weights[query * tokens + key]!));
      if (level === 0) continue;
      const [x, y] = [pixel(key * size), pixel(query * size)];
      paths[level] += `M${x} ${y}h${pixel(size)}v${pixel(size)}h${-pixel(size)}z`;
    }
  }
  return paths.map((d, level) => ({ d, opacity: level / LEVELS })).filter(({ d }) => d !== '');
}

const pixel = (value: number): number => Math.round(100 * value) / 100;

/** The key that a query looks at most. */
export function strongest({ weights, pieces }: HeadView, query: number): number {
  const row = weights.subarray(query * pieces.length, (query + 1) * pieces.length);
  return row.reduce((best, weight, key) => (weight > row[best]! ? key : best), 0);
}

/** How far back a head looks on average, and how much its strongest look takes. */
export function habit(view: HeadView): { distance: number; share: number } {
  const tokens = view.pieces.length;
  let distance = 0;
  let share = 0;
  for (let query = 0; query < tokens; query++) {
    for (let key = 0; key < tokens; key++) {
      distance += view.weights[query * tokens + key]! * (query - key);
    }
    share += view.weights[query * tokens + strongest(view, query)]!;
  }
  return { distance: distance / tokens, share: share / tokens };
}

/** Tokens with names beside the diagonal: all that there is room for, evenly spread. */
export function labelled(tokens: number, size: number): number[] {
  const every = Math.max(1, Math.ceil(13 / size));
  return Array.from({ length: tokens }, (_, i) => i).filter((i) => i % every === 0);
}

/** Colours of the parts of a score. */
export const stageColors = {
  content: color.k,
  turned: color.accent,
  bias: color.series[4]!,
  logit: color.ink,
  weight: color.score,
} as const;

/** How a logit comes about, stage by stage: what the content says, and what position adds. */
import type { HeadView } from './protocol.js';

/** A query's logit to one key, in the order in which it is composed. */
export interface Stage {
  /** scale · q·k before anything is turned. */
  readonly content: number;
  /** What turning (or a content term) adds. */
  readonly turned: number;
  /** What bias (and softcap) add. */
  readonly bias: number;
  /** After the mask; −∞ = hidden. */
  readonly logit: number;
  readonly weight: number;
}

/** Stages of all keys of a query. */
export function stagesOf(view: HeadView, query: number): Stage[] {
  const tokens = view.pieces.length;
  return Array.from({ length: tokens }, (_, key) => {
    const at = query * tokens + key;
    const content = view.scale * dot(view.query, query, view.key, key, view.headDim);
    return {
      content,
      turned: view.scores[at]! - content,
      bias: view.biased[at]! - view.scores[at]!,
      logit: view.logits[at]!,
      weight: view.weights[at]!,
    };
  });
}

/** What a rotary pair gives to a score, before and after it is turned. */
export interface PairShare {
  readonly before: number;
  readonly after: number;
}

/** Shares of all rotary pairs, fastest first; empty where nothing turns. */
export function pairShares(view: HeadView, query: number, key: number): PairShare[] {
  const { pairs, headDim, scale } = view;
  if (pairs === null || view.turnedQuery.length !== view.query.length) return [];
  const half = pairs.rotaryDim / 2;
  return Array.from({ length: half }, (_, i) => {
    const [a, b] = pairs.layout === 'half' ? [i, i + half] : [2 * i, 2 * i + 1];
    const share = (q: Float32Array, k: Float32Array): number =>
      scale *
      (q[query * headDim + a]! * k[key * headDim + a]! +
        q[query * headDim + b]! * k[key * headDim + b]!);
    return {
      before: share(view.query, view.key),
      after: share(view.turnedQuery, view.turnedKey),
    };
  });
}

function dot(q: Float32Array, row: number, k: Float32Array, other: number, width: number): number {
  let sum = 0;
  for (let i = 0; i < width; i++) sum += q[row * width + i]! * k[other * width + i]!;
  return sum;
}

/** Mean of losses around each token, so that a curve can be followed. */
export function smoothed(losses: ArrayLike<number>, reach: number): Float64Array {
  return Float64Array.from({ length: losses.length }, (_, i) => {
    const first = Math.max(0, i - reach);
    const end = Math.min(losses.length, i + reach + 1);
    return meanOf(losses, first, end);
  });
}

/** Mean of losses from `first` to before `end`; NaN of none. */
export function meanOf(losses: ArrayLike<number>, first = 0, end = losses.length): number {
  let sum = 0;
  for (let i = first; i < end; i++) sum += losses[i]!;
  return sum / (end - first);
}

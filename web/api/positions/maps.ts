import { checkOptions, integer, wrong } from '../check.js';
import { maxPosition } from './limits.js';

/** A part of the score matrix: where a query and a key stand there. */
export interface PositionBand {
  /** Which part of the method this is, for labels: `near`, `far`, `intra` … */
  readonly name: string;
  /** Whether a query and a key, at their places in the text, belong to this part. */
  readonly holds: (query: number, key: number) => boolean;
  /** Where a query at this place of the text stands for these keys. */
  readonly query: (place: number) => number;
  /** Where a key at this place of the text stands for these queries. */
  readonly key: (place: number) => number;
}

/**
 * Positions that change with the distance, so that no query meets a key further away than in training.
 * Rotary encodings need one set of scores per band: turn queries and keys at the positions of the
 * band, and keep the scores for which it holds. Exactly one band holds for every query and key with
 * key ≤ query; bands are meant for causal attention.
 */
export interface PositionMap {
  /** The parts of the score matrix. */
  readonly bands: readonly PositionBand[];
  /** Distance that the model sees: position of the query minus position of the key, in their band. */
  readonly distance: (query: number, key: number) => number;
}

function positionMap(bands: readonly PositionBand[]): PositionMap {
  const distance = (query: number, key: number): number => {
    place(query, 'query');
    const band = bands.find(({ holds }) => holds(query, place(key, 'key', query)))!;
    return band.query(query) - band.key(key);
  };
  return Object.freeze({
    bands: Object.freeze(bands.map((band) => Object.freeze(band))),
    distance,
  });
}

/** Checks a place in the text; a key's is at most that of its query. */
const place = (value: unknown, argument: string, last = maxPosition): number =>
  integer(value, argument, 0, last);

const same = (place: number): number => place;

/** The bands of methods that leave near keys alone: distances below `window`, and the others. */
const nearAndFar = (window: number, far: Pick<PositionBand, 'query' | 'key'>) =>
  positionMap([
    { name: 'near', holds: (query, key) => query - key < window, query: same, key: same },
    { name: 'far', holds: (query, key) => query - key >= window, ...far },
  ]);

const windowOf = (value: unknown): number => integer(value, 'window', 1, maxPosition);

/** Options of {@link selfExtend}. */
export interface SelfExtendOptions {
  /** Distances below it stay as they are. 1 … 2^30 */
  window: number;
  /** How many neighbouring places share one position further away. 1 … 2^30 */
  group: number;
}

/**
 * Self-Extend (Jin 2024, 2401.01325, section 3.2), without training: distances d below `window` stay;
 * further away ⌊query/group⌋ − ⌊key/group⌋ + window − ⌊window/group⌋, an integer as every position.
 */
export function selfExtend(options: SelfExtendOptions): PositionMap {
  const given = checkOptions(options, ['window', 'group'], 'selfExtend');
  const window = windowOf(given.window);
  const group = integer(given.group, 'group', 1, maxPosition);
  const shift = window - Math.floor(window / group);
  return nearAndFar(window, {
    query: (place) => Math.floor(place / group) + shift,
    key: (place) => Math.floor(place / group),
  });
}

/** Options of {@link reRope}. */
export interface ReRopeOptions {
  /** Largest distance. 1 … 2^30 */
  window: number;
}

/** ReRoPE (Su 2023, kexue.fm/archives/9708), without training: the distance is min(d, window). */
export function reRope(options: ReRopeOptions): PositionMap {
  const { window } = checkOptions(options, ['window'], 'reRope');
  const most = windowOf(window);
  return nearAndFar(most, { query: () => most, key: () => 0 });
}

/** Options of {@link leakyReRope}. */
export interface LeakyReRopeOptions {
  /** Distances below it stay as they are. 1 … 2^30 */
  window: number;
  /** Beyond it, distances grow this many times slower; any finite number from 1. */
  factor: number;
}

/**
 * Leaky ReRoPE (Su 2023, kexue.fm/archives/9708), without training: distances d from `window` on become
 * window + (d − window)/factor. Positions of the far band are no integers: turn by `frequencies`
 * divided by `factor` at the places of the text instead, and queries once more by the fixed angle of
 * window − window/factor.
 */
export function leakyReRope(options: LeakyReRopeOptions): PositionMap {
  const given = checkOptions(options, ['window', 'factor'], 'leakyReRope');
  const window = windowOf(given.window);
  const { factor } = given;
  const allowed = 'a finite number from 1';
  if (typeof factor !== 'number') throw wrong('argument', 'factor', factor, allowed);
  if (!(factor >= 1 && factor < Infinity)) throw wrong('range', 'factor', factor, allowed);
  return nearAndFar(window, {
    query: (place) => place / factor + window - window / factor,
    key: (place) => place / factor,
  });
}

/** Options of {@link dualChunk}. */
export interface DualChunkOptions {
  /** Length s of a chunk, below the trained length c (the paper: ¾·c). 1 … 2^29 */
  chunk: number;
  /**
   * Largest position of a query, from `chunk` to 2·chunk − 1. The paper's is c − 1; ChunkLlama's
   * code has ¾·c, with chunks of ¾·c − c/16.
   */
  farthest: number;
}

/**
 * Dual chunk attention (An 2024, 2402.17463, section 3; Qwen2.5-1M), without training. A key at place n
 * stands at n mod s. A query at place m stands at m mod s for keys of its own chunk (`intra`), at
 * min(m mod s + s, farthest) for those of the chunk before (`successive`), which keeps the distances
 * of neighbours, and at `farthest` for all earlier ones (`inter`).
 */
export function dualChunk(options: DualChunkOptions): PositionMap {
  const given = checkOptions(options, ['chunk', 'farthest'], 'dualChunk');
  const chunk = integer(given.chunk, 'chunk', 1, maxPosition / 2);
  const farthest = integer(given.farthest, 'farthest', chunk, 2 * chunk - 1);
  const inside = (place: number): number => place % chunk;
  const apart = (query: number, key: number): number =>
    Math.floor(query / chunk) - Math.floor(key / chunk);
  return positionMap([
    { name: 'intra', holds: (q, k) => apart(q, k) === 0, query: inside, key: inside },
    {
      name: 'successive',
      holds: (q, k) => apart(q, k) === 1,
      query: (place) => Math.min(inside(place) + chunk, farthest),
      key: inside,
    },
    { name: 'inter', holds: (q, k) => apart(q, k) > 1, query: () => farthest, key: inside },
  ]);
}

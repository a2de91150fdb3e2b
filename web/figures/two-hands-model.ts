/** The numbers of “Two hands”: one pair of q and k, turned by the kernel at every position of the ruler. */
import type { Posenc } from 'posenc';

/** Positions 0 … 63 on the ruler. */
export const LAST_POSITION = 63;
/** Four pairs, so that base 10000 gives the frequencies 1, 0.1, 0.01, 0.001. */
export const HEAD_DIM = 8;
export const PAIRS = ['0', '1', '2', '3'] as const;

type Vector = readonly [number, number];

/** The content of the query: its direction before any turn. */
export const QUERY: Vector = [0.6, 0.8];
/** Three contents of the key; all vectors have length 1. */
export const KEYS = {
  alike: [0.8, 0.6],
  across: [-0.8, 0.6],
  opposite: [-0.8, -0.6],
} as const satisfies Record<string, Vector>;
export type KeyContent = keyof typeof KEYS;

/** One place of q and k on the ruler. */
export interface Placement {
  readonly m: number;
  readonly n: number;
  readonly query: Vector;
  readonly key: Vector;
  readonly score: number;
}

/** q and k turned by RoPE at every position, in one pair of a head. */
export interface Hands {
  /** Radians per position. */
  readonly frequency: number;
  /** q at position m and k at position n, with the score q·k. */
  at(m: number, n: number): Placement;
}

/** Turns q and k with the kernel: one call each for all positions. */
export function turnHands(posenc: Posenc, pair: number, content: KeyContent): Hands {
  const rope = posenc.encoding('rope', { headDim: HEAD_DIM });
  // Layout `half`: pair i is made of the dimensions i and i + headDim / 2.
  const [first, second] = [pair, pair + HEAD_DIM / 2];
  const tokens = LAST_POSITION + 1;
  const turn = (vector: Vector) => {
    const x = new Float32Array(tokens * HEAD_DIM);
    for (let t = 0; t < tokens; t++) {
      x[t * HEAD_DIM + first] = vector[0];
      x[t * HEAD_DIM + second] = vector[1];
    }
    return rope.rotate(x, { shape: [tokens, HEAD_DIM] });
  };
  const queries = turn(QUERY);
  const keys = turn(KEYS[content]);
  const row = (x: Float32Array, t: number): Vector => [
    x[t * HEAD_DIM + first]!,
    x[t * HEAD_DIM + second]!,
  ];
  return {
    frequency: rope.inverseFrequencies[pair]!,
    at(m, n) {
      const [query, key] = [row(queries, m), row(keys, n)];
      return { m, n, query, key, score: query[0] * key[0] + query[1] * key[1] };
    },
  };
}

/** Every place on the ruler where q and k stand `distance` = m − n apart, from left to right. */
export function placements(hands: Hands, distance: number): Placement[] {
  const found = [];
  for (let m = Math.max(0, distance); m <= Math.min(LAST_POSITION, LAST_POSITION + distance); m++)
    found.push(hands.at(m, m - distance));
  return found;
}

/** The largest difference between the scores of some placements. */
export function spread(places: readonly Placement[]): number {
  const scores = places.map(({ score }) => score);
  return Math.max(...scores) - Math.min(...scores);
}

/** Position maps against the distances that their papers state, written out. */
import { describe, expect, test } from 'vitest';
import { dualChunk, leakyReRope, reRope, selfExtend, type PositionMap } from 'posenc';
import { expectNear, numbers, posenc } from './posenc.js';
import { turn } from './reference.js';

/** Distances of query m and keys 0 … m, for m below `tokens`. */
const triangle = (tokens: number, distance: (query: number, key: number) => number) =>
  Array.from({ length: tokens }, (_, m) => Array.from({ length: m + 1 }, (_, n) => distance(m, n)));

const { floor, min } = Math;

const maps: [string, PositionMap, (m: number, n: number) => number][] = [
  [
    'Self-Extend: ⌊m/G⌋ − ⌊n/G⌋ + w − ⌊w/G⌋ from w on',
    selfExtend({ window: 5, group: 2 }),
    (m, n) => (m - n < 5 ? m - n : floor(m / 2) - floor(n / 2) + 5 - floor(5 / 2)),
  ],
  ['ReRoPE: min(d, w)', reRope({ window: 6 }), (m, n) => min(m - n, 6)],
  [
    'Leaky ReRoPE: w + (d − w)/k from w on',
    leakyReRope({ window: 6, factor: 4 }),
    (m, n) => (m - n < 6 ? m - n : 6 + (m - n - 6) / 4),
  ],
  [
    'DCA with s = 6, c = 10',
    dualChunk({ chunk: 6, farthest: 9 }),
    (m, n) => {
      const chunks = floor(m / 6) - floor(n / 6);
      if (chunks === 0) return m - n;
      return (chunks === 1 ? min((m % 6) + 6, 9) : 9) - (n % 6);
    },
  ],
];

describe.each(maps)('%s', (_, map, formula) => {
  test('gives the distances of the formula', () => {
    const expected = triangle(40, formula);
    triangle(40, map.distance).forEach((row, m) => {
      row.forEach((distance, n) => expect(distance).toBeCloseTo(expected[m]![n]!, 12));
    });
  });

  test('has exactly one band for each pair', () => {
    triangle(40, (m, n) => map.bands.filter(({ holds }) => holds(m, n)).length).forEach((row) => {
      expect(new Set(row)).toEqual(new Set([1]));
    });
  });

  test('keeps neighbours in place and no distance negative', () => {
    for (const [m, row] of triangle(40, map.distance).entries()) {
      expect(row.slice(-4)).toEqual([3, 2, 1, 0].slice(-Math.min(4, m + 1)));
      expect(Math.min(...row)).toBe(0);
    }
  });
});

// The figure of the paper for s = 6, c = 10, w = 4: P_k and P_q of 12 tokens.
test('DCA: the lists of the paper', () => {
  const { bands } = dualChunk({ chunk: 6, farthest: 9 });
  const places = Array.from({ length: 12 }, (_, i) => i);
  const repeated = [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5];
  for (const { key } of bands) expect(places.map(key)).toEqual(repeated);
  expect(bands.map(({ query }) => places.map(query))).toEqual([
    repeated,
    [6, 7, 8, 9, 9, 9, 6, 7, 8, 9, 9, 9],
    Array(12).fill(9),
  ]);
});

test('scores of the bands are rotations by the mapped distance', () => {
  const [tokens, headDim] = [12, 8];
  const x = numbers(tokens * headDim);
  const vector = (t: number) => x.subarray(t * headDim, (t + 1) * headDim);
  const rope = posenc.encoding('rope', { headDim });
  const map = selfExtend({ window: 4, group: 3 });
  const places = Array.from({ length: tokens }, (_, i) => i);
  const turned = map.bands.map((band) => ({
    ...band,
    q: rope.rotate(x, { shape: [tokens, headDim], positions: places.map(band.query) }),
    k: rope.rotate(x, { shape: [tokens, headDim], positions: places.map(band.key) }),
  }));
  for (const m of places) {
    for (const n of places.slice(0, m + 1)) {
      const { q, k } = turned.find(({ holds }) => holds(m, n))!;
      const score = Array.from(vector(0), (_, d) => q[m * headDim + d]! * k[n * headDim + d]!);
      const atDistance = turn(vector(m), map.distance(m, n));
      const expected = atDistance.reduce((sum, value, d) => sum + value * vector(n)[d]!, 0);
      expectNear([score.reduce((sum, value) => sum + value, 0)], [expected]);
    }
  }
});

/** Reports of others about ALiBi and T5 (numbers as in the shared list), as tests named after the symptom. */
import { describe, expect, it } from 'vitest';
import { errorOf, expectNear, numbers, posenc } from './posenc.js';

/** Slopes by head: minus the bias one position away. */
const slopesOf = (heads: number, options: object = {}): number[] =>
  Array.from(
    posenc
      .encoding('alibi', { heads, ...options })
      .bias({ queryPositions: [1], keyPositions: [0] }),
    (x) => -x,
  );

describe('slopes of ALiBi', () => {
  it('70: 12 heads had 2^(−8(h+1)/12), which starts at .63', () => {
    const between = [1, 3, 5, 7].map((i) => 2 ** (-i / 2));
    expectNear(slopesOf(12), [...slopesOf(8), ...between]);
    expect(slopesOf(12)[0]).toBe(0.5);
  });

  it('71: the exponent was off by one, so that the first of 8 heads had slope 1', () => {
    expect(slopesOf(8)).toEqual([
      0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625,
    ]);
  });

  it('73: MPT with 6 heads raised an error', () => {
    expect(slopesOf(6)).toEqual([0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]);
  });

  it.each([
    [1, [0.00390625]],
    [2, [0.0625, 0.00390625]],
    [3, [0.0625, 0.00390625, 0.25]],
  ])('70: %i heads', (heads, slopes) => expect(slopesOf(heads)).toEqual(slopes));

  it('77: heads without ALiBi were counted wrong: 5 of 8', () => {
    expect(slopesOf(8, { biasedHeads: 3 })).toEqual([0.0625, 0.00390625, 0.25, 0, 0, 0, 0, 0]);
  });
});

describe('rows of ALiBi', () => {
  const [heads, tokens, headDim] = [8, 6, 4];
  const [query, key, value] = [1, 2, 3].map((seed) => numbers(heads * tokens * headDim, seed));
  const shape = { heads, queries: tokens, headDim };
  const alibi = posenc.encoding('alibi', { heads });
  const attend = (options: object = {}) =>
    posenc.attention({
      ...{ query: query!, key: key!, value: value!, shape, causal: true, ...options },
      return: ['scores', 'capped', 'biased', 'weights'],
    });

  /** Softmax over the visible keys of logits given by row. */
  const weightsOf = (logit: (h: number, m: number, n: number) => number): number[] =>
    Array.from({ length: heads * tokens }, (_, row) => {
      const [h, m] = [Math.floor(row / tokens), row % tokens];
      const powers = Array.from({ length: tokens }, (_, n) =>
        n > m ? 0 : Math.exp(logit(h, m, n)),
      );
      const total = powers.reduce((sum, power) => sum + power, 0);
      return powers.map((power) => power / total);
    }).flat();

  it.each([{}, { softcap: 2 }])(
    '75: [−4 … 0] in every row is no bug: softmax takes it out (%o)',
    (options) => {
      const { capped, weights } = attend({ encoding: alibi, ...options });
      const slopes = slopesOf(heads);
      const at = (h: number, m: number, n: number) => capped![(h * tokens + m) * tokens + n]!;
      const keysOnly = weightsOf((h, m, n) => at(h, m, n) + slopes[h]! * (n - (tokens - 1)));
      expectNear(weights!, keysOnly);
    },
  );

  it('75: it is one where logits are capped after the bias, or not normalised', () => {
    const { scores, biased } = attend({ encoding: alibi });
    const slopes = slopesOf(heads);
    const at = (h: number, m: number, n: number) => scores![(h * tokens + m) * tokens + n]!;
    const cap = (x: number) => Math.tanh(x);
    const distances = weightsOf((h, m, n) => cap(at(h, m, n) - slopes[h]! * (m - n)));
    const keysOnly = weightsOf((h, m, n) => cap(at(h, m, n) + slopes[h]! * (n - (tokens - 1))));
    const most = distances.reduce((max, x, i) => Math.max(max, Math.abs(x - keysOnly[i]!)), 0);
    expect(most).toBeGreaterThan(1e-2);
    // The logit itself has the distance, not the place of the key.
    expectNear(
      biased!.map((x, i) => x - scores![i]!),
      alibi.bias({ queries: tokens }),
    );
  });

  it('76: a query one position off has other logits, and the same weights', () => {
    const places = (by: number) => ({
      keyPositions: 0,
      queryPositions: by + tokens,
      causal: false,
      encoding: alibi,
    });
    const [right, off] = [attend(places(0)), attend(places(1))];
    expectNear(off.weights!, right.weights!);
    expectNear(off.output, right.output);
    slopesOf(heads).forEach((slope, h) => {
      const first = h * tokens * tokens;
      expect(right.biased![first]! - off.biased![first]!).toBeCloseTo(slope, 5);
    });
  });

  it('78: causal slope·col, non-causal slope·|row − col|: one rule, the queries last', () => {
    const [queries, keys] = [2, 5];
    const bias = alibi.bias({ queries, keys });
    const expected = slopesOf(heads).flatMap((slope) =>
      Array.from({ length: queries * keys }, (_, at) => {
        const [i, j] = [Math.floor(at / keys), at % keys];
        return -slope * Math.abs(i + keys - queries - j);
      }),
    );
    expectNear(bias, expected);
    // Whether a call is causal does not change it.
    const inputs = { query: query!.subarray(0, heads * queries * headDim), encoding: alibi };
    const [key, value] = [numbers(heads * keys * headDim, 4), numbers(heads * keys * headDim, 5)];
    for (const causal of [false, true]) {
      const { scores, biased } = posenc.attention({
        ...{ ...inputs, key, value, causal, return: ['scores', 'biased'] },
        shape: { heads, queries, keys, headDim },
      });
      expectNear(
        biased!.map((x, i) => x - scores![i]!),
        expected,
      );
    }
  });
});

describe('T5', () => {
  const [heads, headDim, queries, keys] = [2, 4, 3, 7];
  const [query, key] = [numbers(heads * queries * headDim, 7), numbers(heads * keys * headDim, 8)];
  const shape = { heads, queries, keys, headDim };

  it('79: cross-attention had a bias: without the encoding logits are q·k alone', () => {
    const inputs = { query, key, value: key, shape, return: ['logits'] as const };
    const { logits } = posenc.attention({ ...inputs, scale: 1 });
    const products = Array.from({ length: heads * queries * keys }, (_, i) => {
      const [row, n] = [Math.floor(i / keys), i % keys];
      const h = Math.floor(row / queries);
      let sum = 0;
      for (let d = 0; d < headDim; d++)
        sum += query[row * headDim + d]! * key[(h * keys + n) * headDim + d]!;
      return sum;
    });
    expectNear(logits!, products);
    // A table of zeros says the same, and brings the scale of T5 with it.
    const zeros = posenc.encoding('t5', { heads, table: new Float32Array(32 * heads) });
    expectNear(posenc.attention({ ...inputs, encoding: zeros }).logits!, products);
  });

  it('79: attention weights were passed where the bias was expected', () => {
    const weights = new Float32Array(heads * queries * keys);
    const error = errorOf(() => posenc.encoding('t5', { heads, table: weights }));
    expect(error).toMatchObject({ code: 'shape', argument: 'table' });
  });

  it('35: the bias was dropped as soon as there was a cache: query 5 has buckets 5 … 0', () => {
    const own = Float32Array.from({ length: 32 }, (_, bucket) => bucket);
    const t5 = posenc.encoding('t5', { heads: 1, bidirectional: false, table: own });
    expect(Array.from(t5.bias({ queries: 1, keys: 6 }))).toEqual([5, 4, 3, 2, 1, 0]);
    const { scores, biased } = posenc.attention({
      ...{ query: numbers(4, 9), key: numbers(24, 10), value: numbers(24, 11), encoding: t5 },
      shape: { heads: 1, queries: 1, keys: 6, headDim: 4 },
      ...{ causal: true, return: ['scores', 'biased'] as const },
    });
    const added = Array.from(biased!, (x, i) => x - scores![i]!);
    expectNear(added, [5, 4, 3, 2, 1, 0]);
  });
});

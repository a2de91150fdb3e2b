/** Reports of others about offsets, shifts and lengths (numbers as in the shared list) that need no cache, as tests named after the symptom. */
import { describe, expect, it } from 'vitest';
import {
  mropePositions,
  streamingPositions,
  type Encoding,
  type EncodingName,
  type ScalingOptions,
} from 'posenc';
import { expectNear, numbers, posenc } from './posenc.js';
import { attention as reference, turn } from './reference.js';
import { headDim, samples, tokens } from './samples.js';

const make = (name: EncodingName, options: object = samples[name]) =>
  posenc.encoding(name as 'rope', options as never);
const rope = make('rope');

describe('offsets', () => {
  const turning = posenc.encodings.filter(({ hooks }) => hooks.includes('rotate'));
  const embedding = posenc.encodings.filter(({ hooks }) => hooks.includes('embed'));

  it.each(turning)('24: a table of the second offset was that of the first: $name', ({ name }) => {
    const encoding = make(name);
    const first = encoding.table(0, { tokens: 2 });
    const second = encoding.table(3, { tokens: 2 });
    expect(second).not.toEqual(first);
    // A fresh encoding says the same, in the other order.
    const fresh = make(name);
    expect(fresh.table(3, { tokens: 2 })).toEqual(second);
    expect(fresh.table(0, { tokens: 2 })).toEqual(first);
  });

  it.each(turning)('25: one token was turned as if at 0 instead of 5: $name', ({ name }) => {
    const encoding = make(name);
    const x = numbers(tokens * headDim);
    const all = encoding.rotate(x, { shape: [tokens, headDim] });
    const last = encoding.rotate(x.subarray(5 * headDim), { shape: [1, headDim], positions: 5 });
    expect(last).toEqual(all.slice((5 * all.length) / tokens));
  });

  it.each(embedding)('25: the row of token 5 is row 5: $name', ({ name }) => {
    const encoding = make(name);
    const all = encoding.embed(0, { tokens });
    expect(encoding.embed(5, { tokens: 1 })).toEqual(all.slice((5 * all.length) / tokens));
  });

  describe('26: every generated token stood at 0', () => {
    const keys = 103;
    const [query, key, value] = [1, 2, 3].map((seed) => numbers(keys * headDim, seed));
    const attend = (count: number, seen: number, places: object = {}) =>
      posenc.attention({
        ...{ query: query!.subarray((seen - count) * headDim, seen * headDim), encoding: rope },
        ...{ key: key!.subarray(0, seen * headDim), value: value!.subarray(0, seen * headDim) },
        shape: { heads: 1, queries: count, keys: seen, headDim },
        ...{ causal: true, ...places },
      }).output;
    const prefill = attend(keys, keys);

    it.each([100, 101, 102])('the one after %i tokens stands there', (cached) => {
      const row = prefill.subarray(cached * headDim, (cached + 1) * headDim);
      expectNear(attend(1, cached + 1), row);
      expectNear(attend(1, cached + 1, { queryPositions: cached }), row);
      const wrong = attend(1, cached + 1, { queryPositions: [0], causal: false });
      expect(Math.max(...wrong.map((x, i) => Math.abs(x - row[i]!)))).toBeGreaterThan(1e-3);
    });

    it('and after an image, at the largest position + 1 on all axes', () => {
      const { positions, tokens, next, ropeDelta } = mropePositions([
        { text: 90 },
        { grid: [1, 4, 10] },
      ]);
      expect([tokens, next, ropeDelta]).toEqual([100, 95, -5]);
      expect(Math.max(...positions) + 1).toBe(next);
    });
  });

  it('36: a chunk saw its own future once the cache was trimmed', () => {
    // A block of 8: of 8 past tokens, 5 stay beside a chunk of 3.
    const { weights } = posenc.attention({
      ...{ query: numbers(3 * headDim), key: numbers(8 * headDim), value: numbers(8 * headDim) },
      shape: { heads: 1, queries: 3, keys: 8, headDim },
      ...{ causal: true, encoding: rope, keyPositions: 3, return: ['weights'] },
    });
    const counts = [0, 8, 16].map(
      (at) => weights!.subarray(at, at + 8).filter((w) => w > 0).length,
    );
    expect(counts).toEqual([6, 7, 8]);
  });
});

describe('sinks', () => {
  it.each([
    ['28: kept keys were turned anew, the incoming one stayed at 10', [2, 3, 11], [0, 1, 8, 9, 10]],
    ['29: positions in the text instead of the cache', [4, 4, 10], [0, 1, 2, 3, 6, 7, 8, 9]],
  ])('%s', (_, [sinks = 0, recent = 0, count = 0], kept) => {
    const cache = streamingPositions({ sinks, recent, tokens: count });
    expect(Array.from(cache.kept)).toEqual(kept);
    expect(Array.from(cache.positions)).toEqual(kept.map((_, i) => i));
    // Keys are cached before they are turned; the query stands where the newest key does.
    const [text, query] = [numbers(count * headDim, 4), numbers(headDim, 5)];
    const key = Float32Array.from(
      kept.flatMap((t) => [...text.subarray(t * headDim).slice(0, headDim)]),
    );
    const shape = { heads: 1, queries: 1, keys: kept.length, headDim };
    const inputs = { query, key, value: key, shape, encoding: rope, causal: true };
    const { output } = posenc.attention({ ...inputs, keyPositions: cache.positions });
    const expected = reference({
      ...{ ...shape, batch: 1, kvHeads: 1, valueDim: headDim, query, key, value: key },
      ...{ queryPosition: () => kept.length - 1, keyPosition: (_, n) => n, rotate: turn },
    });
    expectNear(output, expected.output);
    const late = posenc.attention({ ...inputs, keyPositions: kept, queryPositions: [count - 1] });
    expect(Math.max(...late.output.map((x, i) => Math.abs(x - output[i]!)))).toBeGreaterThan(1e-3);
  });
});

describe('shifts of turned keys', () => {
  const partial = posenc.encoding('rope', { headDim: 80, rotaryDim: 32 });
  const key = numbers(80, 6);
  const at = (positions: number, x: Float32Array) =>
    partial.rotate(x, { shape: [1, 80], positions, side: 'key' });

  it('30: Phi-2 was shifted in all 80 dimensions instead of 32', () => {
    const shifted = at(-5, at(100, key));
    expect(shifted.subarray(32)).toEqual(key.subarray(32));
    const moved = at(95, key);
    shifted.forEach((x, i) => expect(Math.abs(x - moved[i]!)).toBeLessThan(1e-5));
  });

  it('31: 100 shifts by −1 drifted away from one by −100', () => {
    let drifting = at(4000, key);
    for (let i = 0; i < 100; i++) drifting = at(-1, drifting);
    const once = at(-100, at(4000, key));
    drifting.forEach((x, i) => expect(Math.abs(x - once[i]!)).toBeLessThan(1e-4));
  });
});

describe('rules that depend on the length', () => {
  const scaled = (scaling: ScalingOptions, length?: number) =>
    posenc.encoding('rope', {
      ...{ headDim: 128, scaling },
      ...(length !== undefined && { length }),
    });
  const dynamic = { type: 'dynamic', factor: 2, originalMaxPosition: 2048 } as const;
  const baseOf = (encoding: Encoding) => encoding.inverseFrequencies[1]! ** -64;

  it.each([
    ['47: dynamic NTK, cached keys had an older base', dynamic, 2049, 4096],
    [
      '57: LongRoPE, keys of both factor sets met',
      {
        ...{ type: 'longrope', originalMaxPosition: 64, factor: 4 },
        ...{ shortFactor: Array<number>(64).fill(1), longFactor: Array<number>(64).fill(4) },
      },
      64,
      65,
    ],
  ] as [string, ScalingOptions, number, number][])('%s', (_, scaling, before, length) => {
    const [query, key] = [numbers(length * 128, 7), numbers(length * 128, 8)];
    const attend = (key: Float32Array, count: number, encoding?: Encoding) =>
      posenc
        .attention({
          ...{ query: query.subarray((length - count) * 128), key, value: key, causal: true },
          ...(encoding && { encoding }),
          shape: { heads: 1, queries: count, keys: length, headDim: 128 },
        })
        .output.slice(-128);
    const now = scaled(scaling, length);
    const prefill = attend(key, 2, now);
    // Keys cached before they are turned, and turned by the rule of the length at hand.
    expectNear(attend(key, 1, now), prefill);
    // The report: keys up to `before` were turned by the table of that length.
    const old = scaled(scaling, before);
    expect(old.inverseFrequencies).not.toEqual(now.inverseFrequencies);
    const mixed = now.rotate(key, { shape: [length, 128], side: 'key' });
    const early = before * 128;
    mixed.set(old.rotate(key.subarray(0, early), { shape: [before, 128], side: 'key' }));
    const turned = now.rotate(query.subarray((length - 1) * 128), {
      ...{ shape: [1, 128], positions: length - 1 },
    });
    const wrong = posenc.attention({
      ...{ query: turned, key: mixed, value: key },
      shape: { heads: 1, queries: 1, keys: length, headDim: 128 },
    }).output;
    const most = wrong.reduce((max, x, i) => Math.max(max, Math.abs(x - prefill[i]!)), 0);
    expect(most).toBeGreaterThan(1e-3);
  });

  it('48: the base was not reset for a short text after a long one', () => {
    expect(baseOf(scaled(dynamic, 8192))).toBeCloseTo(72195.9, 1);
    expect(baseOf(scaled(dynamic, 100))).toBeCloseTo(10000, 6);
    scaled(dynamic, 100).inverseFrequencies.forEach((w, i) => {
      expect(w * 10000 ** (i / 64)).toBeCloseTo(1, 13);
    });
  });

  it('49: dynamic was static, and positions past its table were out of bounds', () => {
    expect(baseOf(scaled(dynamic, 2049))).toBeCloseTo(10009.9, 1);
    expect(baseOf(scaled(dynamic, 4096))).toBeCloseTo(30527.7, 1);
    const { cos } = scaled(dynamic, 4096).table([4095]);
    const base = 10000 * (2 * (4096 / 2048) - 1) ** (128 / 126);
    const expected = Array.from({ length: 64 }, (_, i) => Math.cos(4095 * base ** (-i / 64)));
    expectNear(cos, expected);
  });
});

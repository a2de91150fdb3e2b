/** Reports of others about caches (numbers as in the shared list), as tests named after the symptom. */
import { describe, expect, it } from 'vitest';
import {
  mropePositions,
  positionsFromMask,
  type Encoding,
  type KvCache,
  type KvCacheOptions,
  type ScalingOptions,
} from 'posenc';
import { errorOf, expectNear, numbers, posenc } from './posenc.js';
import { attention as reference, turn } from './reference.js';

const headDim = 8;
const rope = posenc.encoding('rope', { headDim });
const one = { kvHeads: 1, headDim };

/** Numbers of `count` tokens of one head; those of a token do not depend on how many there are. */
const text = (count: number, seed: number, width = headDim) => numbers(count * width, seed);
const rowsOf = (x: Float32Array, first: number, end = first + 1, width = headDim) =>
  x.subarray(first * width, end * width);

/** Causal attention in float64 of queries at positions to keys at positions, one head. */
function expected(
  query: ArrayLike<number>,
  key: ArrayLike<number>,
  value: ArrayLike<number>,
  at: { queries: readonly number[]; keys: readonly number[] },
  change: Partial<Parameters<typeof reference>[0]> = {},
): number[] {
  return reference({
    ...{ batch: 1, heads: 1, kvHeads: 1, queries: at.queries.length, keys: at.keys.length },
    ...{ headDim, valueDim: headDim, query, key, value, causal: true, rotate: turn },
    queryPosition: (_, m) => at.queries[m]!,
    keyPosition: (_, n) => at.keys[n]!,
    ...change,
  }).output;
}

const count = (first: number, end: number) =>
  Array.from({ length: end - first }, (_, i) => first + i);
const distance = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((most, x, i) => Math.max(most, Math.abs(x - b[i]!)), 0);

describe('offsets', () => {
  const tokens = 12;
  const [query, key, value] = [text(tokens, 1), text(tokens, 2), text(tokens, 3)];
  const decode = (cache: KvCache, first: number, end = first + 1, positions?: number[]) =>
    cache.attend(0, {
      ...{ query: rowsOf(query, first, end), key: rowsOf(key, first, end) },
      ...{ value: rowsOf(value, first, end), ...(positions && { positions }) },
    }).output;
  const right = (first: number, end = first + 1) =>
    expected(rowsOf(query, first, end), rowsOf(key, 0, end), rowsOf(value, 0, end), {
      ...{ queries: count(first, end), keys: count(0, end) },
    });

  it.each(['turned', 'raw'] as const)(
    '24, 25, 26: tables of another offset, row 0 for a later token, all at 0 (%s)',
    (store) => {
      using cache = posenc.kvCache({ ...one, capacity: tokens, encoding: rope, store });
      expectNear(decode(cache, 0, 5), right(0, 5));
      for (const token of count(5, 10)) {
        expect(cache.next()).toBe(token);
        expectNear(decode(cache, token), right(token));
        expect(cache.positions()).toEqual(Int32Array.from(count(0, token + 1)));
      }
      // The same offset again, in a cache that began elsewhere.
      using other = posenc.kvCache({ ...one, capacity: tokens, encoding: rope, store });
      decode(other, 0, 10);
      expectNear(decode(other, 10, 12), right(10, 12));
    },
  );

  it('26: after an image, text goes on behind its largest coordinate on all axes', () => {
    const mrope = posenc.encoding('mrope', { headDim, sections: [2, 1, 1] });
    const parts = [{ text: 2 }, { grid: [1, 4, 12] as const }];
    const { positions, tokens, next } = mropePositions(parts.map((part) => part as never));
    expect([tokens, next]).toEqual([14, 8]);
    using cache = posenc.kvCache({ ...one, capacity: 20, encoding: mrope });
    const x = text(tokens, 4);
    cache.append(0, { key: x, value: x, positions });
    expect(cache.next()).toBe(next);
    const y = text(1, 5);
    const { output } = cache.attend(0, { query: y, key: y, value: y });
    expect([...cache.positions().slice(-3)]).toEqual([8, 8, 8]);
    const all = Float32Array.from([...x, ...y]);
    const keyPositions = [...positions, 8, 8, 8];
    const whole = posenc.attention({
      ...{ query: y, key: all, value: all, encoding: mrope, causal: true },
      ...{ queryPositions: [8, 8, 8], keyPositions },
      shape: { heads: 1, queries: 1, keys: tokens + 1, headDim },
    });
    expectNear(output, whole.output);
  });

  it('35: T5 lost its bias as soon as there was a cache', () => {
    // One bucket per distance up to 16: the bias of a distance is its number.
    const table = Float32Array.from({ length: 32 }, (_, bucket) => bucket / 4);
    const t5 = posenc.encoding('t5', { heads: 1, buckets: 32, bidirectional: false, table });
    using cache = posenc.kvCache({ ...one, capacity: tokens, encoding: t5 });
    decode(cache, 0, 5);
    const { output, biased, capped } = cache.attend(0, {
      ...{ query: rowsOf(query, 5), key: rowsOf(key, 5), value: rowsOf(value, 5) },
      return: ['capped', 'biased'],
    });
    const bias = Array.from(biased!, (x, n) => Math.round(4 * (x - capped![n]!)));
    expect(bias).toEqual([5, 4, 3, 2, 1, 0]);
    expectNear(
      output,
      expected(
        rowsOf(query, 5),
        rowsOf(key, 0, 6),
        rowsOf(value, 0, 6),
        { queries: [5], keys: count(0, 6) },
        { scale: 1, rotate: (x) => Array.from(x), bias: (_, distance) => distance / 4 },
      ),
    );
  });

  it('36: a chunk saw its own future once the cache was trimmed', () => {
    // A block of 8: of 8 past tokens, 5 stay beside a chunk of 3.
    using cache = posenc.kvCache({ ...one, capacity: 8, encoding: rope });
    decode(cache, 0, 8);
    cache.evict([0, 1, 2]);
    const { output, weights } = cache.attend(0, {
      ...{ query: rowsOf(query, 8, 11), key: rowsOf(key, 8, 11), value: rowsOf(value, 8, 11) },
      return: ['weights'],
    });
    const seen = [0, 8, 16].map((row) => weights!.slice(row, row + 8).filter((w) => w > 0).length);
    expect(seen).toEqual([6, 7, 8]);
    const kept = count(3, 11);
    const rest = [rowsOf(query, 8, 11), rowsOf(key, 3, 11), rowsOf(value, 3, 11)] as const;
    expectNear(output, expected(...rest, { queries: count(8, 11), keys: kept }));
  });
});

describe('batches of different lengths', () => {
  /** Two rows of tokens under a mask, then one more token each. */
  function decodeBoth(mask: readonly number[]) {
    const columns = mask.length / 2;
    using cache = posenc.kvCache({ ...one, batch: 2, capacity: columns + 1, encoding: rope });
    const x = text(2 * columns, 6).map((x, i) =>
      mask[Math.floor(i / headDim)] === 1 ? x : Infinity,
    );
    cache.append(0, { key: x, value: x, keyMask: mask });
    const places = [0, 1].map((sequence) => cache.next({ sequence }));
    const y = text(2, 7);
    const { output } = cache.attend(0, { query: y, key: y, value: y });
    for (const row of [0, 1]) {
      const real = count(0, columns).filter((t) => mask[row * columns + t] === 1);
      const keys = [...real.flatMap((t) => [...rowsOf(x, row * columns + t)]), ...rowsOf(y, row)];
      const at = { queries: [real.length], keys: count(0, real.length + 1) };
      expectNear(rowsOf(output, row), expected(rowsOf(y, row), keys, keys, at));
    }
    return places;
  }

  it('15: every row was decoded at the position of the longest one', () => {
    const mask = [0, 0, 1, 1, 1, 1, 1, 1, 1, 1];
    expect(decodeBoth(mask)).toEqual([3, 5]);
    expect([...positionsFromMask(mask, { batch: 2 }).next]).toEqual([3, 5]);
  });

  it('19: padding on the right counted: 3 instead of 2', () => {
    expect(decodeBoth([1, 1, 0, 1, 1, 1])).toEqual([2, 3]);
  });
});

describe('sinks', () => {
  it.each([
    ['28: kept keys were turned anew, the incoming one stayed at 10', 2, 3, 11, [0, 1, 8, 9, 10]],
    ['29: positions in the text instead of the cache', 4, 4, 10, [0, 1, 2, 3, 6, 7, 8, 9]],
  ])('%s', (_, sinks, window, tokens, kept) => {
    const [query, key, value] = [text(tokens, 8), text(tokens, 9), text(tokens, 10)];
    const capacity = sinks + window;
    const positions = 'slots';
    using cache = posenc.kvCache({ ...one, capacity, encoding: rope, window, sinks, positions });
    let last: Float32Array = new Float32Array();
    for (const t of count(0, tokens)) {
      const now = [query, key, value].map((x) => rowsOf(x, t));
      last = cache.attend(0, { query: now[0]!, key: now[1]!, value: now[2]! }).output;
    }
    expect([...cache.positions()]).toEqual(kept.map((_, slot) => slot));
    const pick = (x: Float32Array) => kept.flatMap((t) => [...rowsOf(x, t)]);
    const at = { queries: [kept.length - 1], keys: kept.map((_, slot) => slot) };
    const newest = rowsOf(query, tokens - 1);
    expectNear(last, expected(newest, pick(key), pick(value), at));
    const late = { queries: [tokens - 1], keys: [...at.keys.slice(0, -1), tokens - 1] };
    expect(distance(last, expected(newest, pick(key), pick(value), late))).toBeGreaterThan(1e-3);
  });
});

describe('shifts', () => {
  const wide = { kvHeads: 1, headDim: 80, capacity: 4, store: 'turned' } as const;
  const partial = posenc.encoding('rope', { headDim: 80, rotaryDim: 32 });
  const key = numbers(80, 11);

  /** Scores of a query at its position with a key that was shifted there, in float64 and of the cache. */
  function scores(cache: KvCache, to: number) {
    const query = numbers(80, 12);
    const { scores } = cache.attend(0, {
      ...{ query, key: new Float32Array(80), value: new Float32Array(80), positions: [to + 7] },
      ...{ scale: 1, return: ['scores'] },
    });
    const turned = (x: Float32Array, position: number) => turn(x, position, { rotaryDim: 32 });
    const [q, k] = [turned(query, to + 7), turned(key, to)];
    return [scores![0]!, q.reduce((sum, x, i) => sum + x * k[i]!, 0)] as const;
  }

  it('30: Phi-2 was shifted in all 80 dimensions instead of 32', () => {
    using cache = posenc.kvCache({ ...wide, encoding: partial });
    cache.append(0, { key, value: key, positions: [100] });
    cache.shift(-5);
    expect([...cache.positions()]).toEqual([95]);
    const [shifted, right] = scores(cache, 95);
    expect(Math.abs(shifted - right)).toBeLessThan(1e-4);
    // What the report did: the whole head turned back by 5.
    const wrong = turn(turn(key, 100, { rotaryDim: 32 }), -5);
    expect(distance(wrong, turn(key, 95, { rotaryDim: 32 }))).toBeGreaterThan(0.1);
  });

  it('31: 100 shifts by −1 drifted away from one by −100', () => {
    using cache = posenc.kvCache({ ...wide, encoding: partial });
    cache.append(0, { key, value: key, positions: [4000] });
    using other = cache.fork();
    for (let i = 0; i < 100; i++) cache.shift(-1);
    other.shift(-100);
    const [drifting, right] = scores(cache, 3900);
    const [once] = scores(other, 3900);
    const size = Math.hypot(...key) * Math.hypot(...numbers(80, 12));
    expect(Math.abs(drifting - once) / size).toBeLessThan(1e-4);
    expect(Math.abs(drifting - right) / size).toBeLessThan(1e-4);
  });

  it.each(['turned', 'raw'] as const)('32: M-RoPE was shifted on one axis (%s)', (store) => {
    const mrope = posenc.encoding('mrope', { headDim, sections: [2, 1, 1] });
    using cache = posenc.kvCache({ ...one, capacity: 4, encoding: mrope, store });
    const x = text(2, 13);
    cache.append(0, { key: x, value: x });
    const error = errorOf(() => cache.shift(-1));
    expect(error).toMatchObject({ code: 'unsupported', argument: 'shift', received: '3 axes' });
    expect([...cache.positions()]).toEqual([0, 0, 0, 1, 1, 1]);
  });

  it('33: a context shift freed no cells, and positions were taken for them', () => {
    // llama.cpp: keep 2, discard 3 of the others, move the rest back, go on.
    using cache = posenc.kvCache({ ...one, capacity: 8, encoding: rope, store: 'turned' });
    const x = text(11, 14);
    cache.append(0, { key: rowsOf(x, 0, 8), value: rowsOf(x, 0, 8) });
    const more = { query: rowsOf(x, 8), key: rowsOf(x, 8), value: rowsOf(x, 8) };
    expect(errorOf(() => cache.attend(0, more)).code).toBe('capacity');
    cache.evict([2, 3, 4]);
    expect([cache.length(), cache.next()]).toEqual([5, 8]); // Cells are free; positions are as they were.
    cache.shift(-3, { from: 5 });
    expect([...cache.positions()]).toEqual([0, 1, 2, 3, 4]);
    expect([cache.length(), cache.next()]).toEqual([5, 5]);
    const kept = [0, 1, 5, 6, 7, 8];
    const keys = kept.flatMap((t) => [...rowsOf(x, t)]);
    const at = { queries: [5], keys: count(0, 6) };
    expectNear(cache.attend(0, more).output, expected(rowsOf(x, 8), keys, keys, at));
  });
});

describe('rules that depend on the length', () => {
  const width = 128;
  const scaled = (scaling: ScalingOptions, length?: number) =>
    posenc.encoding('rope', {
      ...{ headDim: width, scaling },
      ...(length !== undefined && { length }),
    });
  const dynamic = { type: 'dynamic', factor: 2, originalMaxPosition: 2048 } as const;
  const longrope: ScalingOptions = {
    ...{ type: 'longrope', originalMaxPosition: 64, factor: 4 },
    ...{ shortFactor: Array<number>(64).fill(1), longFactor: Array<number>(64).fill(4) },
  };
  const [query, key] = [numbers(4096 * width, 15), numbers(4096 * width, 16)];
  const rows = (x: Float32Array, first: number, end = first + 1) => rowsOf(x, first, end, width);
  const open = (encoding: Encoding, options: Partial<KvCacheOptions> = {}) =>
    posenc.kvCache({ kvHeads: 1, headDim: width, capacity: 4096, encoding, ...options });
  const step = (cache: KvCache, first: number, end = first + 1, sequence?: number) =>
    cache
      .attend(0, {
        ...{ query: rows(query, first, end), key: rows(key, first, end) },
        ...{ value: rows(key, first, end), ...(sequence !== undefined && { sequence }) },
      })
      .output.slice(-width);
  /** The last token of a sequence of `length`, turned by the table of that length. */
  const whole = (encoding: Encoding, length: number) =>
    posenc.attention({
      ...{ query: rows(query, length - 1), key: rows(key, 0, length), value: rows(key, 0, length) },
      ...{ shape: { heads: 1, queries: 1, keys: length, headDim: width }, encoding, causal: true },
    }).output;

  it.each([
    ['47: dynamic NTK, cached keys had an older base', dynamic, 2049, 2051],
    ['57: LongRoPE, keys of both factor sets met', longrope, 63, 66],
  ] as [string, ScalingOptions, number, number][])('%s', (_, scaling, first, length) => {
    using cache = open(scaled(scaling));
    expect(cache.store).toBe('raw');
    expectNear(step(cache, 0, first), whole(scaled(scaling, first), first));
    for (const before of count(first, length)) {
      expectNear(step(cache, before), whole(scaled(scaling, before + 1), before + 1));
    }
    // Bases and factors did change on the way.
    const [old, now] = [scaled(scaling, first), scaled(scaling, length)];
    expect(old.inverseFrequencies).not.toEqual(now.inverseFrequencies);
    const refused = errorOf(() => open(scaled(scaling), { store: 'turned' }));
    expect(refused).toMatchObject({ code: 'unsupported', argument: 'store' });
    expect(refused.message).toContain('a table that changes beyond a length of');
    using fixed = open(scaled(scaling, length), { store: 'turned' });
    expectNear(step(fixed, 0, length), whole(scaled(scaling, length), length));
  });

  it('47: prefill of 4096 is prefill of 2049 and the rest', () => {
    using cache = open(scaled(dynamic));
    step(cache, 0, 2049);
    expectNear(step(cache, 2049, 4096), whole(scaled(dynamic, 4096), 4096));
  });

  it('48: the base was not reset for a short text after a long one', () => {
    using cache = open(scaled(longrope));
    step(cache, 0, 100);
    cache.clear();
    expectNear(step(cache, 0, 20), whole(scaled(longrope, 20), 20));
    step(cache, 20, 100);
    cache.truncate(30);
    expectNear(step(cache, 30), whole(scaled(longrope, 31), 31));
  });

  it('55, 56: long factors from 65 tokens on, whatever the capacity and the neighbours', () => {
    using cache = open(scaled(longrope), { batch: 2, capacity: 256 });
    step(cache, 0, 63, 0);
    step(cache, 0, 99, 1);
    const both = (first: number, second: number) => {
      const [a, b] = [first, second].map((t) => [rows(query, t), rows(key, t)] as const);
      const join = (i: 0 | 1) => Float32Array.from([...a![i], ...b![i]]);
      return cache.attend(0, { query: join(0), key: join(1), value: join(1) }).output;
    };
    for (const step of count(0, 3)) {
      const output = both(63 + step, 99 + step);
      const short = scaled(longrope, step === 0 ? 64 : 65);
      expectNear(output.slice(0, width), whole(short, 64 + step));
      expectNear(output.slice(width), whole(scaled(longrope, 100), 100 + step));
    }
  });
});

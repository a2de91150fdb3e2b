/** What a cache takes, tells and gives, beside the law that decoding is prefill (cache-decoding.test.ts). */
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { AttentionResult, Encoding, KvCacheOptions, Tensor } from 'posenc';
import { make, relative, turning } from './cache-rows.js';
import { errorOf, expectNear, numbers, posenc } from './posenc.js';
import { attention as reference, slopes, turn } from './reference.js';

const headDim = 8;
const rope = posenc.encoding('rope', { headDim });
const small = { kvHeads: 1, headDim, capacity: 4, encoding: rope };
/** Tokens of one head. */
const some = (tokens: number, seed = 1) => numbers(tokens * headDim, seed);
const alike = (tokens: number, seed = 1) => {
  const x = some(tokens, seed);
  return { query: x, key: x, value: x };
};

describe('a cache tells', () => {
  test('its sizes, and how keys wait', () => {
    using cache = posenc.kvCache({ ...small, layers: 3, batch: 2, valueDim: 5 });
    expect(cache).toMatchObject({
      ...{ layers: 3, batch: 2, kvHeads: 1, headDim, valueDim: 5, capacity: 4 },
      ...{ store: 'turned', disposed: false, bytes: 4 * 3 * 2 * 4 * (8 + 5 + 1) },
    });
    expect([cache.length(), cache.next()]).toEqual([0, 0]);
    expect(cache.positions()).toEqual(new Int32Array());
  });

  const scaling = { type: 'dynamic', factor: 2, originalMaxPosition: 4 } as const;
  test.each<[string, Encoding | undefined, Partial<KvCacheOptions>, 'turned' | 'raw']>([
    ...turning.map((name): [string, Encoding, object, 'turned'] => [
      name,
      make(name),
      {},
      'turned',
    ]),
    ['nothing', undefined, {}, 'raw'],
    ['alibi', make('alibi'), {}, 'raw'],
    ['pope', make('pope'), {}, 'raw'],
    ['rope_remapped', make('rope_remapped'), {}, 'raw'],
    ['positions that are slots', rope, { positions: 'slots' }, 'raw'],
    ['a choice', rope, { store: 'raw' }, 'raw'],
    ['dynamic NTK', make('rope', { scaling }), {}, 'raw'],
    ['dynamic NTK of a fixed length', make('rope', { scaling, length: 9 }), {}, 'turned'],
    [
      'dynamic NTK as Hunyuan has it',
      make('rope', { scaling: { ...scaling, alpha: 3 } }),
      {},
      'turned',
    ],
    ['YaRN', make('rope', { scaling: { ...scaling, type: 'yarn' } }), {}, 'turned'],
  ])('how keys wait under %s', (_, encoding, change, store) => {
    const options = { ...small, ...(encoding && { encoding }), ...change };
    if (encoding === undefined) delete (options as Partial<KvCacheOptions>).encoding;
    using cache = posenc.kvCache(options);
    expect(cache.store).toBe(store);
  });

  test('positions and what comes next, of each layer and sequence', () => {
    using cache = posenc.kvCache({ ...small, layers: 2, batch: 2 });
    cache.append(1, { ...{ key: some(4), value: some(4) }, positions: [3, 9, 0, -5] });
    expect([...cache.positions({ layer: 1 })]).toEqual([3, 9]);
    expect([...cache.positions({ layer: 1, sequence: 1 })]).toEqual([0, -5]);
    const next = (sequence: number) => cache.next({ layer: 1, sequence });
    expect([next(0), next(1), cache.next(), cache.length()]).toEqual([10, 1, 0, 0]);
  });
});

describe('attention', () => {
  test('is that of float64, with grouped heads, another value width and all that scales', () => {
    const sizes = { batch: 2, kvHeads: 2, headDim: 10, valueDim: 7 };
    const { batch, kvHeads } = sizes;
    const heads = 6;
    const tokens = 47;
    const data = (heads: number, width: number, seed: number) =>
      numbers(batch * heads * tokens * width, seed);
    const query = data(heads, 10, 1);
    const [key, value] = [data(kvHeads, 10, 2), data(kvHeads, 7, 3)];
    const encoding = [
      posenc.encoding('rope', { headDim: 10, rotaryDim: 6, layout: 'interleaved' }),
      posenc.encoding('alibi', { heads }),
    ];
    const [sinkLogits, headScales, queryScales] = [
      numbers(6, 4),
      numbers(6, 5),
      numbers(tokens, 6),
    ];
    using cache = posenc.kvCache({ ...sizes, capacity: 20, window: 14, sinks: 3, encoding });
    const cut = (x: Float32Array, heads: number, width: number, first: number, end: number) =>
      Float32Array.from(
        Array.from({ length: batch * heads }, (_, row) => [
          ...x.subarray((row * tokens + first) * width, (row * tokens + end) * width),
        ]).flat(),
      );
    const output = new Float32Array(batch * heads * tokens * 7);
    for (let first = 0, end = 0; end < tokens; first = end) {
      end = Math.min(tokens, first + (first < 25 ? 25 : 1 + (first % 9)));
      const { output: part } = cache.attend(0, {
        ...{ query: cut(query, heads, 10, first, end), key: cut(key, kvHeads, 10, first, end) },
        ...{ value: cut(value, kvHeads, 7, first, end), softcap: 5, scale: 0.7 },
        ...{ sinkLogits, headScales, queryScales: queryScales.subarray(first, end) },
      });
      for (let row = 0; row < batch * heads; row++) {
        const width = (end - first) * 7;
        output.set(part.subarray(row * width, (row + 1) * width), (row * tokens + first) * 7);
      }
    }
    const expected = reference({
      ...{ ...sizes, heads, queries: tokens, keys: tokens, query, key, value, causal: true },
      ...{ softcap: 5, scale: 0.7, queryPosition: (_, m) => m, keyPosition: (_, n) => n },
      rotate: (x, position) => turn(x, position, { rotaryDim: 6, layout: 'interleaved' }),
      bias: (h, distance) => -slopes(heads)[h]! * Math.abs(distance),
      sees: (_, __, m, n) => n < 3 || m - n < 14,
      factor: (_, h, m) => headScales[h]! * queryScales[m]!,
      sinkLogit: (h) => sinkLogits[h]!,
    });
    expectNear(output, expected.output);
  });

  test('of all stored keys, later ones too, where it is not causal', () => {
    using cache = posenc.kvCache({ ...small });
    cache.append(0, { key: some(2, 2), value: some(2, 2), positions: [8, 9] });
    const x = alike(1);
    const inputs = { ...x, positions: [5] };
    using fork = cache.fork();
    const key = Float32Array.from([...some(2, 2), ...x.key]);
    const attend = (causal: boolean) =>
      posenc.attention({
        ...{ ...x, key, value: key, encoding: rope, causal },
        ...{ keyPositions: [8, 9, 5], queryPositions: [5] },
        shape: { heads: 1, queries: 1, keys: 3, headDim },
      }).output;
    expectNear(cache.attend(0, { ...inputs, causal: false }).output, attend(false));
    expectNear(fork.attend(0, inputs).output, attend(true));
    expect(fork.attend(0, { ...x, positions: 4 }).output).toEqual(x.value);
  });

  test('tells its stages by slot, up to those of the longest sequence', () => {
    using cache = posenc.kvCache({ ...small, batch: 2 });
    cache.append(0, { key: some(2, 2), value: some(2, 2), sequence: 1 });
    const taps = ['scores', 'capped', 'biased', 'logits', 'weights'] as const;
    const result = cache.attend(0, { ...alike(2), return: taps });
    const alone = (sequence: number, before: number) => {
      const key = [
        ...(before > 0 ? some(2, 2) : []),
        ...some(2)
          .subarray(8 * sequence)
          .slice(0, 8),
      ];
      return posenc.attention({
        ...{
          query: some(2)
            .subarray(8 * sequence)
            .slice(0, 8),
          encoding: rope,
          causal: true,
        },
        ...{ key: Float32Array.from(key), value: Float32Array.from(key), return: taps },
        shape: { heads: 1, queries: 1, keys: before + 1, headDim },
      });
    };
    const [short, long] = [alone(0, 0), alone(1, 2)];
    for (const tap of taps) {
      const rest = tap === 'logits' ? -Infinity : 0;
      expectNear(result[tap]!, [...short[tap]!, rest, rest, ...long[tap]!]);
    }
  });

  test('neither depends on neighbours nor on the capacity', () => {
    const alone = { ...small, capacity: 9, batch: 1 };
    using one = posenc.kvCache(alone);
    using three = posenc.kvCache({ ...alone, batch: 3, capacity: 50 });
    three.append(0, { key: some(30, 7), value: some(30, 8), sequence: 2 });
    for (const tokens of [5, 1, 2]) {
      const all = alike(3 * tokens, tokens);
      const mine = all.key.slice(tokens * headDim, 2 * tokens * headDim);
      const { output } = three.attend(0, all);
      const expected = one.attend(0, { query: mine, key: mine, value: mine }).output;
      expect(output.slice(tokens * headDim, 2 * tokens * headDim)).toEqual(expected);
    }
  });

  test('reads and writes tensors where they are', () => {
    using cache = posenc.kvCache(small);
    using arrays = posenc.kvCache(small);
    using x = posenc.tensor(some(2), [1, 1, 2, headDim]);
    const expected = arrays.attend(0, alike(2)).output;
    const result = cache.attend(0, { query: x, key: x, value: x, out: x });
    expectTypeOf(result).toEqualTypeOf<AttentionResult<Tensor>>();
    expect(result.output).toBe(x);
    expect(x.read()).toEqual(expected);
    const out = new Float32Array(headDim);
    expect(cache.attend(0, { ...alike(1), out }).output).toBe(out);
    expect(out).toEqual(arrays.attend(0, alike(1)).output);
    const wide = posenc.zeros([1, 2, 1, headDim]);
    const error = errorOf(() => cache.attend(0, { ...alike(1), key: wide, query: wide }));
    expect(error).toMatchObject({ code: 'shape', argument: 'key' });
    wide.dispose();
  });

  test('reads what tokens bring to an encoding when they come', () => {
    const gates = numbers(6).map((x) => -Math.abs(x));
    const far = 20; // There may be so many tokens.
    const logGates = new Float32Array(far);
    const fox = posenc.encoding('fox', { heads: 1, tokens: far, logGates });
    using cache = posenc.kvCache({ ...small, capacity: far, encoding: [rope, fox] });
    const x = some(6);
    const outputs = Array.from({ length: 6 }, (_, t) => {
      logGates[t] = gates[t]!;
      const token = x.subarray(t * headDim, (t + 1) * headDim);
      return [...cache.attend(0, { query: token, key: token, value: token }).output];
    });
    // The bias of a pair is the sum of the log gates after the key, up to the query (FoX, eq. 3).
    const expected = reference({
      ...{ batch: 1, heads: 1, kvHeads: 1, queries: 6, keys: 6, headDim, valueDim: headDim },
      ...{ query: x, key: x, value: x, causal: true, rotate: turn },
      ...{ queryPosition: (_, m) => m, keyPosition: (_, n) => n },
      added: (_, __, m, n) => gates.subarray(n + 1, m + 1).reduce((sum, gate) => sum + gate, 0),
    });
    expectNear(outputs.flat(), expected.output);
  });

  test('of padding alone stores nothing and gives 0', () => {
    using cache = posenc.kvCache(small);
    const nothing = new Float32Array(2 * headDim).fill(NaN);
    const inputs = { query: nothing, key: nothing, value: nothing, keyMask: [false, false] };
    const { output, weights } = cache.attend(0, { ...inputs, return: ['weights'] });
    expect(output).toEqual(new Float32Array(2 * headDim));
    expect(weights).toEqual(new Float32Array());
    expect([cache.length(), cache.next()]).toEqual([0, 0]);
  });
});

describe('a full cache', () => {
  test('says so, and goes on once there is room', () => {
    using cache = posenc.kvCache({ ...small, batch: 2 });
    cache.append(0, { key: some(3), value: some(3), sequence: 1 });
    const before = cache.save();
    for (const call of [
      () => cache.attend(0, alike(4)),
      () => cache.append(0, { key: some(4), value: some(4) }),
    ]) {
      expect(errorOf(call)).toMatchObject({
        ...{ code: 'capacity', argument: 'key', received: '2 tokens' },
        allowed: 'at most 1 tokens for sequence 1 of layer 0',
      });
      expect(cache.save()).toEqual(before);
    }
    cache.evict([0], { sequence: 1, layer: 0 });
    cache.attend(0, alike(4));
    expect([cache.length(), cache.length({ sequence: 1 })]).toEqual([2, 4]);
  });

  test('of a rule that follows the length is left as it was, too', () => {
    const scaling = { type: 'dynamic', factor: 2, originalMaxPosition: 2 } as const;
    const encoding = make('rope', { scaling });
    using cache = posenc.kvCache({ ...small, batch: 2, encoding });
    cache.append(0, { key: some(3), value: some(3), sequence: 1 });
    const before = cache.save();
    expect(errorOf(() => cache.attend(0, alike(4))).code).toBe('capacity');
    expect(cache.save()).toEqual(before);
  });

  test('with a window takes tokens for ever, before position 0 too', () => {
    using cache = posenc.kvCache({ ...small, window: 3 });
    cache.append(0, { key: some(3), value: some(3) });
    cache.shift(-1000);
    for (let i = 0; i < 20; i++) cache.attend(0, alike(1));
    expect(cache.next()).toBe(-977);
  });
});

describe('changes of what is stored', () => {
  test('are of all layers and sequences unless one is named', () => {
    using cache = posenc.kvCache({ ...small, layers: 2, batch: 2 });
    for (const layer of [0, 1]) cache.append(layer, { key: some(6), value: some(6) });
    const places = [0, 1].flatMap((layer) => [0, 1].map((sequence) => ({ layer, sequence })));
    const positions = () => places.map((place) => [...cache.positions(place)].join());
    cache.evict([0]);
    expect(positions()).toEqual(Array(4).fill('1,2'));
    cache.evict(Int32Array.of(1), { layer: 1 });
    expect(positions()).toEqual(['1,2', '1,2', '1', '1']);
    cache.shift(5, { sequence: 1 });
    expect(positions()).toEqual(['1,2', '6,7', '1', '6']);
    cache.shift(1, { from: 2, to: 7, layer: 0 });
    expect(positions()).toEqual(['1,3', '7,7', '1', '6']);
    cache.truncate(1);
    expect(positions()).toEqual(['1', '7', '1', '6']);
    cache.copySequence(1, 0);
    expect(positions()).toEqual(['7', '7', '6', '6']);
    cache.clear({ sequence: 0 });
    expect(positions()).toEqual(['', '7', '', '6']);
    cache.clear();
    expect(positions()).toEqual(Array(4).fill(''));
  });

  test('leave the order of slots to the cache, and take each once', () => {
    using cache = posenc.kvCache(small);
    cache.append(0, { key: some(4), value: some(4) });
    cache.evict([2, 0, 2]);
    expect([...cache.positions()]).toEqual([1, 3]);
    cache.evict([]);
    expect(cache.length()).toBe(2);
  });

  test('that are refused for one sequence are made for none', () => {
    using cache = posenc.kvCache({ ...small, batch: 2 });
    cache.append(0, { key: some(2), value: some(2), sequence: 0 });
    cache.append(0, { key: some(1), value: some(1), sequence: 1, positions: [2 ** 30] });
    const before = cache.save();
    expect(errorOf(() => cache.evict([1])).argument).toBe('slots[0]');
    expect(errorOf(() => cache.shift(1)).argument).toBe('delta');
    expect(cache.save()).toEqual(before);
  });

  test('do not come to forks', () => {
    using cache = posenc.kvCache(small);
    cache.append(0, { key: some(2), value: some(2) });
    const fork = cache.fork();
    cache.truncate(1);
    fork.append(0, { key: some(1), value: some(1) });
    expect([cache.length(), fork.length()]).toEqual([1, 3]);
    cache.dispose();
    expect([cache.disposed, fork.disposed, fork.length()]).toEqual([true, false, 3]);
    fork.dispose();
  });

  test('are possible beside encodings of the input alone, where they do not matter', () => {
    const sinusoidal = posenc.encoding('sinusoidal', { width: 4 });
    using cache = posenc.kvCache({ ...small, encoding: [rope, sinusoidal] });
    using plain = posenc.kvCache(small);
    expect(cache.attend(0, alike(3)).output).toEqual(plain.attend(0, alike(3)).output);
    cache.evict([0]);
    expect(errorOf(() => cache.shift(-1)).received).toBe('sinusoidal');
  });

  test.each(relative.filter((name) => turning.includes(name)))(
    'shift turned keys of %s exactly',
    (name) => {
      const options = { ...small, encoding: make(name), kvHeads: 1 };
      using cache = posenc.kvCache({ ...options, store: 'turned' });
      using there = posenc.kvCache({ ...options, store: 'turned' });
      const tokens = { key: some(3), value: some(3) };
      cache.append(0, { ...tokens, positions: 70 });
      there.append(0, { ...tokens, positions: 40 });
      cache.shift(-30);
      const inputs = { query: some(2, 2), key: some(1, 3), value: some(1, 3), scale: 1 };
      const scores = [cache, there].map(
        (one) => one.attend(0, { ...inputs, return: ['scores'] }).scores!,
      );
      scores[0]!.forEach((x, i) => expect(Math.abs(x - scores[1]![i]!)).toBeLessThan(1e-4));
    },
  );
});

describe('disposal', () => {
  test('is counted, and may be done twice', () => {
    const { liveCaches } = posenc.info;
    const cache = posenc.kvCache(small);
    const fork = cache.fork();
    expect(posenc.info.liveCaches).toBe(liveCaches + 2);
    cache.dispose();
    cache.dispose();
    expect([cache.disposed, posenc.info.liveCaches]).toEqual([true, liveCaches + 1]);
    fork.dispose();
    {
      using scoped = posenc.kvCache(small);
      expect(scoped.disposed).toBe(false);
    }
    expect(posenc.info.liveCaches).toBe(liveCaches);
  });
});

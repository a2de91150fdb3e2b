import { describe, expect, test } from 'vitest';
import type { RopeOptions, SinusoidalOptions } from 'posenc';
import { errorOf, expectNear, numbers, posenc } from './posenc.js';
import { sinusoid, slopes, turn } from './reference.js';

describe('sinusoidal', () => {
  const cases: SinusoidalOptions[] = [
    { width: 1 },
    { width: 2 },
    { width: 3, denominator: 'd/2-1' },
    { width: 64 },
    { width: 65 },
    { width: 128, layout: 'halves', denominator: 'd/2-1' },
    { width: 127, layout: 'halves' },
    { width: 66, order: 'cos-sin', layout: 'halves' },
    { width: 30, order: 'cos-sin', base: 500 },
  ];
  test.each(cases)('embed of %o is the formula', (options) => {
    const positions = [0, 1, 2, 1023, -7, 2 ** 24, 2 ** 20 + 1];
    const rows = posenc.encoding('sinusoidal', options).embed(positions);
    expectNear(rows, sinusoid(positions, options.width, options));
  });

  test('a first position stands for the ones that follow', () => {
    const encoding = posenc.encoding('sinusoidal', { width: 16 });
    const counted = encoding.embed(5, { tokens: 4 });
    expect(counted).toEqual(encoding.embed([5, 6, 7, 8]));
    expect(counted).toEqual(encoding.embed(Int32Array.of(5, 6, 7, 8), { tokens: 4 }));
  });

  test('embed writes into out, an array or a tensor, and returns it', () => {
    const encoding = posenc.encoding('sinusoidal', { width: 6 });
    const expected = encoding.embed([3, 4]);
    const array = new Float32Array(12);
    expect(encoding.embed([3, 4], { out: array })).toBe(array);
    expect(array).toEqual(expected);
    using tensor = posenc.zeros([2, 6]);
    expect(encoding.embed([3, 4], { out: tensor })).toBe(tensor);
    expect(tensor.read()).toEqual(expected);
  });
});

describe('rope', () => {
  const cases: RopeOptions[] = [
    { headDim: 2 },
    { headDim: 16 },
    { headDim: 16, layout: 'interleaved' },
    { headDim: 64, base: 500000 },
    { headDim: 10, rotaryDim: 6 },
    { headDim: 10, rotaryDim: 6, layout: 'interleaved' },
    { headDim: 7 },
    { headDim: 7, layout: 'interleaved' },
  ];
  const [batch, heads, tokens] = [2, 3, 5];
  const positionRows = [
    [0, 1, 2, 3, 4],
    [-3, 0, 77, 100000, 2 ** 24],
  ];

  describe.each(cases)('%o', (options) => {
    const { headDim } = options;
    const rope = posenc.encoding('rope', options);
    const shape = [batch, heads, tokens, headDim];
    const x = numbers(batch * heads * tokens * headDim);
    const rotaryDim = options.rotaryDim ?? 2 * Math.floor(headDim / 2);
    const turnAll = (position: (b: number, t: number) => number): number[] =>
      Array.from({ length: batch * heads * tokens }, (_, row) => {
        const b = Math.floor(row / (heads * tokens));
        const vector = x.slice(row * headDim, (row + 1) * headDim);
        return turn(vector, position(b, row % tokens), { ...options, rotaryDim });
      }).flat();

    test('rotate turns by the position of the token', () => {
      expectNear(
        rope.rotate(x, { shape }),
        turnAll((_, t) => t),
      );
      expectNear(
        rope.rotate(x, { shape, positions: 9 }),
        turnAll((_, t) => 9 + t),
      );
      const positions = positionRows[1]!;
      expectNear(
        rope.rotate(x, { shape, positions }),
        turnAll((_, t) => positions[t]!),
      );
    });

    test('positions may differ by batch', () => {
      const turned = rope.rotate(x, { shape, positions: Int32Array.from(positionRows.flat()) });
      expectNear(
        turned,
        turnAll((b, t) => positionRows[b]![t]!),
      );
    });

    test('inverse undoes rotate', () => {
      const positions = positionRows[1]!;
      const there = rope.rotate(x, { shape, positions });
      expectNear(rope.rotate(there, { shape, positions, inverse: true }), x);
    });

    test('table and inverseFrequencies are the formula', () => {
      const pairs = Array.from({ length: rotaryDim / 2 }, (_, i) => i);
      const { base = 10000 } = options;
      const frequencies = pairs.map((i) => base ** ((-2 * i) / rotaryDim));
      expect(rope.inverseFrequencies).toHaveLength(frequencies.length);
      rope.inverseFrequencies.forEach((w, i) => {
        expect(Math.abs(w / frequencies[i]! - 1)).toBeLessThan(1e-14);
      });
      const { cos, sin } = rope.table(positionRows[1]!, { side: 'key' });
      const angles = positionRows[1]!.flatMap((position) => frequencies.map((w) => position * w));
      expectNear(cos, angles.map(Math.cos));
      expectNear(sin, angles.map(Math.sin));
    });

    test('tensors and in place give the same bits as arrays', () => {
      const expected = rope.rotate(x, { shape, positions: 4 });
      const copy = x.slice();
      expect(rope.rotate(copy, { shape, positions: 4, out: copy })).toBe(copy);
      expect(copy).toEqual(expected);
      using tensor = posenc.tensor(x, shape);
      using other = posenc.zeros(shape);
      expect(rope.rotate(tensor, { positions: 4 })).toEqual(expected);
      expect(rope.rotate(tensor, { positions: 4, out: other }).read()).toEqual(expected);
      expect(tensor.read()).toEqual(x);
      rope.rotate(tensor, { positions: 4, out: tensor });
      expect(tensor.read()).toEqual(expected);
    });
  });

  test.each([
    ['an array', [0.5, 0, -2, 1e-3]],
    ['a Float64Array', Float64Array.of(0.5, 0, -2, 1e-3)],
  ])('takes frequencies from %s, and a factor', (_, frequencies) => {
    const given = Array.from(frequencies);
    const rope = posenc.encoding('rope', { headDim: 10, frequencies, attentionFactor: 1.5 });
    frequencies[0] = 7;
    expect(rope.options.rotaryDim).toBe(8);
    expect(rope.options.frequencies).toEqual(given);
    expect(Object.isFrozen(rope.options.frequencies)).toBe(true);
    expect(Array.from(rope.inverseFrequencies)).toEqual(given);
    expect(rope.attentionFactor).toBe(1.5);
    const { cos, sin } = rope.table([3, 1000]);
    const angles = [3, 1000].flatMap((m) => given.map((w) => m * w));
    expectNear(
      cos,
      angles.map((angle) => 1.5 * Math.cos(angle)),
    );
    expectNear(
      sin,
      angles.map((angle) => 1.5 * Math.sin(angle)),
    );
    const again = posenc.encoding('rope', rope.options);
    expect(again.table([3, 1000])).toEqual({ cos, sin });
    const x = numbers(20);
    const attend = (encoding: typeof rope) =>
      posenc.attention({
        query: x,
        key: x,
        value: x,
        shape: { heads: 1, queries: 2, headDim: 10 },
        encoding,
      });
    expect(attend(again)).toEqual(attend(rope));
  });

  test('leading dimensions of 1 may be left out', () => {
    const rope = posenc.encoding('rope', { headDim: 4 });
    const x = numbers(24);
    const expected = rope.rotate(x, { shape: [1, 2, 3, 4] });
    expect(rope.rotate(x, { shape: [2, 3, 4] })).toEqual(expected);
    expect(rope.rotate(x.subarray(0, 12), { shape: [3, 4] })).toEqual(expected.slice(0, 12));
    expect(rope.rotate(x.subarray(0, 4), { shape: [4], positions: 2 })).toEqual(
      rope.rotate(x.subarray(0, 4), { shape: [1, 4], positions: [2] }),
    );
  });
});

describe('alibi', () => {
  test.each([1, 2, 3, 8, 12, 17, 64])('bias of %i heads is −slope·distance', (heads) => {
    const alibi = posenc.encoding('alibi', { heads });
    const queryPositions = [3, 10];
    const keyPositions = [0, 3, 5, 12, -2];
    const expected = slopes(heads).flatMap((slope) =>
      queryPositions.flatMap((m) => keyPositions.map((n) => -slope * Math.abs(m - n))),
    );
    expectNear(alibi.bias({ queryPositions, keyPositions }), expected);
  });

  test('bias takes counts and puts the queries last', () => {
    const alibi = posenc.encoding('alibi', { heads: 2 });
    const square = alibi.bias({ queries: 3 });
    expect(square).toEqual(alibi.bias({ queryPositions: [0, 1, 2], keyPositions: [0, 1, 2] }));
    const last = alibi.bias({ queries: 2, keys: 5 });
    expect(last).toEqual(alibi.bias({ queryPositions: [3, 4], keyPositions: 0, keys: 5 }));
    const listed = alibi.bias({ queries: 2, keyPositions: [7, 8, 20] });
    expect(listed).toEqual(alibi.bias({ queryPositions: [8, 20], keyPositions: [7, 8, 20] }));
  });
});

describe('every encoding', () => {
  test('fills in its defaults', () => {
    expect(posenc.encoding('rope', { headDim: 9 }).options).toEqual({
      headDim: 9,
      rotaryDim: 8,
      base: 10000,
      layout: 'half',
      attentionFactor: 1,
      offset: 0,
      turnsOutputBack: false,
      angles: 'float64',
    });
    expect(posenc.encoding('sinusoidal', { width: 6, base: undefined } as never).options).toEqual({
      width: 6,
      base: 10000,
      layout: 'interleaved',
      denominator: 'd/2',
      order: 'sin-cos',
      offset: 0,
      zeroPadding: false,
      axes: 1,
    });
    expect(posenc.encoding('nope').options).toEqual({});
    expect(posenc.encoding('nope').inverseFrequencies).toHaveLength(0);
  });

  test('is immutable', () => {
    const rope = posenc.encoding('rope', { headDim: 8 });
    for (const value of [rope, rope.options, rope.hooks]) expect(Object.isFrozen(value)).toBe(true);
  });

  test('refuses a hook that it does not fill, and says which it fills', () => {
    const rope = posenc.encoding('rope', { headDim: 8 });
    const alibi = posenc.encoding('alibi', { heads: 2 });
    const nope = posenc.encoding('nope');
    const calls = [
      () => rope.embed(0, { tokens: 1 }),
      () => rope.bias({ queries: 1 }),
      () => alibi.rotate(new Float32Array(8), { shape: [1, 8] }),
      () => nope.table(0, { tokens: 1 }),
    ];
    for (const call of calls) expect(errorOf(call).code).toBe('unsupported');
    expect(errorOf(calls[0]!).message).toBe('rope does not fill the hook embed: it fills rotate');
  });
});

describe('a table', () => {
  const rope = posenc.encoding('rope', { headDim: 6 });
  const expected = rope.table([3, -1]);

  test('goes to arrays or tensors that are given, and returns them', () => {
    const arrays = { cos: new Float32Array(6), sin: new Float32Array(6) };
    expect(rope.table([3, -1], { out: arrays }).cos).toBe(arrays.cos);
    expect(arrays).toEqual(expected);
    using cos = posenc.zeros([2, 3]);
    using sin = posenc.zeros([6]);
    expect(rope.table([3, -1], { out: { cos, sin } }).sin).toBe(sin);
    expect({ cos: cos.read(), sin: sin.read() }).toEqual(expected);
  });

  const one = new Float32Array(6);
  test.each([
    [{ cos: one }, 'argument', 'out.sin'],
    [{ cos: one, sin: one }, 'argument', 'out.sin'],
    [{ cos: new Float32Array(5), sin: one }, 'shape', 'out.cos'],
    [{ cos: one, sin: [1] }, 'argument', 'out.sin'],
    [[one, one], 'argument', 'out'],
  ])('says what is wrong with %o', (out, code, argument) => {
    const error = errorOf(() => rope.table([3, -1], { out: out as never }));
    expect(error).toMatchObject({ code, argument });
  });
});

/** Half and interleaved pairs: conversion of vectors and weights, and the mistakes that happen with them. */
import { describe, expect, test } from 'vitest';
import { convertLayout, convertProjection, detectLayout } from 'posenc';
import { errorOf, expectNear, numbers, posenc } from './posenc.js';
import { turn } from './reference.js';

describe('convertLayout', () => {
  test.each([
    [{ headDim: 4 }, [0, 1, 2, 3], [0, 2, 1, 3]],
    [{ headDim: 8 }, [0, 1, 2, 3, 4, 5, 6, 7], [0, 2, 4, 6, 1, 3, 5, 7]],
    [{ headDim: 8, rotaryDim: 4 }, [0, 1, 2, 3, 4, 5, 6, 7], [0, 2, 1, 3, 4, 5, 6, 7]],
    [{ headDim: 5 }, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [0, 2, 1, 3, 4, 5, 7, 6, 8, 9]],
  ])('%o: half[j] = interleaved[2j], half[j + d/2] = interleaved[2j + 1]', (head, from, to) => {
    for (const Kind of [Float32Array, Float64Array, Uint16Array, Int8Array, Uint8Array]) {
      const x = Kind.from(from);
      const half = convertLayout(x, { from: 'interleaved', to: 'half', ...head });
      expect(half).toEqual(Kind.from(to));
      expect(convertLayout(half, { from: 'half', to: 'interleaved', ...head })).toEqual(x);
      expect(convertLayout(x, { from: 'half', to: 'half', ...head })).toEqual(x);
      expect(x).toEqual(Kind.from(from));
    }
  });

  test('turning after it in the new layout is turning before it in the old one', () => {
    const head = { headDim: 10, rotaryDim: 6 };
    const x = numbers(40);
    const at = { shape: [4, 10], positions: [0, 1, 7, 1000] };
    const [half, interleaved] = (['half', 'interleaved'] as const).map((layout) =>
      posenc.encoding('rope', { ...head, layout }),
    );
    const to = { from: 'interleaved', to: 'half', ...head } as const;
    expectNear(
      half!.rotate(convertLayout(x, to), at),
      convertLayout(interleaved!.rotate(x, at), to),
    );
  });
});

/** weight [rows, columns] · vector. */
function project(weight: Float32Array, vector: Float32Array): Float32Array {
  const columns = vector.length;
  return Float32Array.from({ length: weight.length / columns }, (_, row) =>
    vector.reduce((sum, x, c) => sum + x * weight[row * columns + c]!, 0),
  );
}

/** Scores of one query at position m against one key at position n, per query head; scaled by nothing. */
function scores(
  [query, key]: [Float32Array, Float32Array],
  { heads, kvHeads, headDim }: { heads: number; kvHeads: number; headDim: number },
  layout: string,
  [m, n]: [number, number],
): number[] {
  return Array.from({ length: heads }, (_, h) => {
    const kv = Math.floor((h * kvHeads) / heads);
    const q = turn(query.subarray(h * headDim, (h + 1) * headDim), m, { layout });
    const k = turn(key.subarray(kv * headDim, (kv + 1) * headDim), n, { layout });
    return q.reduce((sum, x, d) => sum + x * k[d]!, 0);
  });
}

describe.each([
  ['TinyLlama: 32 heads, 4 kv heads of 64', { heads: 32, kvHeads: 4, headDim: 64 }],
  ['Llama-2-70B: 64 heads, 8 kv heads (of 16 here)', { heads: 64, kvHeads: 8, headDim: 16 }],
])('converting the projections of %s', (_, model) => {
  const { heads, kvHeads, headDim } = model;
  const inFeatures = 3;
  const queryWeight = numbers(heads * headDim * inFeatures, 2);
  const keyWeight = numbers(kvHeads * headDim * inFeatures, 3);
  const input = numbers(inFeatures, 4);
  const at: [number, number] = [37, 5];
  const meta = [project(queryWeight, input), project(keyWeight, input)] as const;
  const expected = scores([...meta], model, 'interleaved', at);
  const to = { from: 'interleaved', to: 'half', headDim, inFeatures } as const;
  const query = project(convertProjection(queryWeight, { ...to, heads }), input);

  const expectSame = (actual: number[]) =>
    actual.forEach((score, h) => {
      expect(Math.abs(score - expected[h]!)).toBeLessThan(1e-5 * Math.max(1, Math.abs(score)));
    });

  test('keeps the scores when keys are converted with their own number of heads', () => {
    const key = project(convertProjection(keyWeight, { ...to, heads: kvHeads }), input);
    expectSame(scores([query, key], model, 'half', at));
  });

  test('converts biases the same way', () => {
    const [q, k] = [numbers(heads * headDim, 5), numbers(kvHeads * headDim, 6)];
    const { from } = to;
    const bias = { from, to: to.to, headDim };
    const converted: [Float32Array, Float32Array] = [
      convertProjection(q, { ...bias, heads }),
      convertProjection(k, { ...bias, heads: kvHeads }),
    ];
    const before = scores([q, k], model, 'interleaved', at);
    expectNear(scores(converted, model, 'half', at), before);
  });

  test('refuses keys with the number of query heads', () => {
    const error = errorOf(() => convertProjection(keyWeight, { ...to, heads }));
    expect(error).toMatchObject({ code: 'shape', argument: 'weight' });
    expect(error.message).toContain(`heads·headDim·inFeatures = ${heads}·${headDim}·3 = `);
  });

  test('a conversion with heads too narrow, as in the reports, shows in the scores', () => {
    const narrow = { ...to, heads, headDim: (headDim * kvHeads) / heads };
    const wrongKey = project(convertProjection(keyWeight, narrow), input);
    const rightKey = project(convertProjection(keyWeight, { ...to, heads: kvHeads }), input);
    const detect = (key: Float32Array) =>
      detectLayout({
        ...{ headDim, query: query.subarray(0, headDim), queryPositions: [at[0]] },
        ...{ key: rightKey.subarray(0, headDim), keyPositions: [at[1]] },
        scores: scores([query, key], model, 'half', at).slice(0, 1),
      }).layout;
    expect(detect(rightKey)).toBe('half');
    expect(detect(wrongKey)).toBe('neither');
  });
});

describe('detectLayout', () => {
  // [1, 2, 3, 4] at position 1 (huggingface/nanotron#427: exported as if half, without an error).
  test.each([
    ['interleaved', [-1.14264, 1.92208, 2.95985, 4.0298]],
    ['half', [-1.98411, 1.9599, 2.46238, 4.0198]],
  ] as const)('tells that a vector was turned in the layout %s', (layout, rotated) => {
    const detected = detectLayout({ headDim: 4, x: [1, 2, 3, 4], rotated, positions: [1] });
    expect(detected.layout).toBe(layout);
    const other = layout === 'half' ? 'interleaved' : 'half';
    expect(detected.errors[layout]).toBeLessThan(1e-5);
    expect(detected.errors[other]).toBeGreaterThan(0.1);
  });

  const head = { headDim: 10, rotaryDim: 8 };
  const [query, key] = [numbers(30, 7), numbers(20, 8)];
  const places = { queryPositions: [5, 6, 900], keyPositions: Int32Array.of(0, 3) };

  test.each(['half', 'interleaved'] as const)('tells it from scores: %s', (layout) => {
    const rope = posenc.encoding('rope', { ...head, layout, base: 500, attentionFactor: 1.25 });
    const result = posenc.attention({
      ...{ query, key, value: key, encoding: rope, ...places, return: ['scores'] },
      shape: { heads: 1, queries: 3, keys: 2, headDim: 10 },
    });
    const given = { ...head, query, key, ...places, scores: result.scores!, scale: 10 ** -0.5 };
    const rotation = { base: 500, attentionFactor: 1.25 };
    expect(detectLayout({ ...given, ...rotation })).toMatchObject({ layout });
    const { inverseFrequencies } = rope;
    expect(
      detectLayout({ ...given, inverseFrequencies, attentionFactor: 1.25 }).errors[layout],
    ).toBeLessThan(1e-5);
    expect(detectLayout({ ...given, ...rotation, base: 600 }).layout).toBe('neither');
    expect(detectLayout({ ...given, ...rotation, base: 600, tolerance: 10 }).layout).toBe('both');
  });

  test('says so when the data cannot tell', () => {
    const x = [1, 2, 3, 4];
    expect(detectLayout({ headDim: 4, x, rotated: x, positions: [0] }).layout).toBe('both');
    const zero = [0, 0, 0, 0];
    expect(detectLayout({ headDim: 4, x: zero, rotated: zero, positions: [3] })).toEqual({
      layout: 'both',
      errors: { half: 0, interleaved: 0 },
    });
  });
});

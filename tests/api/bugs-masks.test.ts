/** Reports of others about windows, NaN, softcap and heads (numbers as in the shared list), as tests named after the symptom. */
import { describe, expect, it } from 'vitest';
import { errorOf, expectNear, numbers, posenc } from './posenc.js';

describe('83: does a window of W hold W keys or W + 1?', () => {
  /** Which keys a query sees. */
  const seen = (query: number, keys: number, options: object): number[] => {
    const { weights } = posenc.attention({
      ...{ query: new Float32Array(1), key: new Float32Array(keys), value: numbers(keys) },
      shape: { heads: 1, queries: 1, keys, headDim: 1 },
      ...{ queryPositions: [query], return: ['weights'], ...options },
    });
    return Array.from(weights!.keys()).filter((n) => weights![n]! > 0);
  };

  it('W keys, the token itself among them: query 10 and W = 4', () => {
    expect(seen(10, 14, { causal: true, window: 4 })).toEqual([7, 8, 9, 10]);
    expect(seen(10, 14, { window: 4 })).toEqual([7, 8, 9, 10, 11, 12, 13]);
    expect(seen(10, 14, { causal: true, window: 1 })).toEqual([10]);
    expect(seen(2, 14, { causal: true, window: 4 })).toEqual([0, 1, 2]);
  });

  it.each([2048, 2049])('a window of %i is one of %i keys', (window) => {
    const keys = seen(4999, 5000, { causal: true, window });
    expect([keys.length, keys[0]]).toEqual([window, 5000 - window]);
  });
});

describe('85: NaN of a hidden key or value leaked', () => {
  const [heads, tokens, headDim] = [2, 7, 4];
  const shape = { heads, queries: tokens, headDim };
  const [query, key, value] = [1, 2, 3].map((seed) => numbers(heads * tokens * headDim, seed));
  const positions = [5, 4, 3, 2, 1, 0, 6];
  const rope = posenc.encoding('rope', { headDim });

  it.each([
    // What is hidden from the query at position 3, by slot.
    ['by causality', { causal: true }, [0, 1, 6]],
    ['by the window', { window: 2 }, [0, 4, 5, 6]],
    ['by the mask', { keyMask: [1, 0, 1, 1, 0, 1, 1] }, [1, 4]],
    ['by all', { causal: true, window: 3, keyMask: [1, 1, 1, 0, 1, 1, 1] }, [0, 1, 3, 5, 6]],
  ])('%s', (_, options, hidden) => {
    const row = (x: Float32Array) => {
      const picked = [0, 1].map((h) => x.subarray((h * tokens + 2) * headDim).slice(0, headDim));
      return Float32Array.from(picked.flatMap((part) => [...part]));
    };
    const inputs = { query: row(query!), shape: { ...shape, queries: 1, keys: tokens } };
    const at = { queryPositions: [3], keyPositions: positions, encoding: rope, ...options };
    const attend = (key: Float32Array, value: Float32Array) =>
      posenc.attention({ ...inputs, ...at, key, value, return: ['weights'] });
    const clean = attend(key!, value!);
    for (const poison of [NaN, Infinity, -Infinity]) {
      const spoil = (x: Float32Array) =>
        x.map((n, i) => (hidden.includes(Math.floor(i / headDim) % tokens) ? poison : n));
      expect(attend(spoil(key!), spoil(value!))).toEqual(clean);
      expect(attend(spoil(key!), value!)).toEqual(clean);
    }
    expect(Array.from(clean.output).every(Number.isFinite)).toBe(true);
  });
});

describe('87: softcap', () => {
  const inputs = {
    query: Float32Array.of(1),
    key: Float32Array.of(5, 5),
    value: Float32Array.of(1, 2),
    shape: { heads: 1, queries: 1, keys: 2, headDim: 1 },
    scale: 1,
  };

  it('after the mask lets the hidden key through, with e^−2 at a cap of 1', () => {
    const options = { softcap: 1, keyMask: [1, 0], return: ['capped', 'weights'] as const };
    const { output, capped, weights } = posenc.attention({ ...inputs, ...options });
    expect(Array.from(weights!)).toEqual([1, 0]);
    expect(output[0]).toBe(1);
    expectNear(capped!, [Math.tanh(5), Math.tanh(5)]);
  });

  it.each([0, -1, NaN, Infinity])('%d means neither off nor all logits 0: refused', (softcap) => {
    const error = errorOf(() => posenc.attention({ ...inputs, softcap }));
    expect(error).toMatchObject({ code: 'range', argument: 'softcap' });
  });

  it('was hard-coded 0 in one layer: off only when it is not given', () => {
    const [plain, capped] = [{}, { softcap: 50 }].map(
      (options) => posenc.attention({ ...inputs, ...options, return: ['capped'] }).capped!,
    );
    expect(Array.from(plain!)).toEqual([5, 5]);
    expectNear(capped!, Array<number>(2).fill(50 * Math.tanh(5 / 50)));
  });
});

it('kv heads were tiled instead of repeated: 4 heads read 0, 0, 1, 1', () => {
  const { output } = posenc.attention({
    query: new Float32Array(4),
    key: new Float32Array(2),
    value: Float32Array.of(10, 20),
    shape: { heads: 4, kvHeads: 2, queries: 1, keys: 1, headDim: 1 },
  });
  expect(Array.from(output)).toEqual([10, 10, 20, 20]);
});

it('the causal mask was aligned at the top left: fewer queries are the last of the keys', () => {
  const { weights } = posenc.attention({
    query: new Float32Array(2),
    key: new Float32Array(5),
    value: new Float32Array(5),
    shape: { heads: 1, queries: 2, keys: 5, headDim: 1 },
    ...{ causal: true, return: ['weights'] },
  });
  expectNear(weights!, [0.25, 0.25, 0.25, 0.25, 0, 0.2, 0.2, 0.2, 0.2, 0.2]);
});

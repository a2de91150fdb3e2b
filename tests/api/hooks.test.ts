/** Every encoding does what it fills, alone and in attention, with finite numbers. */
import { describe, expect, test } from 'vitest';
import { errorOf, numbers, posenc } from './posenc.js';
import { headDim, heads, samples, tokens } from './samples.js';

const x = numbers(heads * tokens * headDim);
const shape = [heads, tokens, headDim];
const attend = (encoding: object, change: object = {}) =>
  posenc.attention({
    ...{ query: x, key: x.map((n) => n / 2), value: x },
    shape: { heads, queries: tokens, headDim },
    ...{ encoding: encoding as never, causal: true, return: ['weights'] },
    ...change,
  });

describe.each(posenc.encodings)('$name', ({ name, hooks }) => {
  // The methods are those of every encoding; a hook decides which of them may be called.
  const encoding = posenc.encoding(name as 'rope', samples[name] as never);

  test('gives finite numbers alone, at the positions it knows by default', () => {
    const results: Float32Array[] = [];
    if (hooks.includes('embed')) results.push(encoding.embed(0, { tokens }));
    if (hooks.includes('bias')) results.push(encoding.bias({ queries: tokens }));
    if (hooks.includes('rotate')) {
      const { cos, sin } = encoding.table(0, { tokens });
      results.push(
        cos,
        sin,
        encoding.rotate(x, { shape }),
        encoding.rotate(x, { shape, side: 'key' }),
      );
      expect(results.at(-1)).not.toEqual(x);
    }
    for (const result of results) {
      expect(result.length).toBeGreaterThanOrEqual(tokens);
      expect(result.every(Number.isFinite)).toBe(true);
    }
    expect(encoding.inverseFrequencies.every(Number.isFinite)).toBe(true);
  });

  const acts = hooks.some((hook) => hook !== 'embed');
  test.runIf(acts)('changes attention, whose numbers stay finite', () => {
    const { output, weights } = attend(encoding);
    expect(output.every(Number.isFinite)).toBe(true);
    expect(weights!.every(Number.isFinite)).toBe(true);
    expect(weights).not.toEqual(attend([]).weights);
    // The first query sees one key, whatever the encoding.
    expect(weights![0]).toBe(1);
  });
});

describe('coordinates', () => {
  test('are as many as the encoding reads by default', () => {
    const grid = posenc.encoding('sinusoidal', { width: 8, axes: 2 });
    const positions = [0, 3, 2, 1];
    expect(grid.embed(positions)).toEqual(grid.embed(positions, { axes: 2 }));
    expect(errorOf(() => grid.embed(positions, { axes: 1 })).argument).toBe('axes');
  });

  test('of axes that are not read may be anything', () => {
    const rope = posenc.encoding('rope', { headDim });
    expect(rope.table([0, 99, 5, -7], { axes: 2 })).toEqual(rope.table([0, 5]));
  });
});

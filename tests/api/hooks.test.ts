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
    if (hooks.includes('scale')) results.push(encoding.scale(0, { tokens }));
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

describe('positions that an encoding does not know', () => {
  const learned = posenc.encoding('learned', samples.learned);
  const fox = posenc.encoding('fox', samples.fox);
  const cases: [string, () => unknown, string, string][] = [
    ['past a table', () => learned.embed([0, 6]), 'positions[1]', 'an integer from 0 to 5'],
    ['before it', () => learned.embed(-1, { tokens: 2 }), 'positions', 'an integer from 0 to 4'],
    ['too many', () => learned.embed(0, { tokens: 7 }), 'positions', 'at most 6 tokens'],
    ['of keys', () => fox.bias({ queryPositions: [5], keyPositions: [6] }), 'keyPositions[0]', '5'],
    ['of queries', () => fox.bias({ queryPositions: [7], keys: 6 }), 'queryPositions[0]', '5'],
    ['in attention', () => attend(fox, { queryPositions: 1 }), 'queryPositions', 'from 0 to 0'],
    [
      'of either encoding',
      () => attend([fox, posenc.encoding('rope', { headDim })], { keyPositions: 2 }),
      'keyPositions',
      'from 0 to 0',
    ],
  ];
  test.each(cases)('%s are refused by name, with the range', (_, call, argument, allowed) => {
    const error = errorOf(call);
    expect(error).toMatchObject({ code: 'range', argument });
    expect(error.allowed).toContain(allowed);
  });

  test('of axes that are not read may be anything', () => {
    const positions = [0, 99, 5, -7];
    expect(learned.embed(positions, { axes: 2 })).toEqual(learned.embed([0, 5]));
  });
});

describe('coordinates', () => {
  test.each([
    ['mrope', 3],
    ['rope_nd', 2],
    ['swin', 2],
    ['swin_cpb', 2],
  ] as const)('%s reads %i by default', (name, axes) => {
    const encoding = posenc.encoding(name as 'rope', samples[name] as never);
    const list = Array.from({ length: 2 * axes }, (_, i) => i % 4);
    const call = (options: object) =>
      encoding.hooks.includes('bias')
        ? encoding.bias({ queryPositions: list, keyPositions: list, ...options })
        : encoding.table(list, options);
    expect(call({})).toEqual(call({ axes }));
    expect(errorOf(() => call({ axes: axes - 1 })).argument).toBe('axes');
  });

  test('of text may be one where an encoding reads several', () => {
    const mrope = posenc.encoding('mrope', samples.mrope);
    const rope = posenc.encoding('rope', { headDim });
    expect(mrope.table([3, 9], { axes: 1 })).toEqual(rope.table([3, 9]));
    expect(mrope.table([3, 3, 3, 9, 9, 9])).toEqual(rope.table([3, 9]));
    const nd = posenc.encoding('rope_nd', samples.rope_nd);
    expect(errorOf(() => nd.table([3, 9], { axes: 1 })).argument).toBe('axes');
  });
});

/** Sequences without tokens: nothing in, nothing out; without keys, zeros. */
import { describe, expect, test } from 'vitest';
import type { AttentionShape, EncodingName, Tap } from 'posenc';
import { headDim, heads, samples } from './samples.js';
import { errorOf, numbers, posenc } from './posenc.js';

const taps: readonly Tap[] = ['scores', 'capped', 'biased', 'logits', 'weights'];

/** A call of the shape, with numbers that would show. */
function inputsOf({
  batch = 1,
  queries,
  keys = queries,
}: Pick<AttentionShape, 'batch' | 'queries' | 'keys'>) {
  return {
    query: numbers(batch * heads * queries * headDim, 1),
    key: numbers(batch * heads * keys * headDim, 2),
    value: numbers(batch * heads * keys * headDim, 3),
    shape: { batch, heads, queries, keys, headDim },
  };
}

describe('attention', () => {
  const sizes: [name: string, batch: number, queries: number, keys: number][] = [
    ['no queries', 2, 0, 5],
    ['no keys', 2, 5, 0],
    ['neither', 2, 0, 0],
    ['no batch', 0, 5, 5],
  ];

  test.each(sizes)('%s', (_, batch, queries, keys) => {
    const inputs = inputsOf({ batch, queries, keys });
    const result = posenc.attention({ ...inputs, causal: true, return: taps });
    expect(result.output).toEqual(new Float32Array(batch * heads * queries * headDim));
    for (const tap of taps) expect(result[tap]).toHaveLength(batch * heads * queries * keys);
  });

  test.each(sizes)('%s, with every mask', (_, batch, queries, keys) => {
    const inputs = inputsOf({ batch, queries, keys });
    const result = posenc.attention({
      ...inputs,
      ...{ causal: true, window: 3, chunk: 4, sinks: 1 },
      keyMask: new Uint8Array(keys).fill(1),
      globalKeys: new Uint8Array(keys),
      globalQueries: new Uint8Array(queries),
      querySegments: new Int32Array(queries),
      keySegments: new Int32Array(keys),
      mask: new Float32Array(queries * keys),
      maskShape: [queries, keys],
      sinkLogits: numbers(heads),
      queryScales: new Float32Array(queries).fill(1),
      queryPositions: Array.from({ length: queries }, (_, i) => i),
      keyPositions: new Int32Array(keys),
    });
    expect(result.output).toEqual(new Float32Array(batch * heads * queries * headDim));
  });

  const names = Object.keys(samples) as EncodingName[];
  const inside = names.filter((name) => {
    const { hooks } = posenc.encoding(name as 'rope', samples[name] as never);
    return hooks.length === 0 || hooks.some((hook) => hook !== 'embed');
  });

  test.each(inside)('with %s', (name) => {
    const encoding = posenc.encoding(name as 'rope', samples[name] as never);
    for (const [, batch, queries, keys] of sizes) {
      const { output } = posenc.attention({ ...inputsOf({ batch, queries, keys }), encoding });
      expect(output).toEqual(new Float32Array(batch * heads * queries * headDim));
    }
  });

  test('tensors of no numbers tell the shape', () => {
    using query = posenc.tensor(numbers(2 * 3 * 4), [1, 2, 3, 4]);
    using none = posenc.zeros([1, 2, 0, 4]);
    const { output, weights } = posenc.attention({
      ...{ query, key: none, value: none },
      return: ['weights'],
    });
    expect(output).toEqual(new Float32Array(24));
    expect(weights).toEqual(new Float32Array(0));
    expect(posenc.attention({ query: none, key: query, value: query, out: none }).output).toBe(
      none,
    );
  });

  test('what is of another length is refused', () => {
    const { query, key, value, shape } = inputsOf({ queries: 3, keys: 0 });
    const refused = errorOf(() => posenc.attention({ query, key: numbers(8), value, shape }));
    expect(refused).toMatchObject({ code: 'shape', argument: 'key' });
    const listed = errorOf(() => posenc.attention({ query, key, value, shape, keyPositions: [0] }));
    expect(listed).toMatchObject({ code: 'shape', argument: 'keyPositions' });
  });
});

test('rotate takes no tokens', () => {
  const rope = posenc.encoding('rope', { headDim });
  for (const shape of [
    [0, headDim],
    [2, 0, 3, headDim],
  ]) {
    expect(rope.rotate(new Float32Array(0), { shape })).toEqual(new Float32Array(0));
  }
  expect(rope.rotate(new Float32Array(0), { shape: [0, headDim], positions: [] })).toHaveLength(0);
});

test('tensors may hold nothing', () => {
  const before = posenc.info.liveTensors;
  {
    using tensor = posenc.tensor(new Float32Array(0), [3, 0]);
    expect([tensor.size, tensor.disposed, tensor.read()]).toEqual([0, false, new Float32Array(0)]);
    tensor.write(new Float32Array(0));
    expect(posenc.info.liveTensors).toBe(before + 1);
  }
  expect(posenc.info.liveTensors).toBe(before);
});

import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { load, type AttentionInputs, type AttentionShape, type Encoding } from 'posenc';
import type { Positions, RopeOptions, Tap } from 'posenc';
import { expectNear, numbers, posenc } from './posenc.js';
import { attention as reference, slopes, turn } from './reference.js';

const allTaps: readonly Tap[] = ['scores', 'capped', 'biased', 'logits', 'weights'];

/** What a case changes. */
type Options = Omit<Partial<AttentionInputs<Float32Array>>, 'query' | 'key' | 'value'>;

/** A call and the same call for the reference. */
function both(shape: AttentionShape, options: Options = {}) {
  const { batch = 1, heads, kvHeads = heads, queries, keys = queries, headDim } = shape;
  const { valueDim = headDim } = shape;
  const query = numbers(batch * heads * queries * headDim, 1);
  const key = numbers(batch * kvHeads * keys * headDim, 2);
  const value = numbers(batch * kvHeads * keys * valueDim, 3);
  const { encoding, keyMask, causal, window, softcap, scale } = options;
  const { keyPositions = 0, queryPositions } = options;
  const at = (positions: Positions, count: number) => (b: number, i: number) => {
    if (typeof positions === 'number') return positions + i;
    return positions.length > count ? positions[b * count + i]! : positions[i]!;
  };
  const keyPosition = at(keyPositions, keys);
  const queryPosition =
    queryPositions === undefined
      ? (b: number, m: number) =>
          typeof keyPositions === 'number'
            ? keyPositions + keys - queries + m
            : keyPosition(b, keys - queries + m)
      : at(queryPositions, queries);
  const terms: readonly Encoding[] = [encoding ?? []].flat();
  const rope = terms.find(({ name }) => name === 'rope')?.options as RopeOptions | undefined;
  const alibi = terms.some(({ name }) => name === 'alibi');
  const expected = reference({
    ...{ batch, heads, kvHeads, queries, keys, headDim, valueDim, query, key, value },
    ...{ queryPosition, keyPosition },
    ...(rope && { rotate: (vector, position) => turn(vector, position, rope) }),
    ...(alibi && { bias: (head, distance) => -slopes(heads)[head]! * Math.abs(distance) }),
    ...(keyMask && {
      isReal: (b, n) => Boolean(keyMask.length > keys ? keyMask[b * keys + n] : keyMask[n]),
    }),
    ...(causal && { causal }),
    ...(typeof window === 'number' && { window }),
    ...(softcap && { softcap }),
    ...(scale !== undefined && { scale }),
  });
  const inputs = { query, key, value, shape, ...options, return: allTaps };
  return { inputs, expected };
}

const rope = (headDim: number, options = {}) => posenc.encoding('rope', { headDim, ...options });
const alibi = (heads: number) => posenc.encoding('alibi', { heads });
const nope = posenc.encoding('nope');

describe('attention is the formula', () => {
  const small: AttentionShape = { batch: 2, heads: 4, queries: 5, headDim: 8 };
  const cases: [string, AttentionShape, Options?][] = [
    ['one of everything', { heads: 1, queries: 1, headDim: 1 }],
    ['plain', small],
    ['more keys than queries', { ...small, keys: 130 }, { causal: true }],
    ['more queries than keys', { ...small, queries: 7, keys: 3 }, { causal: true }],
    ['awkward sizes', { heads: 3, queries: 65, keys: 127, headDim: 17, valueDim: 5 }],
    ['value wider than query', { ...small, valueDim: 19 }, { causal: true }],
    ['grouped heads', { ...small, kvHeads: 2 }, { causal: true }],
    ['one kv head', { ...small, kvHeads: 1 }],
    ['window', { ...small, queries: 40 }, { causal: true, window: 7 }],
    ['window of the token itself', small, { window: 1 }],
    ['window on both sides', { ...small, queries: 20 }, { window: 3 }],
    ['softcap', small, { softcap: 0.75 }],
    ['scale', small, { scale: 0.3 }],
    ['negative scale', small, { scale: -1 }],
    ['scale 0', small, { scale: 0 }],
    ['nope', small, { encoding: nope, causal: true }],
    ['rope', small, { encoding: rope(8), causal: true }],
    ['rope in pairs', small, { encoding: rope(8, { layout: 'interleaved', rotaryDim: 6 }) }],
    ['alibi', small, { encoding: alibi(4) }],
    ['alibi, causal, long', { ...small, queries: 100 }, { encoding: [alibi(4)], causal: true }],
    [
      'everything',
      { ...small, queries: 33, keys: 70, kvHeads: 2, valueDim: 6 },
      {
        encoding: [rope(8), alibi(4), nope],
        ...{ causal: true, window: 20, softcap: 2, scale: 0.5 },
        keyMask: Array.from({ length: 70 }, (_, n) => n % 5 !== 3),
      },
    ],
    ['key mask for all batches', small, { keyMask: Uint8Array.of(1, 0, 1, 1, 0) }],
    ['key mask per batch', small, { keyMask: [0, 1, 1, 1, 1, 1, 1, 0, 0, 1] }],
    ['a first position', small, { keyPositions: 1000, encoding: rope(8), causal: true }],
    [
      'listed positions',
      small,
      { keyPositions: [9, 2, 7, 100, -4], queryPositions: [7, 8, 2, 1, 0], causal: true },
    ],
    [
      'listed key positions, the queries last',
      { ...small, keys: 9 },
      { keyPositions: [0, 1, 2, 3, 10, 11, 12, 20, 21], encoding: alibi(4), causal: true },
    ],
    [
      'positions per batch, the queries last',
      { ...small, queries: 2, keys: 3 },
      { keyPositions: Int32Array.of(0, 1, 2, 5, 6, 7), encoding: rope(8), causal: true },
    ],
    [
      'query positions per batch',
      { ...small, queries: 2, keys: 3 },
      { queryPositions: [1, 2, 0, 5], encoding: [alibi(4), rope(8)], causal: true },
    ],
  ];

  test.each(cases)('%s', (_, shape, options) => {
    const { inputs, expected } = both(shape, options);
    const result = posenc.attention(inputs);
    expectNear(result.output, expected.output);
    for (const tap of allTaps) expectNear(result[tap]!, expected[tap]);
  });

  test('without taps there is the output alone', () => {
    const { inputs } = both({ heads: 2, queries: 70, headDim: 16 }, { encoding: rope(16) });
    const { output, ...tapped } = posenc.attention(inputs);
    expect(Object.keys(tapped)).toEqual(allTaps);
    const plain = posenc.attention({ ...inputs, return: [] });
    expect(Object.keys(plain)).toEqual(['output']);
    expectNear(plain.output, output);
  });
});

describe('what is hidden', () => {
  test('gives 0 in a row that sees nothing', () => {
    const { inputs } = both({ heads: 2, queries: 3, headDim: 4 }, { keyMask: [0, 0, 0] });
    const { output, weights, logits } = posenc.attention(inputs);
    expect(output).toEqual(new Float32Array(24));
    expect(weights).toEqual(new Float32Array(18));
    expect(logits).toEqual(new Float32Array(18).fill(-Infinity));
  });

  test.each([NaN, Infinity, -Infinity])('does not leak %d', (poison) => {
    const shape = { heads: 2, queries: 6, headDim: 4 };
    const keyMask = [1, 1, 1, 1, 0, 1];
    const { inputs } = both(shape, { encoding: rope(4), causal: true, keyMask });
    const expected = posenc.attention({ ...inputs, return: [] });
    const [key, value] = [inputs.key.slice(), inputs.value.slice()];
    for (const head of [0, 1]) {
      key.fill(poison, (head * 6 + 4) * 4, (head * 6 + 5) * 4);
      value.fill(poison, (head * 6 + 4) * 4, (head * 6 + 5) * 4);
    }
    expect(posenc.attention({ ...inputs, key, value, return: [] })).toEqual(expected);
  });
});

describe('where numbers come from and go', () => {
  const shape = { batch: 2, heads: 2, queries: 5, headDim: 4 };
  const options = { encoding: rope(4), causal: true, return: ['weights'] as const };
  const { query, key, value } = both(shape).inputs;
  const inputs = { query, key, value, shape, ...options };
  const expected = posenc.attention(inputs);
  const dimensions = [2, 2, 5, 4];

  test('tensors give the same bits as arrays, and tell the shape', () => {
    using query = posenc.tensor(inputs.query, dimensions);
    using key = posenc.tensor(inputs.key, dimensions);
    using value = posenc.tensor(inputs.value, dimensions);
    expect(posenc.attention({ query, key, value, ...options })).toEqual(expected);
    expect(posenc.attention({ ...inputs, query, value })).toEqual(expected);
  });

  test('a flat tensor needs the shape', () => {
    using query = posenc.tensor(inputs.query, [80]);
    expect(posenc.attention({ ...inputs, query })).toEqual(expected);
  });

  test('out is returned, and holds the output', () => {
    const out = new Float32Array(80);
    expect(posenc.attention({ ...inputs, out }).output).toBe(out);
    expect(out).toEqual(expected.output);
    using tensor = posenc.zeros(dimensions);
    expect(posenc.attention({ ...inputs, out: tensor }).output).toBe(tensor);
    expect(tensor.read()).toEqual(expected.output);
  });

  test.each(['query', 'key', 'value'] as const)('out may be the %s', (name) => {
    const array = inputs[name].slice();
    posenc.attention({ ...inputs, [name]: array, out: array });
    expect(array).toEqual(expected.output);
    using tensor = posenc.tensor(inputs[name], dimensions);
    posenc.attention({ ...inputs, [name]: tensor, out: tensor });
    expect(tensor.read()).toEqual(expected.output);
  });

  test('arrays may overlap in one buffer', () => {
    const buffer = new Float32Array(100);
    const query = buffer.subarray(0, 80);
    const out = buffer.subarray(13, 93);
    query.set(inputs.query);
    posenc.attention({ ...inputs, query, out });
    expect(out).toEqual(expected.output);
  });

  test('shared buffers are read and written', () => {
    const shared = (data: Float32Array) => {
      const array = new Float32Array(new SharedArrayBuffer(4 * data.length));
      array.set(data);
      return array;
    };
    const out = shared(new Float32Array(80));
    posenc.attention({ ...inputs, query: shared(inputs.query), out });
    expect(Array.from(out)).toEqual(Array.from(expected.output));
  });

  test('an encoding of another module works here', async () => {
    const bytes = await readFile(new URL('../../dist/kernels-simd.wasm', import.meta.url));
    const other = await load({ variant: 'simd', wasmBinary: bytes });
    expect(other).not.toBe(posenc);
    const encoding = other.encoding('rope', { headDim: 4 });
    expect(posenc.attention({ ...inputs, encoding })).toEqual(expected);
  });
});

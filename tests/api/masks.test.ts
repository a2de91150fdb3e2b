/** Every mask of `attention`, alone and together, against the definition in float64. */
import { describe, expect, test } from 'vitest';
import type { AttentionInputs, AttentionMasks } from 'posenc';
import { errorOf, expectNear, numbers, posenc } from './posenc.js';
import { attention as reference, type ReferenceInputs } from './reference.js';

const sizes = { batch: 2, heads: 4, kvHeads: 2, queries: 7, keys: 11, headDim: 5, valueDim: 3 };
const { batch, heads, kvHeads, queries, keys, headDim, valueDim } = sizes;
const data = {
  query: numbers(batch * heads * queries * headDim, 2),
  key: numbers(batch * kvHeads * keys * headDim, 3),
  value: numbers(batch * kvHeads * keys * valueDim, 4),
};
const inputs = { ...data, shape: sizes } satisfies AttentionInputs;

/** Without positions the queries are the last of the keys. */
const at = (m: number): number => keys - queries + m;
const flags = (count: number, every: number) =>
  Array.from({ length: count }, (_, i) => i % every > 0);
const pairs = batch * heads * queries * keys;
const dense = numbers(pairs, 5);
const segmentsOf = (tokens: number) =>
  Array.from({ length: batch * tokens }, (_, i) => (i * i) % 3);
const [querySegments, keySegments] = [segmentsOf(queries), segmentsOf(keys)];
const perHead = numbers(heads, 6);
const perQuery = numbers(batch * queries, 7);
const pair = (b: number, h: number, m: number, n: number) =>
  ((b * heads + h) * queries + m) * keys + n;

type Expected = Pick<
  ReferenceInputs,
  'sees' | 'added' | 'factor' | 'sinkLogit' | 'causal' | 'isReal'
>;

const cases: [title: string, options: AttentionMasks, expected: Expected][] = [
  ['window before', { window: { before: 2 } }, { sees: (_b, _h, m, n) => n >= at(m) - 2 }],
  ['window after', { window: { after: 0 } }, { sees: (_b, _h, m, n) => n <= at(m) }],
  [
    'both sides',
    { window: { before: 1, after: 2 } },
    { sees: (_b, _h, m, n) => n >= at(m) - 1 && n <= at(m) + 2 },
  ],
  [
    'chunks',
    { chunk: 4, causal: true },
    { causal: true, sees: (_b, _h, m, n) => Math.floor(at(m) / 4) === Math.floor(n / 4) },
  ],
  [
    'a window with kept sinks',
    { window: 2, sinks: 2, causal: true },
    { causal: true, sees: (_b, _h, m, n) => n < 2 || Math.abs(at(m) - n) < 2 },
  ],
  [
    'global keys and queries',
    { window: 1, globalKeys: flags(keys, 4), globalQueries: flags(batch * queries, 3) },
    {
      sees: (b, _h, m, n) => n % 4 > 0 || (b * queries + m) % 3 > 0 || at(m) === n,
    },
  ],
  [
    'segments per batch entry',
    { querySegments, keySegments: Int32Array.from(keySegments) },
    { sees: (b, _h, m, n) => querySegments[b * queries + m] === keySegments[b * keys + n] },
  ],
  [
    'booleans per pair, shared',
    { mask: flags(queries * keys, 3) },
    { sees: (_b, _h, m, n) => (m * keys + n) % 3 > 0 },
  ],
  [
    'bytes per pair of everything',
    { mask: Uint8Array.from(dense, (x) => (x > 0 ? 1 : 0)) },
    { sees: (b, h, m, n) => dense[pair(b, h, m, n)]! > 0 },
  ],
  ['numbers added per pair', { mask: dense }, { added: (b, h, m, n) => dense[pair(b, h, m, n)]! }],
  [
    'numbers added per head and key',
    { mask: dense.slice(0, heads * keys), maskShape: [heads, 1, keys] },
    { added: (_b, h, _m, n) => dense[h * keys + n]! },
  ],
  [
    'numbers added per batch entry',
    { mask: dense.slice(0, batch * keys), maskShape: [batch, 1, 1, keys] },
    { added: (b, _h, _m, n) => dense[b * keys + n]! },
  ],
  [
    'a huge number on all keys: the softmax does not see it',
    { mask: new Float32Array(queries * keys).fill(-1e9) },
    {},
  ],
  ['a logit of its own per head', { sinkLogits: perHead }, { sinkLogit: (h) => perHead[h]! }],
  [
    'scales per head and per query',
    { headScales: perHead, queryScales: perQuery },
    { factor: (b, h, m) => perHead[h]! * perQuery[b * queries + m]! },
  ],
  [
    'much of it together',
    {
      ...{ causal: true, window: 4, sinks: 1, querySegments, keySegments, mask: dense },
      ...{ keyMask: flags(batch * keys, 5), sinkLogits: perHead, queryScales: perQuery },
    },
    {
      causal: true,
      isReal: (b, n) => (b * keys + n) % 5 > 0,
      sees: (b, _h, m, n) =>
        (n < 1 || Math.abs(at(m) - n) < 4) &&
        querySegments[b * queries + m] === keySegments[b * keys + n],
      added: (b, h, m, n) => dense[pair(b, h, m, n)]!,
      factor: (b, _h, m) => perQuery[b * queries + m]!,
      sinkLogit: (h) => perHead[h]!,
    },
  ],
];

test.each(cases)('%s', (_title, options, expected) => {
  const { output, weights } = posenc.attention({ ...inputs, ...options, return: ['weights'] });
  const positions = {
    queryPosition: (_b: number, m: number) => at(m),
    keyPosition: (_b: number, n: number) => n,
  };
  const right = reference({ ...sizes, ...data, ...positions, ...expected });
  expectNear(weights!, right.weights);
  expectNear(output, right.output);
});

test('a tensor is a mask that is added, in its own shape', () => {
  using mask = posenc.tensor(dense.slice(0, keys), [1, keys]);
  const { output } = posenc.attention({ ...inputs, mask });
  const array = posenc.attention({ ...inputs, mask: mask.read(), maskShape: [1, keys] });
  expect(output).toEqual(array.output);
});

test('what −∞ hides does not leak', () => {
  const mask = new Float32Array(keys).fill(0);
  mask[4] = -Infinity;
  const poisoned = { ...inputs, key: data.key.slice(), value: data.value.slice() };
  for (let row = 0; row < batch * kvHeads; row++) {
    poisoned.key.fill(NaN, (row * keys + 4) * headDim, (row * keys + 5) * headDim);
    poisoned.value.fill(Infinity, (row * keys + 4) * valueDim, (row * keys + 5) * valueDim);
  }
  const options = { mask, maskShape: [keys] };
  const { output } = posenc.attention({ ...poisoned, ...options });
  expect(output).toEqual(posenc.attention({ ...inputs, ...options }).output);
});

describe('bad input', () => {
  const bad: [options: object, code: string, argument: string, message: string][] = [
    [{ window: { before: -1 } }, 'range', 'window.before', 'from 0 to'],
    [{ window: { left: 1 } }, 'option', 'window.left', 'before and after'],
    [{ window: 0 }, 'range', 'window', 'from 1 to'],
    [{ chunk: 0 }, 'range', 'chunk', 'from 1 to'],
    [{ sinks: 1.5 }, 'range', 'sinks', 'from 0 to'],
    [{ globalKeys: [true] }, 'shape', 'globalKeys', 'one value per key = 11'],
    [{ globalQueries: 'all' }, 'argument', 'globalQueries', 'array of booleans'],
    [{ querySegments }, 'argument', 'keySegments', 'for queries and keys or for neither'],
    [{ querySegments: [0.5], keySegments }, 'shape', 'querySegments', 'one value per query = 7'],
    [{ mask: new Float32Array(3) }, 'shape', 'mask', '[2, 4, 7, 11]'],
    [{ mask: flags(keys, 2), maskShape: [2, keys] }, 'shape', 'maskShape', 'each of them or 1'],
    [{ maskShape: [keys] }, 'argument', 'maskShape', 'there is no mask'],
    [{ mask: new Float32Array(keys).fill(NaN), maskShape: [keys] }, 'range', 'mask[0]', '−∞'],
    [{ sinkLogits: new Float32Array(3) }, 'shape', 'sinkLogits', 'heads = 4'],
    [{ headScales: [1] }, 'argument', 'headScales', 'Float32Array'],
    [{ queryScales: new Float32Array(5) }, 'shape', 'queryScales', '2·7 = 14'],
  ];
  test.each(bad)('%o', (options, code, argument, message) => {
    const error = errorOf(() => posenc.attention({ ...inputs, ...options }));
    expect(error).toMatchObject({ code, argument });
    expect(error.message).toContain(message);
  });
});

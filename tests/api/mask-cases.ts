/** Masks of every kind, alone and together, and what they mean: options and their definition. */
import type { AttentionInputs, AttentionMasks } from 'posenc';
import { numbers } from './posenc.js';
import type { ReferenceInputs } from './reference.js';

export const sizes = {
  batch: 2,
  heads: 4,
  kvHeads: 2,
  queries: 7,
  keys: 11,
  headDim: 5,
  valueDim: 3,
};
const { batch, heads, kvHeads, queries, keys, headDim, valueDim } = sizes;
export const data = {
  query: numbers(batch * heads * queries * headDim, 2),
  key: numbers(batch * kvHeads * keys * headDim, 3),
  value: numbers(batch * kvHeads * keys * valueDim, 4),
};
export const inputs = { ...data, shape: sizes } satisfies AttentionInputs;

/** Without positions the queries are the last of the keys. */
export const at = (m: number): number => keys - queries + m;
export const flags = (count: number, every: number) =>
  Array.from({ length: count }, (_, i) => i % every > 0);
const pairs = batch * heads * queries * keys;
export const dense = numbers(pairs, 5);
const segmentsOf = (tokens: number) =>
  Array.from({ length: batch * tokens }, (_, i) => (i * i) % 3);
export const [querySegments, keySegments] = [segmentsOf(queries), segmentsOf(keys)];
export const perHead = numbers(heads, 6);
export const perQuery = numbers(batch * queries, 7);
const pair = (b: number, h: number, m: number, n: number) =>
  ((b * heads + h) * queries + m) * keys + n;

export type Expected = Pick<
  ReferenceInputs,
  'sees' | 'added' | 'factor' | 'sinkLogit' | 'causal' | 'isReal'
>;

export const maskCases: [title: string, options: AttentionMasks, expected: Expected][] = [
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

/** Where tokens stand by default, for the reference. */
export const positions = {
  queryPosition: (_batch: number, m: number) => at(m),
  keyPosition: (_batch: number, n: number) => n,
};

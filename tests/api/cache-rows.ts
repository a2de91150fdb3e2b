/** Tokens of one sequence with numbers for all sides, and what a cache gives for them, row by row. */
import type { AttentionInputs, CacheQueries, Encoding, EncodingName, KvCache } from 'posenc';
import { expect } from 'vitest';
import { expectNear, numbers, posenc } from './posenc.js';
import { headDim, heads, samples, tokens } from './samples.js';

export const kvHeads = 1;
export const valueDim = headDim;
/** Heads that share keys, and width of a row: of a side. */
const sides = {
  query: { heads, width: headDim, seed: 11 },
  key: { heads: kvHeads, width: headDim, seed: 12 },
  value: { heads: kvHeads, width: valueDim, seed: 13 },
};
type Side = keyof typeof sides;

/** A padding token: its numbers are NaN. */
export const padding = -1;

/** The samples, but windows of images are 6 rows high, so that each token stands in a row of its own. */
const options = {
  ...samples,
  swin: { heads, height: tokens, width: 2, table: numbers(11 * 3 * heads) },
  swin_cpb: { ...samples.swin_cpb, height: tokens, width: 2 },
};

export const make = (name: EncodingName, change: object = {}): Encoding =>
  posenc.encoding(name as 'rope', { ...options[name], ...change } as never);

/** Every encoding that acts inside attention. */
export const acting = posenc.encodings
  .filter(({ hooks }) => hooks.length === 0 || hooks.some((hook) => hook !== 'embed'))
  .map(({ name }) => name);

/** Rotations that turn the pairs of a key by its position and do nothing else. */
export const turning: readonly EncodingName[] = [
  ...(['rope', 'xpos', 'rope_nd', 'mrope', 'hope', 'fope', 'rope_pp', 'selective_rope'] as const),
];

/** Encodings of which only differences of positions count, along one axis. */
export const relative: readonly EncodingName[] = [
  ...(['nope', 'rope', 'xpos', 'hope', 'fope', 'pope', 'rope_pp', 'rope_remapped'] as const),
  ...(['alibi', 'shaw', 'transformer_xl', 'deberta', 'cope', 'dape'] as const),
  ...(['t5', 'kerple', 'sandwich', 'dynamic_bias'] as const),
];

const axes: { readonly [Name in EncodingName]?: number } = {
  ...{ rope_nd: 2, mrope: 3, swin: 2, swin_cpb: 2 },
};

/** Where a token stands: its number on the first axis, small numbers on the others. */
export const place = (name: EncodingName, token: number): number[] =>
  Array.from({ length: axes[name] ?? 1 }, (_, axis) => (axis === 0 ? token : token % (axis + 1)));

/** Rows of some tokens of a side, `[heads, picked, width]`. The numbers of a token are always the same. */
export function rows(side: Side, picked: readonly number[]): Float32Array {
  const { heads, width, seed } = sides[side];
  const out = new Float32Array(heads * picked.length * width).fill(NaN);
  picked.forEach((token, i) => {
    if (token === padding) return;
    const row = numbers(heads * width, 100 * seed + token);
    for (let h = 0; h < heads; h++) {
      out.set(row.subarray(h * width, (h + 1) * width), (h * picked.length + i) * width);
    }
  });
  return out;
}

/** Tokens from `first` to `end` − 1. */
export const range = (first: number, end: number): number[] =>
  Array.from({ length: end - first }, (_, i) => first + i);

/** Outputs by token, `[heads, valueDim]` each. */
export type Outputs = Map<number, Float32Array>;

/** Sorts the rows of an output `[batch, heads, picked, valueDim]`, of one batch entry, by token. */
export function byToken(output: Float32Array, picked: readonly number[], entry = 0): Outputs {
  const count = picked.length;
  const one = output.subarray(entry * heads * count * valueDim);
  return new Map(
    picked.map((token, i) => {
      const row = Array.from({ length: heads }, (_, h) => {
        const start = (h * count + i) * valueDim;
        return [...one.subarray(start, start + valueDim)];
      });
      return [token, Float32Array.from(row.flat())];
    }),
  );
}

/** What some queries get from some keys in one call without a cache. */
export function prefill(
  name: EncodingName,
  change: Partial<AttentionInputs> = {},
  queries = range(0, tokens),
  keys = range(0, tokens),
): Outputs {
  const encoding = change.encoding ?? make(name);
  const at = (picked: readonly number[]) => picked.flatMap((token) => place(name, token));
  const { output } = posenc.attention({
    ...{ query: rows('query', queries), key: rows('key', keys), value: rows('value', keys) },
    shape: { heads, kvHeads, queries: queries.length, keys: keys.length, headDim, valueDim },
    ...{ encoding, causal: true, queryPositions: at(queries), keyPositions: at(keys) },
    ...change,
  } as AttentionInputs<Float32Array>);
  return byToken(output, queries);
}

/** The inputs of a call with some tokens, whose positions are said where the cache cannot count them. */
export function inputs(name: EncodingName, picked: readonly number[]): CacheQueries<Float32Array> {
  const real = picked.map((token) => token !== padding);
  const axis = place(name, 0).length;
  return {
    ...{ query: rows('query', picked), key: rows('key', picked), value: rows('value', picked) },
    ...(axis > 1 && { positions: picked.flatMap((token) => place(name, Math.max(token, 0))) }),
    ...(real.includes(false) && { keyMask: real }),
  };
}

/** Hands chunks of tokens to a cache; collects the outputs of all that are no padding. */
export function decode(
  cache: KvCache,
  name: EncodingName,
  chunks: readonly (readonly number[])[],
  change: Partial<CacheQueries<Float32Array>> = {},
): Outputs {
  const outputs: Outputs = new Map();
  for (const chunk of chunks) {
    const { output } = cache.attend(0, { ...inputs(name, chunk), ...change });
    for (const [token, row] of byToken(output, chunk)) outputs.set(token, row);
  }
  const padded = outputs.get(padding);
  if (padded !== undefined) expect(padded).toEqual(new Float32Array(padded.length));
  outputs.delete(padding);
  return outputs;
}

/** Expects outputs of the same tokens, near each other. */
export function expectSame(actual: Outputs, expected: Outputs): void {
  const order = (outputs: Outputs) => [...outputs.keys()].sort((a, b) => a - b);
  expect(order(actual)).toEqual(order(expected));
  for (const [token, row] of expected) expectNear(actual.get(token)!, row);
}

/** Content terms of other implementations (Shaw, Transformer-XL, DeBERTa, CoPE), through the public API. */
import { describe, expect, test } from 'vitest';
import { floats, golden, integers, tensor, type GoldenCase } from './golden-tables.js';
import { expectNear, posenc } from './posenc.js';

const ones = (count: number): Float32Array => new Float32Array(count).fill(1);
/** 0, 1, 2 …: a table of these shows which of its rows is read. */
const counted = (count: number): Float32Array => Float32Array.from({ length: count }, (_, i) => i);
const sum = (...lists: (readonly number[])[]): number[] =>
  lists[0]!.map((_, i) => lists.reduce((total, list) => total + list[i]!, 0));

/** An attention problem with the shapes of the tensors `query` and `key`. */
function problem(given: GoldenCase) {
  const [batch = 1, heads = 1, queries = 1, headDim = 1] = tensor(given, 'query').shape;
  const [, kvHeads = 1, keys = 1] = tensor(given, 'key').shape;
  const [query, key] = ['query', 'key'].map((name) => floats(given, name)!) as [
    Float32Array,
    Float32Array,
  ];
  const value = floats(given, 'value') ?? key;
  return { query, key, value, shape: { batch, heads, kvHeads, queries, keys, headDim } };
}

describe('shaw', () => {
  test.each(golden('shaw').cases)('$name', (given) => {
    const { max_distance: maxDistance = 0 } = given.numbers;
    const { shape, values } = tensor(given, 'rows');
    const [queries = 1, keys = 1] = shape;
    // Keys are 0: a score is the query, 1, times the vector of the distance.
    const { scores } = posenc.attention({
      query: ones(queries),
      key: new Float32Array(keys),
      value: ones(keys),
      shape: { heads: 1, queries, keys, headDim: 1 },
      encoding: posenc.encoding('shaw', {
        headDim: 1,
        maxDistance,
        keys: counted(2 * maxDistance + 1),
      }),
      scale: 1,
      return: ['scores'],
    });
    expect(Array.from(scores!)).toEqual(values);
  });
});

describe('transformer_xl', () => {
  const cases = golden('transformer_xl').cases;

  test.each(cases.filter(({ tensors }) => tensors.rows))('$name', (given) => {
    const { width = 0 } = given.numbers;
    const sinusoidal = posenc.encoding('sinusoidal', { width, layout: 'halves' });
    const rows = sinusoidal.embed(integers(given, 'positions'));
    expectNear(rows, tensor(given, 'rows').values);
  });

  test.each(cases.filter(({ tensors }) => tensors.vectors))('$name', (given) => {
    const call = problem(given);
    const { heads, headDim } = call.shape;
    const encoding = posenc.encoding('transformer_xl', {
      heads,
      headDim,
      maxDistance: tensor(given, 'vectors').shape[1]! - 1,
      contentBias: floats(given, 'u')!,
      positionBias: floats(given, 'v')!,
      vectors: floats(given, 'vectors')!,
    });
    const scale = given.numbers.scale!;
    const result = posenc.attention({
      ...{ ...call, encoding, scale, causal: true },
      return: ['scores'],
    });
    expectNear(result.output, tensor(given, 'output').values);
    const hidden = tensor(given, 'hidden').values;
    const seen = (x: number, i: number) => (hidden[i % hidden.length] === 0 ? x : 0);
    expectNear(result.scores!.map(seen), tensor(given, 'scores').values.map(seen));
  });
});

describe('deberta', () => {
  const cases = golden('deberta').cases;

  describe.each(cases.filter(({ tensors }) => tensors.distances))('$name', (given) => {
    test.each([
      ['microsoft', 'distance'],
      ['huggingface', 'row'],
    ] as const)('as %s clamps', (source, clamp) => {
      const { buckets = 0, max_distance: maxDistance = 0 } = given.numbers;
      const distances = integers(given, 'distances');
      const { scores } = posenc.attention({
        query: ones(distances.length),
        key: new Float32Array(1),
        value: ones(1),
        shape: { heads: 1, queries: distances.length, keys: 1, headDim: 1 },
        encoding: posenc.encoding('deberta', {
          ...{ heads: 1, headDim: 1, maxDistance, buckets, clamp },
          ...{ keys: counted(2 * buckets), p2c: false },
        }),
        scale: 1,
        queryPositions: distances,
        return: ['scores'],
      });
      const rows = tensor(given, source).values.map((bucket) =>
        Math.min(Math.max(bucket + buckets, 0), 2 * buckets - 1),
      );
      expect(Array.from(scores!)).toEqual(rows);
    });
  });

  describe.each(cases.filter(({ tensors }) => tensors.total))('$name', (given) => {
    const call = problem(given);
    const { heads, headDim } = call.shape;
    const { buckets = 0, max_distance: maxDistance = 0, scale = 1 } = given.numbers;
    const [keys, queries] = ['keys', 'queries'].map((name) => floats(given, name)!);
    const options = { heads, headDim, maxDistance, buckets, keys: keys!, queries: queries! };
    const scoresWith = (c2p: boolean, p2c: boolean, given: object = {}) => {
      const encoding = posenc.encoding('deberta', { ...options, c2p, p2c });
      return posenc.attention({ ...call, encoding, ...given, return: ['scores'] }).scores!;
    };
    const part = (name: string) => tensor(given, name).values;

    test.each([
      [false, false],
      [true, false],
      [false, true],
      [true, true],
    ])('12: each term on its own, c2p %s, p2c %s', (c2p, p2c) => {
      const terms = [part('c2c'), ...(c2p ? [part('c2p')] : []), ...(p2c ? [part('p2c')] : [])];
      expectNear(scoresWith(c2p, p2c, { scale }), sum(...terms));
    });

    test('the sum, with the scale of its own', () => {
      expectNear(scoresWith(true, true), part('total'));
    });
  });
});

describe('cope', () => {
  test.each(golden('cope').cases)('$name', (given) => {
    const [batch = 1, heads = 1, tokens = 1, width = 1] = tensor(given, 'query').shape;
    const [counts = 1] = tensor(given, 'vectors').shape;
    const [query, vectors] = ['query', 'vectors'].map((name) => tensor(given, name).values);
    const logits = tensor(given, 'logits').values;
    // The logits are given: each query gets a coordinate of its own, in which keys hold them.
    const headDim = width + tokens;
    const rows = batch * heads * tokens;
    const widened = (count: number, at: (row: number, d: number) => number) =>
      Float32Array.from({ length: count * headDim }, (_, i) =>
        at(Math.floor(i / headDim), i % headDim),
      );
    const wideVectors = widened(counts, (row, d) => (d < width ? vectors![row * width + d]! : 0));
    const result = posenc.attention({
      query: widened(rows, (row, d) =>
        d < width ? query![row * width + d]! : Number(d - width === row % tokens),
      ),
      key: widened(rows, (row, d) => {
        const head = Math.floor(row / tokens);
        const logit = logits[(head * tokens + d - width) * tokens + (row % tokens)]!;
        return d < width || logit === -Infinity ? 0 : logit;
      }),
      value: ones(rows),
      shape: { batch, heads, queries: tokens, headDim, valueDim: 1 },
      encoding: posenc.encoding('cope', { headDim, vectors: wideVectors }),
      ...{ causal: true, scale: 1, return: ['logits'] as const },
    });
    expectNear(result.logits!, sum(logits, tensor(given, 'added').values));
  });
});

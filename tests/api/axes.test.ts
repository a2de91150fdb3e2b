/** Positions of several coordinates: encodings of one axis, causality and windows read the first. */
import { describe, expect, test } from 'vitest';
import type { Positions } from 'posenc';
import { numbers, posenc } from './posenc.js';

const rope = posenc.encoding('rope', { headDim: 4 });
const alibi = posenc.encoding('alibi', { heads: 2 });
const sinusoidal = posenc.encoding('sinusoidal', { width: 6 });

const first = [5, 0, 9];
/** The first coordinates, each followed by two others. */
const spread = first.flatMap((m) => [m, 100 + m, -m]);
const axes = 3;
const x = numbers(24);

describe('a list of coordinates', () => {
  test('means its first ones to embed, table, rotate and bias', () => {
    expect(sinusoidal.embed(spread, { axes })).toEqual(sinusoidal.embed(first));
    expect(rope.table(Int32Array.from(spread), { axes })).toEqual(rope.table(first));
    const shape = [1, 2, 3, 4];
    expect(rope.rotate(x, { shape, positions: spread, axes })).toEqual(
      rope.rotate(x, { shape, positions: first }),
    );
    expect(alibi.bias({ queryPositions: spread, keyPositions: spread, axes })).toEqual(
      alibi.bias({ queryPositions: first, keyPositions: first }),
    );
  });

  test('may differ by batch', () => {
    const shape = [2, 1, 3, 4];
    const other = [7, 7, 7, 1, 2, 3, 8, 0, 0];
    const turned = rope.rotate(x, { shape, positions: [...spread, ...other], axes });
    expect(turned).toEqual(rope.rotate(x, { shape, positions: [...first, 7, 1, 8] }));
  });

  test('gives the last keys to the queries', () => {
    const given = { axes, keyPositions: spread };
    expect(alibi.bias({ ...given, queries: 2 })).toEqual(
      alibi.bias({ queryPositions: [0, 9], keyPositions: first }),
    );
  });
});

test('a first position counts up on every axis', () => {
  expect(rope.table(4, { tokens: 3, axes })).toEqual(rope.table([4, 5, 6]));
  expect(alibi.bias({ queries: 2, keys: 3, keyPositions: 4, axes })).toEqual(
    alibi.bias({ queryPositions: [5, 6], keyPositions: [4, 5, 6] }),
  );
});

describe.each([
  ['shared', 1, spread, first],
  ['per batch', 2, [...spread, 7, 7, 7, 1, 2, 3, 8, 0, 0], [...first, 7, 1, 8]],
])('attention with positions %s', (_, batch, several, one) => {
  const query = numbers(24 * batch, 2);
  const attend = (keyPositions: Positions, change: object = {}) =>
    posenc.attention({
      ...{ query, key: query, value: query, encoding: [rope, alibi], keyPositions },
      shape: { batch, heads: 2, queries: 3, headDim: 4 },
      ...{ causal: true, window: 6, return: ['logits'] },
      ...change,
    });

  test('reads the first coordinate, also for causality and windows', () => {
    const expected = attend(one);
    expect(attend(several, { axes })).toEqual(expected);
    expect(attend(several, { axes, queryPositions: several })).toEqual(expected);
    expect(expected.logits).toContain(-Infinity);
  });
});

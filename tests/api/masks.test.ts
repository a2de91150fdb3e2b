/** Every mask of `attention`, alone and together, against the definition in float64. */
import { describe, expect, test } from 'vitest';
import {
  data,
  dense,
  flags,
  inputs,
  keySegments,
  maskCases,
  positions,
  querySegments,
  sizes,
} from './mask-cases.js';
import { errorOf, expectNear, posenc } from './posenc.js';
import { attention as reference } from './reference.js';

const { batch, kvHeads, keys, headDim, valueDim } = sizes;

test.each(maskCases)('%s', (_title, options, expected) => {
  const { output, weights } = posenc.attention({ ...inputs, ...options, return: ['weights'] });
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

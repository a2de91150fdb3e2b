/** `scaling` and `length` of `pe.encoding('rope', …)`. */
import { expect, test } from 'vitest';
import type { ScalingOptions } from 'posenc';
import { errorOf, posenc } from './posenc.js';

const rope = (scaling: unknown, length?: number) =>
  posenc.encoding('rope', {
    headDim: 8,
    scaling: scaling as ScalingOptions,
    ...(length === undefined ? {} : { length }),
  });

test('no scaling is plain RoPE', () => {
  const plain = posenc.encoding('rope', { headDim: 8 });
  const none = rope({ type: 'none' });
  expect(none.inverseFrequencies).toEqual(plain.inverseFrequencies);
  expect(none.options).toEqual(plain.options);
});

test('wrong rules name their parameter before anything is made', () => {
  expect(errorOf(() => rope({ type: 'linear' })).argument).toBe('scaling.factor');
  expect(errorOf(() => rope('yarn')).argument).toBe('scaling');
  expect(errorOf(() => rope({ type: 'none' }, 0)).argument).toBe('length');
  const alone = { headDim: 8, length: 9 };
  expect(errorOf(() => posenc.encoding('rope', alone)).argument).toBe('scaling');
});

test('other encodings do not take a rule', () => {
  const options = { heads: 8, scaling: { type: 'none' } } as { heads: number };
  expect(errorOf(() => posenc.encoding('alibi', options))).toMatchObject({ code: 'option' });
});

test('a table of its own is refused as long as the module has none', () => {
  expect(errorOf(() => rope({ type: 'linear', factor: 2 }))).toMatchObject({
    code: 'unsupported',
    argument: 'scaling',
  });
});

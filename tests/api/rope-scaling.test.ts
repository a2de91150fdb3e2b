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

test('a rule makes the table that turns, and the options make the same encoding again', () => {
  const halved = rope({ type: 'linear', factor: 2 });
  const plain = posenc.encoding('rope', { headDim: 8 });
  expect(Array.from(halved.inverseFrequencies)).toEqual(
    Array.from(plain.inverseFrequencies, (w) => w / 2),
  );
  // Positions at half the angle: 2m stands where m stood.
  expect(halved.table([0, 2, 14])).toEqual(plain.table([0, 1, 7]));
  expect(halved.options).toMatchObject({ scaling: { type: 'linear', factor: 2 }, headDim: 8 });
  const again = posenc.encoding('rope', halved.options);
  expect(again.inverseFrequencies).toEqual(halved.inverseFrequencies);
});

test('the length at hand counts: dynamic NTK (huggingface/transformers#27227)', () => {
  const rule = { type: 'dynamic', factor: 2, originalMaxPosition: 2048 };
  const plain = posenc.encoding('rope', { headDim: 8 }).inverseFrequencies;
  expect(rope(rule, 8192).inverseFrequencies).not.toEqual(plain);
  expect(rope(rule, 100).inverseFrequencies).toEqual(plain);
});

test('YaRN multiplies cos and sin; with mscale_all_dim it multiplies the softmax scale', () => {
  const yarn = { type: 'yarn', factor: 40, originalMaxPosition: 4096 };
  const usual = rope(yarn);
  // 0.1·ln 40 + 1 (ENCODINGS §4: 1.36889).
  expect(usual.attentionFactor).toBeCloseTo(1.36889, 5);
  expect(usual.table([0]).cos[0]).toBeCloseTo(1.36889, 5);
  expect(usual.softmaxFactor).toBe(1);
  const deepseek = rope({ ...yarn, mscale: 1, mscaleAllDim: 1 });
  expect(deepseek.attentionFactor).toBe(1);
  expect(deepseek.softmaxFactor).toBeCloseTo(1.8739, 4);

  const query = Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8);
  const shape = { heads: 1, queries: 1, headDim: 8 };
  const inputs = { query, key: query, value: query, shape, return: ['scores'] as const };
  const [plain, scaled] = [rope({ type: 'none' }), deepseek].map((encoding) =>
    Number(posenc.attention({ ...inputs, encoding }).scores![0]),
  );
  expect(scaled! / plain!).toBeCloseTo(deepseek.softmaxFactor, 5);
});

test('a rule and a table of one’s own exclude each other', () => {
  const scaling = { type: 'linear', factor: 2 } as const;
  const both = { headDim: 8, scaling, frequencies: [1, 1, 1, 1] };
  expect(errorOf(() => posenc.encoding('rope', both)).argument).toBe('frequencies');
  const twice = { headDim: 8, scaling, attentionFactor: 2 };
  expect(errorOf(() => posenc.encoding('rope', twice)).argument).toBe('attentionFactor');
});

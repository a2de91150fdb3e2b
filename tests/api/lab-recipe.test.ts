/** Recipes of the lab: defaults, rates by hand, every bad setting by its name; scores by hand. */
import { fillRecipe, labEncodingNames, labFamilies, rateAt, tasks, type Recipe } from 'posenc/lab';
import { labEncodingTitles } from 'posenc/lab';
import type { LanguageModel } from 'posenc';
import { describe, expect, it } from 'vitest';
import { scoreExamples } from '../../web/api/lab/score.js';
import { errorOf, posenc } from './posenc.js';

const least: Recipe = { task: 'copy', encoding: 'rope' };

describe('the learning rate', () => {
  const recipe = { rate: 0.1, warmup: 10, floor: 0.1, steps: 110 };
  const flat = { rate: 0.5, warmup: 0, floor: 1, steps: 7 };

  it.each([
    [1, recipe, 0.01],
    [5, recipe, 0.05],
    [10, recipe, 0.1],
    [35, recipe, 0.0868198], // a quarter: 0.1 · (0.1 + 0.9 · (1 + √½) / 2)
    [60, recipe, 0.055], // half: 0.1 · (0.1 + 0.9 / 2)
    [85, recipe, 0.0231802],
    [110, recipe, 0.01],
    [1000, recipe, 0.01],
    [1, flat, 0.5],
    [7, flat, 0.5],
    [1, { rate: 1, warmup: 0, floor: 0, steps: 2 }, 0.5],
    [2, { rate: 1, warmup: 0, floor: 0, steps: 2 }, 0],
    [50, { rate: 1, warmup: 100, floor: 0, steps: 60 }, 0.5],
  ])('of step %i', (step, settings, expected) => {
    expect(rateAt(step, settings)).toBeCloseTo(expected, 7);
  });
});

describe('a recipe', () => {
  it('has these defaults', () => {
    expect(fillRecipe(least)).toEqual({
      ...least,
      ...{ scaling: null, seed: 0, family: 'llama', width: 64, layers: 2, heads: 4, hidden: 168 },
      ...{ train: [1, 20], test: [10, 20, 24, 28, 32, 36, 40] },
      ...{ batch: 64, steps: 1500, rate: 3e-3, warmup: 50, floor: 0.1 },
      ...{ dropout: 0, decay: 0.1, clip: 1 },
    });
    const text = fillRecipe({ task: 'text', encoding: 'alibi', family: 'bloom' });
    expect(text).toMatchObject({ train: [64, 64], test: [64, 128, 256, 512], hidden: 256 });
  });

  it('is filled in as it is, once filled in', () => {
    const filled = fillRecipe({ ...least, seed: 5, width: 32, heads: 2, test: [1, 2] });
    expect(fillRecipe(filled)).toEqual(filled);
    expect(fillRecipe(JSON.parse(JSON.stringify(filled)) as Recipe)).toEqual(filled);
  });

  it('may have every task with every encoding', () => {
    for (const task of [...tasks.map(({ name }) => name), 'text']) {
      for (const encoding of labEncodingNames) {
        expect(fillRecipe({ task, encoding })).toMatchObject({ task, encoding });
      }
    }
    const known = posenc.encodings.map(({ name }) => name);
    expect(labEncodingNames.filter((name) => !known.includes(name))).toEqual([]);
    expect(Object.keys(labEncodingTitles)).toEqual(labEncodingNames);
    expect(labFamilies).toEqual(['llama', 'gpt2', 'gpt_neox', 'bloom']);
  });

  const counts: [keyof Recipe, number, number][] = [
    ['seed', 0, 2 ** 20],
    ['heads', 1, 64],
    ['width', 8, 1024],
    ['layers', 1, 32],
    ['hidden', 1, 8192],
    ['batch', 1, 4096],
    ['steps', 1, 1e7],
    ['warmup', 0, 1e6],
  ];
  const numbers: [keyof Recipe, number, number][] = [
    ['rate', 0, 1],
    ['floor', 0, 1],
    ['dropout', 0, 0.95],
    ['decay', 0, 10],
    ['clip', 0, 1e6],
  ];
  const ends = counts.flatMap(([key, low, high]) =>
    [low - 1, high + 1, low + 0.5, NaN].map((value) => [key, value, 'range'] as const),
  );
  const outside = numbers.flatMap(([key, low, high]) =>
    [low - 1e-3, high * 1.001, NaN, Infinity].map((value) => [key, value, 'range'] as const),
  );
  const texts = [...counts, ...numbers].map(([key]) => [key, '1', 'argument'] as const);

  it.each([...ends, ...outside, ...texts])('may not have the %s %s', (key, value, code) => {
    const error = errorOf(() => fillRecipe({ ...least, [key]: value }));
    expect(error).toMatchObject({ code, argument: `recipe.${key}` });
    expect(error.message).toContain(`recipe.${key} is `);
  });

  it.each([...counts, ...numbers])('may have the %s from %d to %d', (key, low, high) => {
    const settings = { width: 128, heads: 1, [key]: high };
    if (key === 'heads') settings.width = 128;
    expect(fillRecipe({ ...least, ...settings })).toMatchObject({ [key]: high });
    if (key === 'hidden' || key === 'width' || key === 'heads' || low >= 0) {
      expect(fillRecipe({ ...least, width: 8, heads: 1, [key]: low })[key]).toBe(low);
    }
  });

  const scaling = { type: 'yarn', factor: 4, originalLength: 64 };
  const bad: [string, object, string, string][] = [
    ['no task', { encoding: 'rope' }, 'task', 'argument'],
    ['a task that is not there', { ...least, task: 'copi' }, 'task', 'option'],
    ['no encoding', { task: 'copy' }, 'recipe.encoding', 'argument'],
    ['an encoding of another kind', { ...least, encoding: 'mrope' }, 'recipe.encoding', 'option'],
    ['a name of objects', { ...least, encoding: 'toString' }, 'recipe.encoding', 'option'],
    ['a family of encoders', { ...least, family: 'bert' }, 'recipe.family', 'option'],
    ['heads that do not divide', { ...least, width: 20, heads: 4 }, 'recipe.width', 'range'],
    ['odd heads', { ...least, width: 12, heads: 4 }, 'recipe.width', 'range'],
    ['GPT-2 without its table', { ...least, family: 'gpt2' }, 'recipe.encoding', 'option'],
    [
      'T5 with a scale',
      { task: 'copy', encoding: 't5', family: 'bloom' },
      'recipe.family',
      'option',
    ],
    [
      'BLOOM of another width',
      { task: 'copy', encoding: 'alibi', family: 'bloom', hidden: 100 },
      'recipe.hidden',
      'range',
    ],
    ['one size', { ...least, train: 5 }, 'recipe.train', 'argument'],
    ['three sizes', { ...least, train: [1, 2, 3] }, 'recipe.train', 'argument'],
    ['sizes upside down', { ...least, train: [3, 2] }, 'recipe.train', 'range'],
    ['too small a size', { ...least, train: [0, 2] }, 'recipe.train[0]', 'range'],
    ['too large a size', { ...least, train: [1, 513] }, 'recipe.train[1]', 'range'],
    [
      'two lengths of text',
      { task: 'text', encoding: 'rope', train: [8, 9] },
      'recipe.train',
      'range',
    ],
    ['a size to try that is text', { ...least, test: ['1'] }, 'recipe.test[0]', 'argument'],
    ['a size to try that is too large', { ...least, test: [5, 513] }, 'recipe.test[1]', 'range'],
    ['no list to try', { ...least, test: 5 }, 'recipe.test', 'argument'],
    ['too many to try', { ...least, test: Array(65).fill(5) }, 'recipe.test', 'argument'],
    ['an unknown setting', { ...least, stpes: 5 }, 'stpes', 'option'],
    ['no object', [least], 'recipe', 'argument'],
    ['scaling of ALiBi', { ...least, encoding: 'alibi', scaling }, 'recipe.scaling', 'option'],
    [
      'scaling of the RoPE of another family',
      { ...least, family: 'bloom', scaling },
      'recipe.scaling',
      'option',
    ],
    [
      'an unknown rule',
      { ...least, scaling: { ...scaling, type: 'x' } },
      'recipe.scaling.type',
      'option',
    ],
    [
      'too small a factor',
      { ...least, scaling: { ...scaling, factor: 0.9 } },
      'recipe.scaling.factor',
      'range',
    ],
    [
      'half a length',
      { ...least, scaling: { ...scaling, originalLength: 1.5 } },
      'recipe.scaling.originalLength',
      'range',
    ],
    ['an unknown setting of scaling', { ...least, scaling: { ...scaling, x: 1 } }, 'x', 'option'],
  ];

  it.each(bad)('may not have %s', (_, recipe, argument, code) => {
    const error = errorOf(() => fillRecipe(recipe as Recipe));
    expect(error).toMatchObject({ name: 'PosencError', argument, code });
    expect(error.message).toContain(argument);
  });
});

describe('scores', () => {
  /** A model that foresees by a table: the logits of a token. */
  const model = {
    spec: { vocabulary: 3 },
    logits: (ids: readonly number[]) =>
      Float32Array.from(
        ids.flatMap(
          (id) =>
            [
              [0, Math.log(2), 0],
              [0, 0, 0],
              [5, 1, 0],
            ][id]!,
        ),
      ),
  } as unknown as LanguageModel;

  it('are right answers and mean cross-entropies, by place and distance', () => {
    const score = scoreExamples(
      model,
      {},
      [
        { tokens: [0, 1, 2], answer: [1, 2], distance: 3 },
        { tokens: [1, 0, 1], answer: [2], distance: 5 },
      ],
      9,
    );
    // After 0 comes 1 by two of four; after 1 nothing stands out, so that no answer is right.
    const [half, third] = [Math.log(2), Math.log(3)];
    expect(score).toMatchObject({ size: 9, examples: 2, exact: 0.5 });
    expect(score.tokens).toBeCloseTo(2 / 3, 12);
    expect(score.loss).toBeCloseTo((2 * half + third) / 3, 6);
    expect(score.lossByPlace).toHaveLength(1);
    expect(score.lossByPlace[0]).toBeCloseTo(half, 6);
    expect(score.byDistance).toEqual([
      { distance: 3, right: false },
      { distance: 5, right: true },
    ]);
  });

  it('hold for logits that no exponential can hold', () => {
    const far = {
      spec: { vocabulary: 2 },
      logits: () => Float32Array.of(-2000, 2000),
    } as unknown as LanguageModel;
    const score = scoreExamples(far, {}, [{ tokens: [0, 0], answer: [1] }], 1);
    expect(score).toMatchObject({ exact: 0, tokens: 0, loss: 4000 });
  });
});

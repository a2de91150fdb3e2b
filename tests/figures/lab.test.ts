/** The parts of the page Lab that need no browser: choices, charts, tables, the crew. */
import { PosencError } from 'posenc';
import { fillRecipe, labEncodingNames, type FullRecipe, type Score } from 'posenc/lab';
import { describe, expect, it } from 'vitest';
import { svgText } from '../../web/figures/frame-svg.js';
import { tableCsv } from '../../web/figures/frame-table.js';
import { accuracyChart, lossChart, thin } from '../../web/site/lab/charts.js';
import {
  hasChoices,
  initialChoices,
  parseChoices,
  recipeOf,
  settle,
  sizesOf,
  taskNames,
  testSizes,
  withTask,
  writeChoices,
} from '../../web/site/lab/choices.js';
import { attentionPicture, biasChart } from '../../web/site/lab/inside.js';
import { markOf } from '../../web/site/lab/marks.js';
import { faultOf } from '../../web/site/lab/protocol.js';
import { choicesOf, groupRuns, resultsTable } from '../../web/site/lab/results.js';
import type { KeptRun } from '../../web/site/lab/store.js';

describe('choices', () => {
  it('stand in the address only where they differ from the usual', () => {
    expect(writeChoices(initialChoices())).toBe('');
    expect(parseChoices('')).toEqual(initialChoices());
    const chosen = settle({ ...initialChoices('sort'), pe: ['t5', 'rope'], seed: 7, rate: 0.01 });
    expect(writeChoices(chosen)).toBe('#lab=task:sort,pe:t5.rope,seed:7,rate:0.01');
    expect(parseChoices(writeChoices(chosen))).toEqual(chosen);
  });

  it.each(taskNames)('go there and back: %s', (name) => {
    const chosen = withTask({ ...initialChoices(), pe: ['fire'], upto: 4, heads: 2 }, name);
    expect(parseChoices(writeChoices(chosen))).toEqual(chosen);
    const changed = settle({ ...chosen, high: chosen.high + 1 });
    expect(parseChoices(writeChoices(changed))).toEqual(changed);
  });

  it.each([
    '#lab=',
    '#lab=task:nothing,low:-3,high:1e99,steps:NaN,pe:x.y',
    '#lab=width:7,heads:3,layers:0,rate:-1,upto:5,seed:1.5',
    '#lab=%E0%A4%A,task:%,pe',
    '#lab=task:grid,high:999,upto:8',
    '#lab=low:9,high:2',
    '#lab=__proto__:1,constructor:2',
    '#other',
  ])('never throw, and give recipes that the lab accepts: %s', (hash) => {
    const chosen = parseChoices(hash);
    for (const name of labEncodingNames) fillRecipe(recipeOf(chosen, name));
    expect(chosen.low).toBeLessThanOrEqual(chosen.high);
    expect(settle(chosen)).toEqual(chosen);
  });

  it('are told from anchors of headings', () => {
    expect(hasChoices('#how-to-read-it')).toBe(false);
    expect(hasChoices('#lab=seed:1')).toBe(true);
  });

  it('try the trained size, and what lies beyond within the bounds of the task', () => {
    expect(testSizes({ task: 'copy', high: 10, upto: 2 })).toEqual([5, 10, 11, 13, 15, 17, 20]);
    expect(testSizes({ task: 'copy', high: 1, upto: 1 })).toEqual([1]);
    expect(Math.max(...testSizes({ task: 'needle', high: 60, upto: 8 }))).toBe(
      sizesOf('needle')[1],
    );
  });

  it('follow from a recipe', () => {
    const chosen = settle({ ...initialChoices('reverse'), seed: 3, upto: 4, pe: ['alibi'] });
    const recipe = fillRecipe(recipeOf(chosen, 'alibi'));
    expect(choicesOf(recipe, ['alibi'])).toEqual(chosen);
  });
});

const scoreOf = (size: number, exact: number): Score => ({
  ...{ size, exact, examples: 16, tokens: exact, loss: 1, lossByPlace: [], byDistance: [] },
});
const curve = (encoding: (typeof labEncodingNames)[number], losses: number[]) => ({
  ...{ id: encoding, encoding, losses },
  scores: [scoreOf(5, 1), scoreOf(10, 0.5), scoreOf(20, 0.25)],
});
const sizes = { train: [1, 10], test: [5, 10, 20], measure: 'exact' } as const;
const textOf = (drawing: ReturnType<typeof lossChart>, width: number) =>
  svgText(drawing, { width, title: 't', theme: 'light' });

describe('charts', () => {
  it('tell every encoding apart', () => {
    const marks = labEncodingNames.map((name) => JSON.stringify(markOf(name)));
    expect(new Set(marks).size).toBe(labEncodingNames.length);
  });

  it('thin out long curves by means', () => {
    expect(thin([1, 3, 5], 2)).toEqual([
      { step: 2, value: 2 },
      { step: 3, value: 5 },
    ]);
    expect(thin(new Array<number>(100_000).fill(2)).every(({ value }) => value === 2)).toBe(true);
  });

  it.each([300, 760])('are drawn at width %i, with and without numbers', (width) => {
    const full = labEncodingNames.map((name) => curve(name, [3, 2, 1e-9]));
    for (const curves of [[], [{ ...curve('rope', []), scores: [] }], full]) {
      const drawings = [
        lossChart(curves, 3, width, 'en'),
        accuracyChart(curves, sizes, width, 'zh'),
      ];
      for (const drawing of drawings) {
        expect(textOf(drawing, width)).not.toMatch(/NaN|undefined|Infinity/);
        for (const row of drawing.table.rows)
          expect(row).toHaveLength(drawing.table.columns.length);
      }
    }
  });

  it('say what they show', () => {
    const { sentence, table } = accuracyChart([curve('alibi', [1])], sizes, 760, 'en');
    expect(sentence).toMatchObject({
      en: 'Right answers at size 10 (trained) → 20: ALiBi 50% → 25%.',
    });
    expect(table.rows).toEqual([
      [5, 1],
      [10, 0.5],
      [20, 0.25],
    ]);
  });

  it('show what is inside a model', () => {
    const view = {
      ...{ step: 9, layer: 0, head: 1, layers: 2, heads: 2, tokens: ['^', ' ', '\n'], trained: 3 },
      weights: Float32Array.of(1, 0, 0, 0.5, 0.5, 0, 0.25, 0.7, 0.05),
      bias: Float32Array.of(0, -1, -2, 0, -0.5, -1),
    };
    for (const width of [260, 760]) {
      const attention = attentionPicture(view, 't5', width);
      expect(textOf(attention, width)).not.toMatch(/NaN|undefined/);
      expect(JSON.stringify(attention.sentence)).toContain('token 2 (␣), 0.70');
      const bias = biasChart(view, 't5', width, 'en');
      expect(textOf(bias, width)).not.toMatch(/NaN|undefined/);
      expect(bias.table.rows).toEqual([
        [0, 0, 0],
        [1, -1, -0.5],
        [2, -2, -1],
      ]);
    }
  });
});

describe('results', () => {
  const keptOf = (id: string, recipe: FullRecipe): KeptRun => ({
    ...{ id, recipe, step: 10, done: true, updated: 0, scores: [scoreOf(10, 0.5)] },
  });
  const runs = [
    keptOf('a', fillRecipe({ task: 'copy', encoding: 'rope' })),
    keptOf('b', fillRecipe({ task: 'sort', encoding: 'rope' })),
    keptOf('c', fillRecipe({ task: 'copy', encoding: 'alibi', seed: 4 })),
  ];

  it('stand beside each other where the sizes are the same', () => {
    expect(groupRuns(runs).map((group) => group.runs.map(({ id }) => id))).toEqual([
      ['a', 'c'],
      ['b'],
    ]);
  });

  it('are written as CSV', () => {
    const lines = tableCsv(resultsTable(runs), 'en').trim().split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[3]).toMatch(/^copy,ALiBi,4,10,1500,.*,10,16,0.5,0.5,1$/);
  });
});

describe('faults', () => {
  it.each([
    [new PosencError('memory', 'm'), 'memory'],
    [new RangeError('WebAssembly.Memory(): could not allocate memory'), 'memory'],
    [new PosencError('shape', 'm', { argument: 'text' }), 'short'],
    [new PosencError('range', 'm', { argument: 'recipe.rate' }), 'rate'],
    [new PosencError('wasm-load', 'm'), 'load'],
    [new PosencError('config', 'm', { argument: 'file' }), 'file'],
    ['odd', 'other'],
  ])('%s: %s', (error, kind) => {
    expect(faultOf(error).kind).toBe(kind);
  });
});

import { load, type Posenc } from 'posenc';
import { beforeAll, describe, expect, it } from 'vitest';
import { drawContext } from '../../web/figures/frame.js';
import {
  dropPlace,
  fitText,
  layChips,
  moveTo,
  textWidth,
} from '../../web/figures/shuffle-chips.js';
import {
  exampleOf,
  lastTokenAfter,
  orderOf,
  shuffle,
  width,
  type LayerOptions,
} from '../../web/figures/shuffle-model.js';
import figure from '../../web/figures/shuffle.js';
import { scientific } from '../../web/figures/shuffle-picture.js';

const nothing: LayerOptions = { causal: false, sinusoidal: false };
const mask: LayerOptions = { causal: true, sinusoidal: false };
const position: LayerOptions = { causal: false, sinusoidal: true };

let pe: Posenc;
beforeAll(async () => {
  pe = await load({ variant: 'simd' });
});

const distance = (a: Float32Array, b: Float32Array) =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] ?? NaN))), 0);

describe.each(['zh', 'en'] as const)('the example in %s', (lang) => {
  const { tokens, order } = exampleOf(lang);

  it('differs by rounding alone without position and mask', () => {
    expect(shuffle(pe, tokens, order, nothing).difference).toBeLessThan(1e-6);
  });

  it('differs with the mask, with sinusoids and with both', () => {
    for (const options of [mask, position, { causal: true, sinusoidal: true }])
      expect(shuffle(pe, tokens, order, options).difference).toBeGreaterThan(0.1);
  });

  it('differs by nothing at all when nothing moves', () => {
    const identity = tokens.map((_, i) => i);
    for (const options of [nothing, mask, position])
      expect(shuffle(pe, tokens, identity, options).difference).toBe(0);
  });

  it('has weights that sum to one, and none on hidden tokens under the mask', () => {
    const { weights } = shuffle(pe, tokens, order, mask).shuffled;
    const count = tokens.length;
    for (let row = 0; row < count; row++) {
      const line = weights.subarray(row * count, (row + 1) * count);
      expect(line.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 5);
      expect([...line.subarray(row + 1)].every((weight) => weight === 0)).toBe(true);
    }
  });

  it('hides the order of the prefix from the last token in one causal layer, not in two', () => {
    const turned = [...tokens.slice(0, -1).reverse(), ...tokens.slice(-1)];
    const change = (layers: number) =>
      distance(lastTokenAfter(pe, tokens, layers), lastTokenAfter(pe, turned, layers));
    expect(change(1)).toBeLessThan(1e-6);
    expect(change(2)).toBeGreaterThan(0.1);
    expect(change(3)).toBeGreaterThan(0.1);
  });

  it('gives the same token the same vector: order, not identity, is what position adds', () => {
    const twice = [...tokens, ...tokens];
    const { output } = shuffle(
      pe,
      twice,
      twice.map((_, i) => i),
      nothing,
    ).original;
    expect(output.subarray(0, width)).toEqual(
      output.subarray(tokens.length * width, (tokens.length + 1) * width),
    );
  });
});

describe('orderOf', () => {
  const example = exampleOf('en');
  const { tokens } = example;

  it('takes a permutation of the right length', () => {
    const order = [4, 3, 2, 1, 0];
    expect(orderOf(pe, { order, seed: 0 }, tokens, example)).toBe(order);
  });

  it.each([[[0, 1]], [[0, 0, 1, 2, 3]], [[0, 1, 2, 3, 9]], [[]]])('does without %j', (order) => {
    expect(orderOf(pe, { order, seed: 0 }, tokens, example)).toBe(example.order);
  });

  it('reverses a sentence of the reader', () => {
    expect(orderOf(pe, { order: [], seed: 0 }, ['a', 'b', 'c'], example)).toEqual([2, 1, 0]);
  });

  it('shuffles by the seed, the same way every time', () => {
    const orders = [1, 2, 3].map((seed) => orderOf(pe, { order: [], seed }, tokens, example));
    for (const order of orders) expect([...order].sort()).toEqual([0, 1, 2, 3, 4]);
    expect(new Set(orders.map(String)).size).toBeGreaterThan(1);
    expect(orderOf(pe, { order: [], seed: 2 }, tokens, example)).toEqual(orders[1]);
  });
});

describe('chips', () => {
  it('wrap before they are too wide', () => {
    const { tokens, order } = exampleOf('en');
    const wide = layChips(tokens, order, 700, 10);
    const narrow = layChips(tokens, order, 200, 10);
    expect(wide.lines).toBe(1);
    expect(narrow.lines).toBeGreaterThan(1);
    for (const chip of narrow.chips) expect(chip.x + chip.width).toBeLessThanOrEqual(200);
  });

  it('drop where the pointer is: before the first, between two, behind the last', () => {
    const { chips } = layChips(['a', 'b', 'c'], [0, 1, 2], 700, 0);
    expect(dropPlace(chips, { x: -5, y: 18 })).toBe(0);
    expect(dropPlace(chips, { x: (chips[0]!.x + chips[1]!.x + chips[1]!.width) / 2, y: 18 })).toBe(
      1,
    );
    expect(dropPlace(chips, { x: 690, y: 18 })).toBe(3);
    expect(dropPlace(chips, { x: 0, y: 90 })).toBe(3);
  });

  it('move one token and keep the others in order', () => {
    expect(moveTo([0, 1, 2, 3], 0, 2)).toEqual([1, 2, 0, 3]);
    expect(moveTo([0, 1, 2, 3], 3, 0)).toEqual([3, 0, 1, 2]);
    expect(moveTo([0, 1, 2, 3], 1, 1)).toEqual([0, 1, 2, 3]);
  });

  it('fit a text into a width', () => {
    expect(fitText('cat', 12, 100)).toBe('cat');
    expect(fitText('internationalization', 12, 60)).toMatch(/^inter.*…$/);
    expect(textWidth(fitText('internationalization', 12, 60), 12)).toBeLessThanOrEqual(60);
    expect(fitText('字', 12, 1)).toBe('字…');
  });
});

it('writes small differences as powers of ten', () => {
  const context = drawContext({ posenc: pe, lang: 'en', width: 600 });
  expect(scientific(0, context)).toBe('0');
  expect(scientific(1.234, context)).toBe('1.234');
  expect(scientific(2.384e-7, context)).toBe('2.4 × 10⁻⁷');
  expect(scientific(9.99e-8, context)).toBe('1.0 × 10⁻⁷');
});

describe('the figure', () => {
  const draw = (state: Partial<typeof figure.initial>, lang: 'zh' | 'en' = 'zh', at = 640) =>
    figure.draw({ ...figure.initial, ...state }, drawContext({ posenc: pe, lang, width: at }));

  it('shows its point before it is touched', () => {
    const { sentence, handles } = draw({});
    expect(JSON.stringify(sentence)).toContain('× 10⁻⁷');
    expect(handles).toHaveLength(5);
  });

  it('moves a token from the keyboard', () => {
    const [first] = draw({}).handles ?? [];
    if (first?.tag !== 'handle') throw new Error('the first chip is a handle');
    expect(first.move(3)).toEqual({ order: [4, 1, 3, 2, 0] });
  });

  it('draws any sentence at any width', () => {
    for (const text of ['x', '字'.repeat(30), 'a b c d e f g', '👩‍👩‍👧‍👦!', ' '])
      for (const at of [296, 760]) {
        const { height, table } = draw({ text, seed: 3, causal: true }, 'en', at);
        expect(height).toBeGreaterThan(100);
        expect(table.rows.every((row) => row.length === table.columns.length)).toBe(true);
      }
  });

  it('says when a sentence is cut', () => {
    expect(JSON.stringify(draw({ text: '字'.repeat(30) }).sentence)).toContain('只取前 24 个');
  });
});

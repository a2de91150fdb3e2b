/** F10: what the figure claims holds in every state, and its default state is golden. */
import { load, type Posenc } from 'posenc';
import { beforeAll, describe, expect, it } from 'vitest';
import { drawContext } from '../../web/figures/frame.js';
import type { Pressable } from '../../web/figures/frame.js';
import { svgText } from '../../web/figures/frame-svg.js';
import {
  KEYS,
  LAST_POSITION,
  placements,
  spread,
  turnHands,
} from '../../web/figures/two-hands-model.js';
import twoHands from '../../web/figures/two-hands.js';

let pe: Posenc;
beforeAll(async () => {
  pe = await load({ variant: 'simd' });
});

const draw = (state: Partial<typeof twoHands.initial> = {}, width = 700) =>
  twoHands.draw({ ...twoHands.initial, ...state }, drawContext({ posenc: pe, lang: 'en', width }));
const handleOf = (pressables: readonly Pressable[] | undefined, key: string) => {
  const found = pressables?.find((node) => node.key === key);
  if (found?.tag !== 'handle') throw new Error(`no handle ${key}`);
  return found;
};

describe('the numbers', () => {
  // q = (0.6, 0.8), k = (0.8, 0.6): the angle between them is 7 · 0.1 + atan2(0.8, 0.6) − atan2(0.6, 0.8).
  const angle = (m: number, n: number, frequency: number) =>
    (m - n) * frequency + Math.atan2(0.8, 0.6) - Math.atan2(0.6, 0.8);

  it.each([0, 1, 2, 3])('of pair %i are those of the formula', (pair) => {
    const hands = turnHands(pe, pair, 'alike');
    expect(hands.frequency).toBeCloseTo(10 ** -pair, 12);
    for (const [m, n] of [
      [12, 5],
      [0, 63],
      [63, 0],
      [30, 30],
    ] as const)
      expect(hands.at(m, n).score).toBeCloseTo(Math.cos(angle(m, n, 10 ** -pair)), 6);
  });

  it('do not depend on the place, for any distance and content', () => {
    for (const content of ['alike', 'across', 'opposite'] as const)
      for (let pair = 0; pair < 4; pair++) {
        const hands = turnHands(pe, pair, content);
        for (let distance = -LAST_POSITION; distance <= LAST_POSITION; distance++) {
          const places = placements(hands, distance);
          expect(places).toHaveLength(LAST_POSITION + 1 - Math.abs(distance));
          expect(spread(places)).toBeLessThan(5e-7);
        }
      }
  });

  it('start unturned, and every turn keeps lengths', () => {
    const hands = turnHands(pe, 0, 'across');
    expect(hands.at(0, 0).key).toEqual(KEYS.across.map(Math.fround));
    for (let m = 0; m <= LAST_POSITION; m++)
      expect(Math.hypot(...hands.at(m, m).query)).toBeCloseTo(1, 6);
  });
});

describe('the figure', () => {
  it('begins with its claim in words and numbers', () => {
    const { sentence, table } = draw();
    expect(sentence).toMatchObject({
      en: expect.stringMatching(
        /^q stands at 12, k at 5, distance 7: score 0\.55387\. .* 57 places; .* at most 0\.000000\d\d,/,
      ) as string,
    });
    expect(table.rows).toHaveLength(57);
  });

  it('moves both hands when the distance is locked, and keeps them on the ruler', () => {
    const { handles } = draw({ m: 12, n: 5, lock: true });
    expect(handleOf(handles, 'm').move(20)).toEqual({ m: 20, n: 13 });
    expect(handleOf(handles, 'n').move(20)).toEqual({ m: 27, n: 20 });
    expect(handleOf(handles, 'n').move(63)).toEqual({ m: 63, n: 56 });
    expect(handleOf(handles, 'm').move(-9)).toEqual({ m: 7, n: 0 });
    expect(handleOf(handles, 'm')).toMatchObject({ min: 7, max: 63 });
    expect(handleOf(handles, 'n')).toMatchObject({ min: 0, max: 56 });
  });

  it('moves one hand when it is not', () => {
    const { handles } = draw({ lock: false });
    expect(handleOf(handles, 'm').move(20)).toEqual({ m: 20 });
    expect(handleOf(handles, 'm')).toMatchObject({ min: 0, max: 63 });
  });

  it('walks on by one step, and from the end back to the start', () => {
    const walk = twoHands.controls.find(({ kind }) => kind === 'action');
    if (walk?.kind !== 'action') throw new Error('no action');
    expect(walk.run({ ...twoHands.initial, m: 12, n: 5 }, 'en')).toEqual({ m: 13, n: 6 });
    expect(walk.run({ ...twoHands.initial, m: 63, n: 56 }, 'en')).toEqual({ m: 7, n: 0 });
    expect(walk.run({ ...twoHands.initial, m: 5, n: 63 }, 'en')).toEqual({ m: 0, n: 58 });
  });

  it('draws every state, wide and narrow, without a hole', () => {
    for (const [m, n] of [
      [0, 0],
      [63, 0],
      [0, 63],
      [63, 63],
      [31, 30],
    ] as const)
      for (const pair of ['0', '1', '2', '3'] as const)
        for (const key of ['alike', 'across', 'opposite'] as const)
          for (const width of [280, 519, 520, 760]) {
            const drawing = draw({ m, n, pair, key }, width);
            const text = svgText(drawing, { width, title: 'x', theme: 'light' });
            expect(text).not.toMatch(/NaN|undefined|Infinity/);
          }
  });
});

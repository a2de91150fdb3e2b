import { load, type Posenc } from 'posenc';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  bit,
  bitSimilarity,
  cosine,
  flips,
  rowOf,
  shiftError,
  similarities,
  turns,
  wallOf,
} from '../../web/figures/clocks-model.js';
import figure from '../../web/figures/clocks.js';
import { drawContext } from '../../web/figures/frame.js';

let pe: Posenc;
beforeAll(async () => {
  pe = await load({ variant: 'simd' });
});

describe('the wall', () => {
  it('has a sine and a cosine of every clock in each row', () => {
    const wall = wallOf(pe, 50, 16, 10000);
    for (const m of [0, 1, 49])
      for (let i = 0; i < 8; i++) {
        const angle = m * 10000 ** ((-2 * i) / 16);
        expect(rowOf(wall, m)[2 * i]).toBeCloseTo(Math.sin(angle), 6);
        expect(rowOf(wall, m)[2 * i + 1]).toBeCloseTo(Math.cos(angle), 6);
      }
  });

  it('has the six similarities of the tutorial', () => {
    const wall = wallOf(pe, 100, 128, 10000);
    const curve = similarities(wall, 0);
    const printed = [1, 5, 10, 20, 50].map((distance) => (curve[distance] ?? NaN).toFixed(3));
    expect(printed).toEqual(['0.970', '0.737', '0.669', '0.608', '0.546']);
    let sum = 0;
    for (let m = 1; m < 100; m++) sum += cosine(rowOf(wall, m - 1), rowOf(wall, m));
    expect((sum / 99).toFixed(3)).toBe('0.970');
  });

  it('has a similarity that depends on the distance alone', () => {
    const wall = wallOf(pe, 100, 32, 10000);
    expect(similarities(wall, 60)[53]).toBeCloseTo(similarities(wall, 7)[0] ?? NaN, 5);
  });

  it('shifts by a matrix that does not depend on the position', () => {
    expect(shiftError(pe, { width: 64 }, 500, 12)).toBeLessThan(1e-6);
  });

  it('turns its first hand once in 2π positions', () => {
    expect(turns(1, 2 * Math.PI)).toBe(1);
  });
});

describe('the binary counter', () => {
  it('counts', () => {
    for (const m of [0, 1, 37, 63, 64, 99]) {
      const digits = Array.from({ length: 8 }, (_, i) => bit(m, 7 - i)).join('');
      expect(parseInt(digits, 2)).toBe(m);
    }
    expect(bit(5, 63)).toBe(0);
  });

  it('flips seven digits between 63 and 64', () => {
    expect(flips(63, 64, 16)).toBe(7);
    expect(bitSimilarity(63, 64, 16)).toBeCloseTo(0.125, 12);
    expect(bitSimilarity(9, 9, 16)).toBe(1);
  });
});

describe('the figure', () => {
  const draw = (state: Partial<typeof figure.initial>, lang: 'zh' | 'en' = 'en', at = 640) =>
    figure.draw({ ...figure.initial, ...state }, drawContext({ posenc: pe, lang, width: at }));

  it('says what stands at the current row', () => {
    expect(JSON.stringify(draw({ d: '128', m: 1 }).sentence)).toContain('with position 0 0.970');
    expect(JSON.stringify(draw({ binary: true, m: 64 }).sentence)).toContain('in 7 digits');
  });

  it('has one handle with the whole range', () => {
    const [knob] = draw({}).handles ?? [];
    if (knob?.tag !== 'handle') throw new Error('the knob is a handle');
    expect([knob.min, knob.max, knob.value]).toEqual([0, 99, 37]);
    expect(knob.move(5)).toEqual({ m: 5 });
    expect(knob.at?.({ x: 0, y: knob.y ?? 0 })).toEqual({ m: 37 });
  });

  it('draws every state at every width', () => {
    for (const d of ['8', '16', '32', '64', '128'] as const)
      for (const binary of [false, true])
        for (const m of [0, 99])
          for (const at of [296, 760]) {
            const { height, table } = draw({ d, binary, m, base: 10 }, 'zh', at);
            expect(height).toBeGreaterThan(300);
            expect(table.rows).toHaveLength(Number(d) / 2);
          }
  });
});

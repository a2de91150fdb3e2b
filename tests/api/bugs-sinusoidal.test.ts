/** Reports of others about sinusoidal rows (numbers as in the shared list), as tests named after the symptom. */
import { describe, expect, it } from 'vitest';
import { type SinusoidalOptions } from 'posenc';
import { expectNear, posenc } from './posenc.js';

const embed = (options: SinusoidalOptions, positions: readonly number[]) =>
  posenc.encoding('sinusoidal', options).embed(positions);

describe('layouts', () => {
  it.each([
    ['interleaved, the paper', {}, [0.84147, 0.5403, 0.0099998, 0.99995]],
    ['halves', { layout: 'halves' }, [0.84147, 0.0099998, 0.5403, 0.99995]],
    [
      'halves of tensor2tensor, whose last frequency is 1e-4',
      { layout: 'halves', denominator: 'd/2-1' },
      [0.84147, 0.0001, 0.5403, 1],
    ],
  ] as const)('80: halves or interleaved, which is the bug? %s', (_, options, expected) => {
    const row = embed({ width: 4, ...options }, [1]);
    row.forEach((x, i) => expect(x).toBeCloseTo(expected[i]!, 5));
  });

  it('80: halves are a permutation of the dimensions of interleaved ones', () => {
    const [width, positions] = [10, [0, 1, 17, 4000]];
    const interleaved = embed({ width }, positions);
    const halves = embed({ width, layout: 'halves' }, positions);
    const back = halves.map((_, i) => {
      const [row, j] = [Math.floor(i / width) * width, i % width];
      return halves[row + Math.floor(j / 2) + (j % 2) * (width / 2)]!;
    });
    expect(back).toEqual(interleaved);
  });
});

it('81: an odd width of 127 crashed: it has 64 sines and 63 cosines', () => {
  const position = 3;
  const row = embed({ width: 127 }, [position]);
  const angle = (pair: number) => position * 10000 ** ((-2 * pair) / 127);
  const sines = Array.from({ length: 64 }, (_, pair) => Math.sin(angle(pair)));
  const cosines = Array.from({ length: 63 }, (_, pair) => Math.cos(angle(pair)));
  expectNear(
    row.filter((_, j) => j % 2 === 0),
    sines,
  );
  expectNear(
    row.filter((_, j) => j % 2 === 1),
    cosines,
  );
});

describe('82: a wrong exponent destroyed the relative pattern', () => {
  const cases: SinusoidalOptions[] = [
    { width: 64 },
    { width: 64, layout: 'halves' },
    { width: 64, layout: 'halves', denominator: 'd/2-1', order: 'cos-sin' },
    { width: 512, base: 500 },
  ];
  it.each(cases)('products of rows depend on the distance alone: %o', (options) => {
    const { width } = options;
    const tokens = 40;
    const rows = embed(
      options,
      Array.from({ length: tokens }, (_, i) => i),
    );
    const product = (m: number, n: number) => {
      let sum = 0;
      for (let d = 0; d < width; d++) sum += rows[m * width + d]! * rows[n * width + d]!;
      return sum / (width / 2);
    };
    for (let distance = 0; distance < tokens; distance++) {
      for (let n = 0; n + distance < tokens; n++) {
        expect(Math.abs(product(n + distance, n) - product(distance, 0))).toBeLessThan(1e-6);
      }
    }
    expect(product(0, 0)).toBeCloseTo(1, 6);
    expect(product(1, 0)).toBeLessThan(0.99);
  });
});

import { describe, expect, test } from 'vitest';
import { posenc } from './posenc.js';

/** SplitMix64 (Steele, Lea and Flood 2014): the mixed key, advanced by the golden gamma for each draw. */
function* draws(seed: bigint): Generator<bigint> {
  const mask = 2n ** 64n - 1n;
  const mix = (x: bigint): bigint => {
    x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & mask;
    return x ^ (x >> 31n);
  };
  const key = mix(seed);
  for (let i = 1n; ; i++) yield mix((key + i * 0x9e3779b97f4a7c15n) & mask);
}

const concatenated = (...parts: Float32Array[]) =>
  Float32Array.from(parts.flatMap((part) => Array.from(part)));

describe('random', () => {
  test.each([0, 1, 42, 2 ** 32, 2 ** 53 - 1])('seed %d gives the numbers of SplitMix64', (seed) => {
    const expected = draws(BigInt(seed));
    for (const number of posenc.random(seed).uniform(100)) {
      expect(number).toBe(Number((expected.next().value as bigint) >> 40n) / 2 ** 24);
    }
  });

  test('goes on where it stopped', () => {
    const whole = posenc.random(5).uniform(10);
    const stream = posenc.random(5);
    expect(concatenated(stream.uniform(3), stream.uniform(1), stream.uniform(6))).toEqual(whole);
    const normals = posenc.random(5).normal(10);
    const other = posenc.random(5);
    expect(concatenated(other.normal(4), other.normal(6))).toEqual(normals);
  });

  test('mixed distributions never take the same draw twice', () => {
    const stream = posenc.random(5);
    const [first, second] = [stream.normal(2), stream.uniform(6)];
    const again = posenc.random(5);
    expect(again.normal(2)).toEqual(first);
    expect(posenc.random(5).uniform(10).subarray(4)).toEqual(second);
  });

  test('other seeds give other numbers', () => {
    expect(posenc.random(1).uniform(8)).not.toEqual(posenc.random(2).uniform(8));
    expect(posenc.random(1).uniform(8)).not.toEqual(posenc.random(1 + 2 ** 32).uniform(8));
  });

  test('normal has the moments of the normal distribution', () => {
    const count = 1_000_000;
    const x = Array.from(posenc.random(9).normal(count));
    const moment = (power: number) => x.reduce((sum, v) => sum + v ** power, 0) / count;
    // Four standard errors of a million numbers, plus what the approximation lacks of variance and tails.
    expect(Math.abs(moment(1))).toBeLessThan(0.004);
    expect(Math.abs(moment(2) - 1)).toBeLessThan(0.006 + 0.002);
    expect(Math.abs(moment(3))).toBeLessThan(0.016);
    expect(Math.abs(moment(4) - 3)).toBeLessThan(0.04 + 0.04);
  });

  test('uniform lies in [0, 1)', () => {
    const x = posenc.random(3).uniform(100_000);
    expect(x.every((v) => v >= 0 && v < 1)).toBe(true);
    expect(x.reduce((sum, v) => sum + v, 0) / x.length).toBeCloseTo(0.5, 2);
  });
});

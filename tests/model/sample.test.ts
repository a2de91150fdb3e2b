/** Choosing ids: by hand, by count, and what is refused. */
import { describe, expect, it } from 'vitest';
import { sampler } from '../../web/api/model/sample.js';
import type { SampleOptions } from '../../web/api/model/sample.js';
import { errorOf } from './bytes-of.js';

const logs = (...weights: number[]): Float32Array => Float32Array.from(weights, Math.log);

/** Ids that can come, with their shares, by going through all draws. */
function shares(logits: Float32Array, options: SampleOptions, before?: number[]): number[] {
  const steps = 1000;
  let draw = 0;
  const choose = sampler({ temperature: 1, ...options, random: () => (draw + 0.5) / steps });
  const counts = new Array<number>(logits.length).fill(0);
  for (draw = 0; draw < steps; draw++) counts[choose(logits, before)]! += 1 / steps;
  return counts.map((share) => Math.round(share * 100) / 100);
}

const logits = logs(1, 4, 2, 3);
describe('shares', () => {
  it.each<[string, SampleOptions, number[]]>([
    ['of the softmax', {}, [0.1, 0.4, 0.2, 0.3]],
    ['at half the temperature', { temperature: 0.5 }, [0.03, 0.53, 0.13, 0.3]],
    ['of the best two', { topK: 2 }, [0, 0.57, 0, 0.43]],
    ['of the best one', { topK: 1 }, [0, 1, 0, 0]],
    ['of more than there are', { topK: 9 }, [0.1, 0.4, 0.2, 0.3]],
    ['of the nucleus', { topP: 0.69 }, [0, 0.57, 0, 0.43]],
    ['of a nucleus of one', { topP: 0.01 }, [0, 1, 0, 0]],
    ['of a nucleus of the best three', { topK: 3, topP: 0.7 }, [0, 0.57, 0, 0.43]],
    ['above a share of the best', { minP: 0.6 }, [0, 0.57, 0, 0.43]],
    ['of the best alone', { minP: 1 }, [0, 1, 0, 0]],
    ['with all rules', { topK: 3, topP: 0.99, minP: 0.51 }, [0, 0.57, 0, 0.43]],
  ])('%s', (_, options, expected) => {
    expect(shares(logits, options)).toEqual(expected);
  });

  it('of ids that came before are less', () => {
    // log 4 / 2 = log 2.
    expect(shares(logits, { repetitionPenalty: 2 }, [1, 1])).toEqual([0.13, 0.25, 0.25, 0.38]);
    expect(shares(Float32Array.of(-1, -1), { repetitionPenalty: 2 }, [0])).toEqual([0.27, 0.73]);
    expect(logits[1]).toBeCloseTo(Math.log(4));
  });

  it('of −∞ are none, and of +∞ all', () => {
    expect(shares(Float32Array.of(-Infinity, 1, 1), {})).toEqual([0, 0.5, 0.5]);
    expect(shares(Float32Array.of(0, Infinity, 3), { topP: 0.9 })).toEqual([0, 1, 0]);
  });

  it('are exact among many', () => {
    const many = Float32Array.from({ length: 50_000 }, (_, i) => Math.sin(i * 1.7) * 3);
    const sorted = [...many.keys()].sort((a, b) => many[b]! - many[a]! || a - b);
    const last = sampler({ temperature: 1, topK: 700, random: () => 1 - 2 ** -53 })(many);
    expect(last).toBe(sorted[699]);
    const weights = sorted.map((id) => Math.exp(many[id]!));
    const all = weights.reduce((a, b) => a + b);
    let sum = 0;
    const edge = weights.findIndex((weight) => (sum += weight) >= 0.5 * all);
    const chosen = sampler({ temperature: 1, topP: 0.5, random: () => 1 - 2 ** -53 })(many);
    expect(Math.abs(sorted.indexOf(chosen) - edge)).toBeLessThanOrEqual(1);
  });
});

describe('determinism', () => {
  it('takes the lowest of the largest at temperature 0', () => {
    expect(sampler()(Float32Array.of(1, 3, 3, 2))).toBe(1);
    expect(sampler({ temperature: 1, topK: 1 })(Float32Array.of(1, 3, 3, 2))).toBe(1);
    expect(sampler()(Float32Array.of(-Infinity, -5))).toBe(1);
  });

  it('gives the same ids for the same seed', () => {
    const ids = (seed: number): number[] => {
      const choose = sampler({ temperature: 1, seed });
      return Array.from({ length: 50 }, () => choose(logits));
    };
    expect(ids(7)).toEqual(ids(7));
    expect(ids(7)).not.toEqual(ids(8));
  });
});

describe('errors', () => {
  it.each<[Float32Array, string]>([
    [Float32Array.of(0, NaN), 'logits[1] is NaN'],
    [Float32Array.of(-Infinity, -Infinity), 'logits are all −∞'],
    [new Float32Array(), 'logits are empty'],
  ])('%j', (given, message) => {
    for (const temperature of [0, 1]) {
      expect(errorOf(() => sampler({ temperature })(given)).message).toContain(message);
    }
  });

  it.each<[object, string]>([
    [{ temperature: -1 }, 'temperature'],
    [{ temperature: NaN }, 'temperature'],
    [{ topK: 0 }, 'topK'],
    [{ topP: 0 }, 'topP'],
    [{ topP: 1.5 }, 'topP'],
    [{ minP: '0.1' }, 'minP'],
    [{ repetitionPenalty: 0 }, 'repetitionPenalty'],
    [{ seed: -1 }, 'seed'],
    [{ random: 5 }, 'random'],
    [{ random: Math.random, seed: 1 }, 'seed'],
    [{ temprature: 1 }, 'temprature'],
  ])('%j', (options, argument) => {
    expect(errorOf(() => sampler(options)).argument).toBe(argument);
  });

  it('of draws and ids outside', () => {
    expect(errorOf(() => sampler({ temperature: 1, random: () => 1 })(logits)).argument).toBe(
      'random()',
    );
    expect(errorOf(() => sampler({ repetitionPenalty: 2 })(logits, [4])).argument).toBe('before');
  });
});

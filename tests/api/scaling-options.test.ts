/** The table of rules, and what happens to options that it does not allow. */
import { describe, expect, it } from 'vitest';
import { PosencError, scaleFrequencies, scalings } from 'posenc';
import type { Rotation, ScalingOptions } from 'posenc';

function errorOf(run: () => unknown): PosencError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(PosencError);
    return error as PosencError;
  }
  throw new Error('nothing was thrown');
}

describe('the table of rules', () => {
  it('names every rule in both languages, with a source', () => {
    for (const { title, parameters, url, year, paper } of scalings) {
      for (const text of [title, ...parameters.map(({ meaning }) => meaning)]) {
        expect(text.en).toMatch(/[a-zA-Z]/);
        expect(text.zh).toMatch(/\p{Script=Han}|YaRN|LongRoPE/u);
      }
      expect(url).toMatch(/^https:\/\/arxiv\.org\/abs\/\d{4}\.\d{5}$/);
      expect(year).toBeGreaterThan(2020);
      expect(paper.length).toBeGreaterThan(10);
    }
    expect(new Set(scalings.map(({ name }) => name)).size).toBe(9);
  });

  it('takes the ends of every range and nothing outside', () => {
    const rotation = { base: 10000, rotaryDim: 4 };
    for (const { name, parameters } of scalings) {
      const needed = parameters.map((p) => {
        const list = p.kind === 'list';
        return [p.name, list ? [p.low, p.high] : (p.initial ?? p.low)];
      });
      const options = { type: name, ...Object.fromEntries(needed) } as ScalingOptions;
      expect(() => scaleFrequencies(rotation, options)).not.toThrow();
      for (const { name: parameter, kind, low, high } of parameters) {
        if (kind === 'flag') continue;
        for (const outside of [low! - 1, high! * 2, NaN, Infinity]) {
          const value = kind === 'list' ? [outside, 1] : outside;
          const error = errorOf(() =>
            scaleFrequencies(rotation, { ...options, [parameter]: value }),
          );
          expect(error.code).toBe('range');
          expect(error.argument).toBe(`scaling.${parameter}${kind === 'list' ? '[0]' : ''}`);
        }
      }
    }
  });
});

describe('wrong options', () => {
  const rotation = { base: 10000, rotaryDim: 8 };
  const table: [string, unknown, string, RegExp][] = [
    ['no object', 'yarn', 'scaling', /an object with type/],
    ['an unknown rule', { type: 'yarm' }, 'scaling.type', /did you mean "yarn"/],
    ['no rule', { factor: 4 }, 'scaling.type', /is missing/],
    ['an unknown parameter', { type: 'linear', facter: 4 }, 'facter', /did you mean factor/],
    ['a missing factor', { type: 'linear' }, 'scaling.factor', /is missing, needs a number from 1/],
    [
      "a factor below 1, as llama.cpp's flag",
      { type: 'linear', factor: 0.125 },
      'scaling.factor',
      /is 0\.125, .*--rope-freq-scale is 1\/factor: did you mean 8\?/,
    ],
    [
      'betas in the wrong order',
      { type: 'yarn', factor: 2, originalMaxPosition: 64, betaFast: 1, betaSlow: 2 },
      'betaFast',
      /at least betaSlow \(2\)/,
    ],
    [
      'bands in the wrong order',
      { type: 'llama3', factor: 2, originalMaxPosition: 64, lowFreqFactor: 5 },
      'highFreqFactor',
      /at least lowFreqFactor \(5\)/,
    ],
    [
      'lists of another width',
      { type: 'longrope', factor: 2, originalMaxPosition: 64, shortFactor: [1], longFactor: [1] },
      'scaling.shortFactor',
      /4 numbers, one for each pair/,
    ],
    [
      'LongRoPE without factor and attention factor',
      {
        type: 'longrope',
        originalMaxPosition: 64,
        shortFactor: [1, 1, 1, 1],
        longFactor: [1, 1, 1, 1],
      },
      'factor',
      /or attentionFactor/,
    ],
  ];

  it.each(table)('%s', (_, scaling, argument, message) => {
    const error = errorOf(() => scaleFrequencies(rotation, scaling as ScalingOptions));
    expect(error.argument).toBe(argument);
    expect(error.message).toMatch(message);
  });

  it.each([
    [{ base: 0, rotaryDim: 8 }, 'base'],
    [{ base: 10000, rotaryDim: 7 }, 'rotaryDim'],
    [{ base: 10000, rotaryDim: 8, length: 0 }, 'length'],
    [null, 'rotation'],
  ])('a rotation %j', (given, argument) => {
    expect(errorOf(() => scaleFrequencies(given as unknown as Rotation)).argument).toBe(argument);
  });

  it('a single pair has no slower one for NTK', () => {
    const error = errorOf(() =>
      scaleFrequencies({ base: 9, rotaryDim: 2 }, { type: 'ntk', factor: 2 }),
    );
    expect(error.argument).toBe('rotaryDim');
  });

  it('a base of 1 has no ramp', () => {
    const scaling = { type: 'yarn', factor: 2, originalMaxPosition: 64 } as const;
    expect(errorOf(() => scaleFrequencies({ base: 1, rotaryDim: 8 }, scaling)).argument).toBe(
      'base',
    );
  });
});

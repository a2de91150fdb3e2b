/** Which pairs a rule keeps, blends or divides, and what training has shown of each pair's circle. */
import { describe, expect, it } from 'vitest';
import { inspect, pairCoverage, scaleFrequencies, scalingBands, scalings } from 'posenc';
import type { BandKind, Rotation, ScalingOptions } from 'posenc';

type Bands = readonly (readonly [BandKind, number, number])[];

const bandsOf = (rotation: Rotation, scaling?: ScalingOptions): Bands =>
  scalingBands(rotation, scaling).map(({ kind, first, last }) => [kind, first, last]);

const llama = { base: 500000, rotaryDim: 128 };
const list = (value: number): number[] => Array<number>(64).fill(value);
const dynamic: ScalingOptions = { type: 'dynamic', factor: 2, originalMaxPosition: 4096 };
const longrope: ScalingOptions = {
  type: 'longrope',
  shortFactor: list(1),
  longFactor: list(4),
  originalMaxPosition: 4096,
  factor: 32,
};

describe('scalingBands', () => {
  // Llama: pairs counted in Meta's checkpoints. YaRN: the corrections of the published configs.
  it.each<[string, Rotation, ScalingOptions, Bands]>([
    [
      'Llama 3.1: 29, 6 and 29 pairs',
      llama,
      { type: 'llama3', factor: 8, originalMaxPosition: 8192 },
      [
        ['kept', 0, 28],
        ['blended', 29, 34],
        ['interpolated', 35, 63],
      ],
    ],
    [
      'Llama 3.2 1B: 15, 3 and 14 pairs',
      { base: 500000, rotaryDim: 64 },
      { type: 'llama3', factor: 32, originalMaxPosition: 8192 },
      [
        ['kept', 0, 14],
        ['blended', 15, 17],
        ['interpolated', 18, 31],
      ],
    ],
    [
      'Llama 4: a step without blending',
      llama,
      {
        type: 'llama3',
        factor: 16,
        originalMaxPosition: 8192,
        lowFreqFactor: 1,
        highFreqFactor: 1,
      },
      [
        ['kept', 0, 34],
        ['interpolated', 35, 63],
      ],
    ],
    [
      'gpt-oss: corrections 8.09 and 17.40, not rounded',
      { base: 150000, rotaryDim: 64 },
      { type: 'yarn', factor: 32, originalMaxPosition: 4096, truncate: false },
      [
        ['kept', 0, 8],
        ['blended', 9, 17],
        ['interpolated', 18, 31],
      ],
    ],
    [
      'DeepSeek-V3: corrections 10 and 23',
      { base: 10000, rotaryDim: 64 },
      { type: 'ntk-by-parts', factor: 40, originalMaxPosition: 4096 },
      [
        ['kept', 0, 10],
        ['blended', 11, 22],
        ['interpolated', 23, 31],
      ],
    ],
    ['no rule', llama, { type: 'none' }, [['kept', 0, 63]]],
    ['PI', llama, { type: 'linear', factor: 4 }, [['interpolated', 0, 63]]],
    ['NTK', llama, { type: 'ntk', factor: 4 }, [['rebased', 0, 63]]],
    ['dynamic NTK within the trained length', llama, dynamic, [['kept', 0, 63]]],
    ['dynamic NTK beyond', { ...llama, length: 8192 }, dynamic, [['rebased', 0, 63]]],
    ['LongRoPE', llama, longrope, [['searched', 0, 63]]],
    [
      'p-RoPE of a quarter',
      llama,
      { type: 'proportional', partialRotaryFactor: 0.25 },
      [
        ['kept', 0, 15],
        ['still', 16, 63],
      ],
    ],
    [
      'p-RoPE that turns nothing',
      llama,
      { type: 'proportional', partialRotaryFactor: 0 },
      [['still', 0, 63]],
    ],
    [
      'a stretch of 1',
      llama,
      { type: 'yarn', factor: 1, originalMaxPosition: 64 },
      [['kept', 0, 63]],
    ],
  ])('%s', (_, rotation, scaling, expected) => {
    expect(bandsOf(rotation, scaling)).toEqual(expected);
  });

  it.each([1, 4])('says of every rule what its frequencies show, stretched by %s', (factor) => {
    const rotation = { base: 10000, rotaryDim: 128, length: 16384 };
    const given: Record<string, object> = {
      longrope: { shortFactor: list(1), longFactor: list(4) },
      proportional: { partialRotaryFactor: 0.5 },
    };
    for (const { name, parameters } of scalings) {
      const needed = { factor, originalMaxPosition: 4096, ...given[name] };
      const names = new Set(parameters.map((parameter) => parameter.name));
      const options = Object.entries(needed).filter(([key]) => names.has(key));
      const scaling = { type: name, ...Object.fromEntries(options) } as ScalingOptions;
      const plain = scaleFrequencies(rotation).inverseFrequencies;
      const { inverseFrequencies } = scaleFrequencies(rotation, scaling);
      const bands = scalingBands(rotation, scaling);
      expect(bands.map(({ first }) => first)).toEqual([
        0,
        ...bands.slice(0, -1).map((b) => b.last + 1),
      ]);
      expect(bands.at(-1)!.last).toBe(63);
      for (const { kind, first, last } of bands) {
        for (let i = first; i <= last; i++) {
          const divisor = plain[i]! / inverseFrequencies[i]!;
          if (kind === 'kept') expect(divisor).toBeCloseTo(1, 12);
          if (kind === 'still') expect(inverseFrequencies[i]).toBe(0);
          if (kind === 'interpolated') expect(divisor).toBeCloseTo(factor, 10);
          if (kind === 'blended') expect(divisor > 1 && divisor < factor).toBe(true);
        }
      }
    }
  });

  it('refuses what scaleFrequencies refuses', () => {
    expect(() => scalingBands({ base: 10000, rotaryDim: 7 })).toThrow(/^rotaryDim is 7, needs/);
    expect(() => scalingBands(llama, { type: 'linear', factor: 0.5 })).toThrow(/^scaling\.factor/);
  });
});

describe('pairCoverage', () => {
  it('counts turns by hand', () => {
    const pairs = { wavelengths: [10, 100, 1000, 8000], divisors: [1, 1, 1, 8] };
    expect(pairCoverage(pairs, 500, 4000)).toEqual([
      { covered: 1, turns: 400, inDistribution: true },
      { covered: 1, turns: 40, inDistribution: true },
      { covered: 0.5, turns: 4, inDistribution: false },
      { covered: 0.5, turns: 0.5, inDistribution: true },
    ]);
  });

  // Chen 2023, section 3: interpolation by s brings s·L tokens back into the trained range, and no more.
  it.each([3, 7.3, 40])('PI by %s covers exactly so many trained lengths', (factor) => {
    const [group] = inspect({
      model_type: 'llama',
      ...{ hidden_size: 4096, num_attention_heads: 32, num_hidden_layers: 2 },
      ...{ max_position_embeddings: 2000, rope_theta: 10000 },
      rope_scaling: { type: 'linear', factor },
    }).layerGroups;
    const at = (length: number) => pairCoverage(group!, 2000, length);
    const within = Math.floor(2000 * factor);
    expect(at(within).every(({ inDistribution }) => inDistribution)).toBe(true);
    const outside = at(within + 1).filter(({ inDistribution }) => !inDistribution);
    expect(outside).toHaveLength(group!.incompletePairs!);
    expect(at(within).filter(({ covered }) => covered < 1)).toHaveLength(group!.incompletePairs!);
  });

  it('NTK leaves the trained range before its factor (YaRN, section 3.1), NTK-by-parts does not', () => {
    const rotation = { base: 10000, rotaryDim: 128 };
    const plain = scaleFrequencies(rotation).inverseFrequencies;
    const outside = (scaling: ScalingOptions): number => {
      const { inverseFrequencies } = scaleFrequencies(rotation, scaling);
      const wavelengths = inverseFrequencies.map((frequency) => (2 * Math.PI) / frequency);
      const divisors = inverseFrequencies.map((frequency, i) => plain[i]! / frequency);
      const pairs = pairCoverage({ wavelengths, divisors }, 4096, 16384);
      return pairs.filter(({ inDistribution }) => !inDistribution).length;
    };
    expect(outside({ type: 'ntk', factor: 4 })).toBeGreaterThan(0);
    expect(outside({ type: 'yarn', factor: 4, originalMaxPosition: 4096 })).toBe(0);
  });

  it('names what is wrong', () => {
    const pairs = { wavelengths: [10], divisors: [1] };
    expect(() => pairCoverage(pairs, 0, 1)).toThrow(/^trained is 0/);
    expect(() => pairCoverage(pairs, 1, 1.5)).toThrow(/^length is 1\.5/);
    expect(() => pairCoverage({ ...pairs, divisors: [] }, 1, 1)).toThrow(/^pairs\.divisors/);
    const refuse = (given: unknown) => expect(() => pairCoverage(given as typeof pairs, 1, 1));
    refuse(null).toThrow(/^pairs is null/);
    refuse({ wavelengths: [10] }).toThrow(/^pairs\.divisors is missing/);
    refuse({ ...pairs, wavelengths: [0] }).toThrow(/^pairs\.wavelengths\[0\] is 0, needs/);
    refuse({ ...pairs, divisors: [NaN] }).toThrow(/^pairs\.divisors\[0\]/);
  });
});

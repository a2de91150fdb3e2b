/** Context-extension rules against numbers of independent code and of the papers. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { scaleFrequencies, scalings } from 'posenc';
import type { Rotation, ScalingOptions } from 'posenc';
import { correctionPair, correctionRange } from '../../web/api/scaling/by-parts.js';

/** Pairs whose frequency is as without the rule, and so on: the divisor of each pair. */
function divisors(rotation: Rotation, scaling: ScalingOptions): number[] {
  const plain = scaleFrequencies(rotation).inverseFrequencies;
  return scaleFrequencies(rotation, scaling).inverseFrequencies.map((f, i) => plain[i]! / f);
}

const close = (given: readonly number[], wanted: readonly number[], digits: number): void => {
  expect(given).toHaveLength(wanted.length);
  given.forEach((value, i) => expect(value, `entry ${i}`).toBeCloseTo(wanted[i]!, digits));
};

interface Case {
  name: string;
  config: { max_position_embeddings?: number; original_max_position_embeddings?: number };
  length: number | null;
  rope_parameters: Record<string, unknown> & { rope_theta: number; rope_type: string };
  rotary_dim: number;
  attention_factor: number;
  inverse_frequencies: number[];
  position: number;
  cos: number[];
  sin: number[];
}

const golden = JSON.parse(
  readFileSync(new URL('../golden/rope_scaling.json', import.meta.url), 'utf8'),
) as { tolerance: { rtol: number }; cases: Case[] };

const names: Record<string, string> = {
  max_position_embeddings: '',
  original_max_position_embeddings: 'originalMaxPosition',
};

/** The API's options for the resolved parameters of a case. */
function optionsOf({ config, rope_parameters: given }: Case): ScalingOptions {
  const type = given.rope_type === 'default' ? 'none' : given.rope_type;
  const { parameters } = scalings.find(({ name }) => name === type)!;
  const options = Object.entries(given).map(([key, value]) => {
    return [names[key] ?? key.replace(/_(.)/g, (_, c: string) => c.toUpperCase()), value];
  });
  const known = options.filter(([key]) => parameters.some(({ name }) => name === key));
  if (type === 'dynamic') known.push(['originalMaxPosition', config.max_position_embeddings]);
  if (type === 'longrope') {
    const lists = (config as Record<string, unknown>)['rope_scaling'] as Record<string, unknown>;
    const stretch =
      config.max_position_embeddings! / (given['original_max_position_embeddings'] as number);
    known.push(['shortFactor', lists['short_factor']], ['longFactor', lists['long_factor']]);
    known.push(['factor', stretch]);
  }
  return { ...Object.fromEntries(known), type } as ScalingOptions;
}

describe('every case of the conformance group rope_scaling, against transformers in float64', () => {
  for (const test of golden.cases) {
    it(test.name, () => {
      const rotation = {
        base: test.rope_parameters.rope_theta,
        rotaryDim: test.rotary_dim,
        ...(test.length === null ? {} : { length: test.length }),
      };
      const { inverseFrequencies, attentionFactor } = scaleFrequencies(rotation, optionsOf(test));
      expect(inverseFrequencies).toHaveLength(test.inverse_frequencies.length);
      inverseFrequencies.forEach((frequency, i) => {
        const wanted = test.inverse_frequencies[i]!;
        if (wanted === 0) expect(frequency).toBe(0);
        else expect(Math.abs(frequency / wanted - 1)).toBeLessThanOrEqual(golden.tolerance.rtol);
        const angle = test.position * frequency;
        expect(attentionFactor * Math.cos(angle)).toBeCloseTo(test.cos[i]!, 8);
        expect(attentionFactor * Math.sin(angle)).toBeCloseTo(test.sin[i]!, 8);
      });
      expect(attentionFactor).toBeCloseTo(test.attention_factor, 12);
    });
  }

  it('none is left out', () => expect(golden.cases).toHaveLength(61));
});

describe('published values', () => {
  it('NTK-aware: base 10000 stretched by 8 at 128 dimensions is 82684.6', () => {
    const { inverseFrequencies } = scaleFrequencies(
      { base: 10000, rotaryDim: 128 },
      { type: 'ntk', factor: 8 },
    );
    expect(inverseFrequencies[1]! ** -64).toBeCloseTo(82684.6, 1);
    // The slowest pair lands on position interpolation, the fastest stays.
    expect(divisors({ base: 10000, rotaryDim: 128 }, { type: 'ntk', factor: 8 })[63]).toBeCloseTo(
      8,
      9,
    );
    expect(inverseFrequencies[0]).toBe(1);
  });

  const dynamic: ScalingOptions = { type: 'dynamic', factor: 2, originalMaxPosition: 2048 };
  const baseAt = (length: number): number =>
    scaleFrequencies({ base: 10000, rotaryDim: 128, length }, dynamic).inverseFrequencies[1]! **
    -64;

  it.each([
    [100, 10000],
    [2048, 10000],
    [2049, 10009.9],
    [4096, 30527.7],
    [8192, 72195.9],
    [100, 10000],
  ])('dynamic NTK at length %i has base %f', (length, base) => {
    expect(baseAt(length)).toBeCloseTo(base, 1);
  });

  it.each([
    ['Yarn-Llama-2', 128, 10000, 16, 4096, [20.9445, 45.0269], [20, 46], 1.27726],
    ['DeepSeek', 64, 10000, 40, 4096, [10.4722, 22.5134], [10, 23], 1.36889],
    ['Qwen2.5', 128, 1e6, 4, 32768, [23.5959, 39.6509], [23, 40], 1.13863],
    ['gpt-oss', 64, 150000, 32, 4096, [8.0928, 17.398], [8, 18], 1.34657],
  ] as const)(
    'YaRN corrections of %s',
    (_, rotaryDim, base, factor, trained, raw, range, factorOnCos) => {
      const rotation = { base, rotaryDim };
      close(
        [32, 1].map((turns) => correctionPair(turns, rotation, trained)),
        raw,
        3,
      );
      const values = { betaFast: 32, betaSlow: 1, originalMaxPosition: trained };
      expect(correctionRange(rotation, { ...values, truncate: true })).toEqual(range);
      close(correctionRange(rotation, { ...values, truncate: false }), raw, 3);
      const scaling: ScalingOptions = { type: 'yarn', factor, originalMaxPosition: trained };
      expect(scaleFrequencies(rotation, scaling).attentionFactor).toBeCloseTo(factorOnCos, 5);
      // Up to the ramp kept, after it divided by the whole factor.
      const divided = divisors(rotation, scaling);
      expect(divided.slice(0, range[0] + 1).every((d) => d === 1)).toBe(true);
      expect(divided.slice(range[1]).every((d) => Math.abs(d / factor - 1) < 1e-12)).toBe(true);
    },
  );

  it('the ramp of YaRN is clamped to rotaryDim − 1, not to the last pair', () => {
    const values = { betaFast: 32, betaSlow: 1, originalMaxPosition: 2 ** 20, truncate: true };
    expect(correctionRange({ base: 10, rotaryDim: 64 }, values)).toEqual([118, 63]);
    expect(
      correctionRange({ base: 1e30, rotaryDim: 64 }, { ...values, originalMaxPosition: 8 }),
    ).toEqual([0, 1]);
  });

  it('Llama 3.1: 29 pairs kept, 6 blended, 29 divided by 8', () => {
    const divided = divisors(
      { base: 500000, rotaryDim: 128 },
      { type: 'llama3', factor: 8, originalMaxPosition: 8192 },
    );
    expect(divided.filter((d) => d === 1)).toHaveLength(29);
    close(divided.slice(29, 35), [1.207, 1.553, 2.026, 2.695, 3.684, 5.257], 3);
    expect(divided.slice(35)).toEqual(Array(29).fill(8));
  });

  it('Llama 3.2 1B: 15 kept, 3 blended, 14 divided by 32', () => {
    const divided = divisors(
      { base: 500000, rotaryDim: 64 },
      { type: 'llama3', factor: 32, originalMaxPosition: 8192 },
    );
    expect(divided.slice(0, 15)).toEqual(Array(15).fill(1));
    close(divided.slice(15, 18), [1.65133, 3.29226, 9.66673], 4);
    expect(divided.slice(18)).toEqual(Array(14).fill(32));
  });

  it('equal low and high bands (Llama 4) make a step, not NaN', () => {
    const divided = divisors(
      { base: 500000, rotaryDim: 128 },
      { type: 'llama3', factor: 8, originalMaxPosition: 8192, lowFreqFactor: 1, highFreqFactor: 1 },
    );
    expect(new Set(divided)).toEqual(new Set([1, 8]));
  });

  const pairs = (value: number): number[] => Array<number>(4).fill(value);
  const long: ScalingOptions = {
    type: 'longrope',
    shortFactor: pairs(1),
    longFactor: pairs(2),
    originalMaxPosition: 4096,
    factor: 32,
  };

  it('LongRoPE: the attention factor from 4096 to 131072 is 1.1902, at every length', () => {
    for (const length of [1, 4096, 131072]) {
      const { attentionFactor } = scaleFrequencies({ base: 10000, rotaryDim: 8, length }, long);
      expect(attentionFactor).toBeCloseTo(1.1902, 4);
    }
  });

  it('LongRoPE: the long factors count from 4097 tokens on, not at exactly 4096', () => {
    const at = (length: number): number =>
      scaleFrequencies({ base: 10000, rotaryDim: 8, length }, long).inverseFrequencies[0]!;
    expect([at(4096), at(4097)]).toEqual([1, 0.5]);
  });

  const deepseek = { type: 'yarn', factor: 40, originalMaxPosition: 4096 } as const;
  const rope64 = { base: 10000, rotaryDim: 64 };

  it.each([
    [1, 1, 1, 1.8739],
    [0.707, 0.707, 1, 1.5896],
    [1, 0.707, 1.0857, 1.5896],
  ])(
    'mscale %f over mscale_all_dim %f: cos × %f, softmax × %f',
    (mscale, mscaleAllDim, cos, softmax) => {
      const made = scaleFrequencies(rope64, { ...deepseek, mscale, mscaleAllDim });
      expect(made.attentionFactor).toBeCloseTo(cos, 4);
      expect(made.softmaxFactor).toBeCloseTo(softmax, 4);
    },
  );

  it('an explicit attention factor of 1 is exactly 1, and mscale alone changes nothing', () => {
    const explicit = scaleFrequencies(rope64, { ...deepseek, attentionFactor: 1 });
    expect(explicit).toMatchObject({ attentionFactor: 1, softmaxFactor: 1 });
    expect(scaleFrequencies(rope64, { ...deepseek, mscale: 0.5 })).toEqual(
      scaleFrequencies(rope64, deepseek),
    );
  });

  it('p-RoPE: half of 8 dimensions turns at 1 and 0.1; pair 63 of Gemma 4 at 0.0334', () => {
    const half = scaleFrequencies(
      { base: 10000, rotaryDim: 8 },
      { type: 'proportional', partialRotaryFactor: 0.5 },
    );
    close(half.inverseFrequencies, [1, 0.1, 0, 0], 12);
    const gemma = scaleFrequencies(
      { base: 1e6, rotaryDim: 512 },
      { type: 'proportional', partialRotaryFactor: 0.25 },
    ).inverseFrequencies;
    expect(gemma[63]).toBeCloseTo(0.0334, 4);
    expect(gemma.filter((frequency) => frequency > 0)).toHaveLength(64);
    // A partial rotation of the same share is something else.
    expect(scaleFrequencies({ base: 1e6, rotaryDim: 128 }).inverseFrequencies[63]).toBeCloseTo(
      1.24e-6,
      8,
    );
  });

  it("Hunyuan's alpha raises the base at every length", () => {
    const scaling: ScalingOptions = { ...dynamic, factor: 1, alpha: 1000 };
    const rotation = { base: 10000, rotaryDim: 128 };
    const short = scaleFrequencies({ ...rotation, length: 1 }, scaling);
    expect(short).toEqual(scaleFrequencies({ ...rotation, length: 99999 }, scaling));
    expect(short).toEqual(scaleFrequencies(rotation, { type: 'ntk', factor: 1000 }));
  });
});

describe('laws', () => {
  const rotation = { base: 10000, rotaryDim: 64 };
  const originalMaxPosition = 2048;
  const rules: Record<string, object> = {
    linear: { factor: 1 },
    ntk: { factor: 1 },
    dynamic: { factor: 4, originalMaxPosition },
    'ntk-by-parts': { factor: 1, originalMaxPosition },
    yarn: { factor: 1, originalMaxPosition },
    llama3: { factor: 1, originalMaxPosition },
    longrope: {
      factor: 1,
      originalMaxPosition,
      shortFactor: Array<number>(32).fill(1),
      longFactor: Array<number>(32).fill(1),
    },
    proportional: { partialRotaryFactor: 1 },
  };

  it.each(Object.entries(rules))('%s without stretch is plain RoPE', (type, options) => {
    const made = scaleFrequencies(rotation, { type, ...options } as ScalingOptions);
    expect(made).toMatchObject({ attentionFactor: 1, softmaxFactor: 1 });
    close(made.inverseFrequencies, scaleFrequencies(rotation).inverseFrequencies, 14);
  });

  it('NTK-by-parts is YaRN without its factor', () => {
    const options = { factor: 4, originalMaxPosition, betaFast: 8, betaSlow: 2 };
    const parts = scaleFrequencies(rotation, { type: 'ntk-by-parts', ...options });
    const yarn = scaleFrequencies(rotation, { type: 'yarn', ...options });
    expect(parts.inverseFrequencies).toEqual(yarn.inverseFrequencies);
    expect(parts.attentionFactor).toBe(1);
  });

  it('the last pair of linear and NTK agree, whatever the width', () => {
    for (const rotaryDim of [4, 20, 96, 128]) {
      const ends = (['linear', 'ntk'] as const).map((type) => {
        return scaleFrequencies(
          { base: 5e5, rotaryDim },
          { type, factor: 3 },
        ).inverseFrequencies.at(-1)!;
      });
      expect(ends[0]! / ends[1]!).toBeCloseTo(1, 12);
    }
  });
});

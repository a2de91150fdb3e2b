/**
 * The presets, layer by layer: sizes and windows as published, frequencies from formulas of the papers
 * (tests/golden/presets.py) and from transformers in float64 (the cases of rope_scaling.json).
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inspect } from 'posenc';
import type { LayerGroup, Plan } from 'posenc';
import { presets } from '../../web/site/presets/index.js';

interface Numbers {
  pairs?: number;
  first?: number;
  middle?: number;
  last?: number;
  attentionFactor?: number | null;
  softmaxScale: number;
  slopes?: number[];
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../golden/${name}`, import.meta.url), 'utf8'));

const golden = read('presets.json') as {
  tolerance: { rtol: number };
  models: Record<string, Numbers[]>;
};
const reference = read('rope_scaling.json') as {
  cases: { name: string; inverse_frequencies: number[]; attention_factor: number }[];
};

/** What each group is, as far as the model's authors publish it; `case`: the same in transformers. */
interface Expected {
  plan: Partial<Plan>;
  groups: (Partial<LayerGroup> & { case?: string })[];
  /** Codes of all warnings at the preset's length. */
  warnings?: string[];
  /** Remarks that must not be missing. */
  told?: string[];
}

/** Layers 0 … count − 1 of which the test holds. */
const layers = (count: number, test: (layer: number) => boolean = () => true): number[] =>
  Array.from({ length: count }, (_, layer) => layer).filter(test);

const half = { encoding: 'rope', layout: 'half' } as const;
const interleaved = { encoding: 'rope', layout: 'interleaved' } as const;

const expected: Record<string, Expected> = {
  'llama-3.1-8b': {
    plan: { layers: 32, kvHeads: 8, headDim: 128, trainedLength: 8192, effectiveLength: 131072 },
    groups: [{ ...half, rotaryDim: 128, base: 500000, layers: layers(32), case: 'llama3_1_8b' }],
    told: ['within-stretch', 'layout-half'],
  },
  'qwen2.5-7b-yarn': {
    plan: { layers: 28, headDim: 128, trainedLength: 32768, effectiveLength: 131072 },
    groups: [{ ...half, rotaryDim: 128, base: 1e6, window: null, case: 'qwen2_5_7b_yarn4' }],
    warnings: ['factor-recomputed'],
    told: ['yarn-static', 'window-off', 'within-stretch', 'factor-on-cos'],
  },
  'qwen3-8b': {
    plan: { layers: 36, headDim: 128, trainedLength: 40960, effectiveLength: 40960 },
    groups: [{ ...half, rotaryDim: 128, base: 1e6, window: null, layers: layers(36) }],
  },
  'gemma-3-4b': {
    plan: { path: 'text_config', layers: 34, heads: 8, kvHeads: 4, trainedLength: 131072 },
    groups: [
      {
        ...half,
        ...{ rotaryDim: 256, base: 10000, window: 1024, case: 'gemma3_4b_local' },
        layers: layers(34, (layer) => layer % 6 !== 5),
      },
      {
        ...half,
        ...{ rotaryDim: 256, base: 1e6, window: null, case: 'gemma3_4b_global_linear8' },
        layers: [5, 11, 17, 23, 29],
      },
    ],
    told: ['read-through', 'rule-on-full-layers'],
  },
  'glm-4.5': {
    plan: { layers: 92, heads: 96, headDim: 128, trainedLength: 131072, effectiveLength: 131072 },
    groups: [{ ...half, rotaryDim: 64, base: 1e6, layers: layers(92) }],
    told: ['head-dim-explicit'],
  },
  'deepseek-v3': {
    plan: { layers: 61, headDim: 64, trainedLength: 4096, effectiveLength: 163840 },
    groups: [
      {
        ...interleaved,
        ...{ rotaryDim: 64, rotaryStart: 128, base: 10000, case: 'deepseek_v3_yarn' },
        latent: { nope: 128, rotary: 64, value: 128 },
      },
    ],
    told: ['factor-on-softmax', 'latent'],
  },
  'gpt-oss-20b': {
    plan: { layers: 24, headDim: 64, trainedLength: 4096, effectiveLength: 131072 },
    groups: [
      { ...half, rotaryDim: 64, window: 128, sinks: true, layers: layers(24, (i) => i % 2 === 0) },
      {
        ...half,
        ...{ rotaryDim: 64, window: null, sinks: true, case: 'gpt_oss_20b_yarn_notruncate' },
        layers: layers(24, (layer) => layer % 2 === 1),
      },
    ],
    warnings: ['truncate-off'],
    told: ['sinks', 'window-counts-self'],
  },
  'phi-3-mini-128k': {
    plan: { layers: 32, headDim: 96, trainedLength: 4096, effectiveLength: 131072 },
    groups: [{ ...half, rotaryDim: 96, base: 10000, window: 262144 }],
    told: ['longrope-switch', 'rule-old-name', 'factor-on-cos'],
  },
  bloom: {
    plan: { layers: 70, heads: 112, headDim: 128, trainedLength: 2048 },
    groups: [{ encoding: 'alibi', options: { heads: 112 }, layers: layers(70) }],
    warnings: ['alibi-extrapolates'],
  },
  't5-base': {
    plan: { layers: 24, heads: 12, headDim: 64, trainedLength: 512 },
    groups: [
      {
        encoding: 't5',
        layers: layers(12),
        // Raffel 2020, section 2.1: 32 buckets up to 128; half of them for each side of the encoder.
        buckets: {
          count: 32,
          maxDistance: 128,
          bidirectional: true,
          saturatesAt: 91,
          perLayer: false,
        },
      },
      {
        encoding: 't5',
        layers: layers(24, (layer) => layer >= 12),
        buckets: {
          count: 32,
          maxDistance: 128,
          bidirectional: false,
          saturatesAt: 113,
          perLayer: false,
        },
      },
    ],
    warnings: ['buckets-extrapolate'],
    told: ['t5-unscaled'],
  },
  minimind: {
    plan: { layers: 8, kvHeads: 4, headDim: 96, trainedLength: 32768, effectiveLength: 32768 },
    groups: [{ ...half, rotaryDim: 96, base: 1e6, case: 'minimind' }],
  },
  'llama-4-scout': {
    plan: {
      path: 'text_config',
      layers: 48,
      headDim: 128,
      trainedLength: 8192,
      effectiveLength: 10485760,
    },
    groups: [
      { ...interleaved, rotaryDim: 128, chunk: 8192, layers: layers(48, (i) => i % 4 !== 3) },
      {
        encoding: 'nope',
        layers: layers(48, (layer) => layer % 4 === 3),
        temperature: { scale: 0.1, floor: 8192, shift: 1 },
      },
    ],
    told: ['chunked', 'temperature', 'layers-without-rope'],
  },
  'qwen2-vl-7b': {
    plan: { layers: 28, headDim: 128, trainedLength: 32768, effectiveLength: 32768 },
    groups: [{ ...half, rotaryDim: 128, base: 1e6, window: null }],
    told: ['sections', 'window-off'],
  },
  'smollm3-3b': {
    plan: { layers: 36, headDim: 128, trainedLength: 65536, effectiveLength: 65536 },
    groups: [
      { ...half, rotaryDim: 128, base: 5e6, layers: layers(36, (layer) => layer % 4 !== 3) },
      { encoding: 'nope', layers: layers(36, (layer) => layer % 4 === 3) },
    ],
    warnings: ['unseen-phases', 'nope-extrapolates'],
    told: ['no-rope-meaning'],
  },
  'olmo-3-7b': {
    plan: { layers: 32, headDim: 128, trainedLength: 8192, effectiveLength: 65536 },
    groups: [
      { ...half, rotaryDim: 128, window: 4096, layers: layers(32, (layer) => layer % 4 !== 3) },
      { ...half, rotaryDim: 128, window: null, layers: layers(32, (layer) => layer % 4 === 3) },
    ],
    told: ['rule-on-full-layers', 'attention-factor-given'],
  },
  'modernbert-base': {
    plan: { layers: 22, headDim: 64, trainedLength: 8192, effectiveLength: 8192 },
    groups: [
      {
        ...half,
        rotaryDim: 64,
        base: 160000,
        window: null,
        layers: layers(22, (i) => i % 3 === 0),
      },
      {
        ...half,
        ...{ rotaryDim: 64, base: 10000, window: 129, case: 'modernbert_local' },
        layers: layers(22, (layer) => layer % 3 !== 0),
      },
    ],
    told: ['window-both-sides'],
  },
  'deberta-v3-base': {
    plan: { layers: 12, headDim: 64, trainedLength: 512 },
    groups: [
      {
        encoding: 'deberta',
        // He 2021: content and position both ways; 256 log buckets to each side, no input positions.
        disentangled: {
          terms: ['c2c', 'c2p', 'p2c'],
          maxDistance: 512,
          buckets: 256,
          absolute: false,
        },
      },
    ],
    warnings: ['beyond-trained'],
    told: ['disentangled'],
  },
  'whisper-small': {
    plan: { layers: 24, headDim: 64, trainedLength: 448, effectiveLength: 1500 },
    groups: [
      {
        encoding: 'sinusoidal',
        layers: layers(12),
        table: { positions: 1500, width: 768, offset: 0 },
        options: { width: 768, layout: 'halves', denominator: 'd/2-1' },
      },
      {
        encoding: 'learned',
        layers: layers(24, (layer) => layer >= 12),
        table: { positions: 448, width: 768, offset: 0 },
      },
    ],
    warnings: ['table-ends'],
    told: ['sinusoids'],
  },
};

const near = (given: number | null | undefined, wanted: number, what: string): void => {
  const error = Math.abs((given ?? NaN) / wanted - 1);
  expect(error, `${what}: ${given}, wanted ${wanted}`).toBeLessThanOrEqual(golden.tolerance.rtol);
};

describe.each(presets)('$id', ({ id, config, length, source }) => {
  const plan = inspect(config, length === undefined ? {} : { length });
  const wanted = expected[id]!;

  it('has the published sizes, layers, windows and lengths', () => {
    expect(plan).toMatchObject(wanted.plan);
    expect(plan.layerGroups).toHaveLength(wanted.groups.length);
    plan.layerGroups.forEach((group, i) => {
      expect({ ...group, case: wanted.groups[i]!.case }).toMatchObject({
        computed: true,
        ...wanted.groups[i],
      });
    });
    const count = plan.layerGroups.reduce((sum, group) => sum + group.layers.length, 0);
    expect(count).toBe(plan.layers);
  });

  it('has the frequencies and factors of the formulas', () => {
    const numbers = golden.models[id]!;
    expect(plan.layerGroups).toHaveLength(numbers.length);
    plan.layerGroups.forEach((group, i) => {
      const { pairs = 0, first, middle, last, attentionFactor, softmaxScale, slopes } = numbers[i]!;
      const table = group.inverseFrequencies;
      expect(table).toHaveLength(pairs);
      near(group.softmaxScale, softmaxScale, 'softmax scale');
      if (slopes !== undefined) {
        [0, 63, 64, 111].forEach((h, place) => near(group.slopes[h], slopes[place]!, `slope ${h}`));
      }
      if (pairs === 0) return;
      near(table[0], first!, 'first');
      near(table[pairs / 2], middle!, 'middle');
      near(table[pairs - 1], last!, 'last');
      if (typeof attentionFactor === 'number')
        near(group.attentionFactor, attentionFactor, 'cos factor');
    });
  });

  it('agrees with transformers where there is a case', () => {
    plan.layerGroups.forEach((group, i) => {
      const name = wanted.groups[i]!.case;
      if (name === undefined) return;
      const test = reference.cases.find((each) => each.name === name)!;
      expect(group.inverseFrequencies).toHaveLength(test.inverse_frequencies.length);
      group.inverseFrequencies.forEach((f, pair) =>
        near(f, test.inverse_frequencies[pair]!, `pair ${pair}`),
      );
      near(group.attentionFactor, test.attention_factor, 'cos factor');
    });
  });

  it('has its warnings and remarks', () => {
    expect(plan.warnings.map(({ code }) => code)).toEqual(wanted.warnings ?? []);
    const told = plan.assumptions.map(({ code }) => code);
    expect(told).toEqual(expect.arrayContaining(wanted.told ?? []));
  });

  it('is one of the listed models, from a page of its own', () => {
    expect(source).toMatch(/^https:\/\/(huggingface\.co|github\.com)\/[\w.-]+\/[\w.-]+$/);
  });
});

it('there are expectations and numbers for every preset', () => {
  const ids = presets.map(({ id }) => id);
  expect(new Set(ids).size).toBe(18);
  expect(Object.keys(expected).sort()).toEqual([...ids].sort());
  expect(Object.keys(golden.models).sort()).toEqual([...ids].sort());
});

it('the sections of Qwen2-VL give each pair its axis', () => {
  const { config } = presets.find(({ id }) => id === 'qwen2-vl-7b')!;
  const { sections } = inspect(config).layerGroups[0]!;
  expect(sections).toMatchObject({ sizes: [16, 24, 24], order: 'chunked' });
  expect(sections!.axes.join('')).toBe('0'.repeat(16) + '1'.repeat(24) + '2'.repeat(24));
});

it('Phi-3 keeps its short factors up to 4096 tokens', () => {
  const { config } = presets.find(({ id }) => id === 'phi-3-mini-128k')!;
  const at = (length: number) => inspect(config, { length }).layerGroups[0]!.inverseFrequencies[0]!;
  near(at(4096), 1 / 1.05, 'short');
  near(at(4097), 1 / 1.0299999713897705, 'long');
});

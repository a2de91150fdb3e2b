/** `inspect` against numbers that public code made: transformers in float64, and its silent defaults. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inspect, load, scaleFrequencies } from 'posenc';
import type { LayerGroup, Plan, RopeOptions, ScaledRopeOptions } from 'posenc';

interface Case {
  name: string;
  config: Record<string, unknown>;
  length: number | null;
  layer_type: string | null;
  rope_parameters: { rope_theta: number; rope_type: string };
  head_dim: number;
  rotary_dim: number;
  layout: 'half' | 'interleaved';
  attention_factor: number;
  inverse_frequencies: number[];
}

interface Parameters {
  rope_theta: number;
  rope_type: string;
  partial_rotary_factor?: number;
}

interface Defaults {
  rope_parameters: Parameters | { full_attention: Parameters; sliding_attention: Parameters };
  head_dim: number | null;
  hidden_size: number | null;
  num_attention_heads: number | null;
  max_position_embeddings: number | null;
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../golden/${name}`, import.meta.url), 'utf8'));

const golden = read('rope_scaling.json') as { tolerance: { rtol: number }; cases: Case[] };
const defaults = read('rope_defaults.json') as { by_model_type: Record<string, Defaults> };

const codes = (plan: Plan): string[] =>
  [...plan.warnings, ...plan.assumptions].map(({ code }) => code);

/** The group of a layer type, or the only one that rotates. */
function groupOf(plan: Plan, layerType: string | null): LayerGroup {
  const rotating = plan.layerGroups.filter(({ encoding }) => encoding === 'rope');
  const found =
    layerType === null ? rotating : rotating.filter((each) => each.layerType === layerType);
  expect(found).toHaveLength(1);
  return found[0]!;
}

function inspectCase({ config, length, layer_type }: Case): LayerGroup {
  return groupOf(inspect(config, length === null ? {} : { length }), layer_type);
}

/** Layers that rotate alike although their windows differ: any of them stands for all. */
const alternating = new Set(['gemma2_9b', 'gpt_oss_20b_yarn_notruncate']);

function expectFrequencies(given: readonly number[], wanted: readonly number[]): void {
  expect(given).toHaveLength(wanted.length);
  given.forEach((frequency, i) => {
    if (wanted[i] === 0) return expect(frequency).toBe(0);
    const error = Math.abs(frequency / wanted[i]! - 1);
    expect(error, `pair ${i}`).toBeLessThanOrEqual(golden.tolerance.rtol);
  });
}

describe('a published config, against transformers in float64', () => {
  for (const test of golden.cases) {
    it(test.name, () => {
      const layer_type = alternating.has(test.name) ? 'full_attention' : test.layer_type;
      const group = inspectCase({ ...test, layer_type });
      expectFrequencies(group.inverseFrequencies, test.inverse_frequencies);
      expect(group).toMatchObject({
        encoding: 'rope',
        computed: true,
        rotaryDim: test.rotary_dim,
        base: test.rope_parameters.rope_theta,
        layout: test.layout,
        options: {
          headDim: test.head_dim,
          rotaryDim: test.rotary_dim,
          base: test.rope_parameters.rope_theta,
          layout: test.layout,
        },
      });
      expect(group.attentionFactor).toBeCloseTo(test.attention_factor, 12);
      group.wavelengths.forEach((wavelength, i) => {
        expect(wavelength * group.inverseFrequencies[i]!).toBeCloseTo(2 * Math.PI, 12);
      });
    });
  }

  it('covers all cases of the group', () => {
    expect(golden.cases).toHaveLength(61);
  });
});

/** Frequencies are not those of one dimension and an even width: see inspect-families.test.ts. */
const special = new Map([
  ['efficientloftr', 'grid-mixed'],
  ['pixtral', 'grid-halves'],
  ['glm4_moe', 'head-dim-floored'],
  ['glm4v_moe', 'head-dim-floored'],
  ['glm4v_moe_text', 'head-dim-floored'],
]);

describe('defaults of an empty config, against transformers', () => {
  for (const [type, wanted] of Object.entries(defaults.by_model_type)) {
    it(type, () => {
      const plan = inspect({ model_type: type });
      const { head_dim, hidden_size, num_attention_heads, rope_parameters } = wanted;
      expect(plan).toMatchObject({
        modelType: type,
        hiddenSize: hidden_size,
        heads: num_attention_heads,
      });
      const nested = 'full_attention' in rope_parameters;
      const byType = nested ? Object.entries(rope_parameters) : [[null, rope_parameters] as const];
      const claimed = plan.layerGroups.map(({ effectiveLength }) => effectiveLength);
      expect(Math.max(...claimed.map((length) => length ?? 0))).toBe(
        wanted.max_position_embeddings ?? 0,
      );
      for (const [layerType, parameters] of byType) {
        const { rope_theta, rope_type, partial_rotary_factor = 1 } = parameters;
        const groups = plan.layerGroups.filter(
          (group) =>
            group.encoding === 'rope' && (layerType ?? group.layerType) === group.layerType,
        );
        for (const group of groups) {
          expect(group.base).toBe(rope_theta);
          expect(group.scaling?.type).toBe(rope_type);
          if (hidden_size === null) continue;
          expect(group.computed).toBe(true);
          if (special.has(type)) continue;
          const headDim = head_dim ?? hidden_size / num_attention_heads!;
          expect(plan.headDim).toBe(headDim);
          expect(group.rotaryDim).toBe(Math.trunc(headDim * partial_rotary_factor));
        }
      }
      const told = codes(plan);
      expect(told).toEqual(expect.arrayContaining([expect.stringMatching(/^(base|rule)-default/)]));
      if (special.has(type)) expect(told).toContain(special.get(type));
    });
  }

  it('covers every model type', () => {
    expect(Object.keys(defaults.by_model_type)).toHaveLength(157);
  });
});

describe('the options of a group', () => {
  it('make the same frequencies by scaleFrequencies', () => {
    for (const test of golden.cases) {
      const layer_type = alternating.has(test.name) ? 'full_attention' : test.layer_type;
      const group = inspectCase({ ...test, layer_type });
      const { base, rotaryDim, scaling, length } = group.options as Required<RopeOptions> &
        Pick<ScaledRopeOptions, 'scaling' | 'length'>;
      const rotation = { base, rotaryDim, ...(length === undefined ? {} : { length }) };
      const made = scaleFrequencies(rotation, scaling);
      expect(made.inverseFrequencies).toEqual(group.inverseFrequencies);
      expect(made.attentionFactor).toBe(group.attentionFactor);
    }
  });

  it('make the same frequencies and slopes in the module', async () => {
    const pe = await load();
    for (const test of golden.cases.filter(({ rope_parameters: r }) => r.rope_type === 'default')) {
      const layer_type = alternating.has(test.name) ? 'full_attention' : test.layer_type;
      const group = inspectCase({ ...test, layer_type });
      const rope = pe.encoding('rope', group.options as RopeOptions);
      expectFrequencies([...rope.inverseFrequencies], group.inverseFrequencies);
      expect(rope.attentionFactor).toBe(group.attentionFactor);
    }
    for (const heads of [1, 6, 8, 12, 112]) {
      const config = { model_type: 'bloom', n_head: heads, hidden_size: heads, n_layer: 1 };
      const [group] = inspect(config).layerGroups;
      const alibi = pe.encoding('alibi', group!.options as { heads: number });
      const bias = alibi.bias({ queryPositions: [1], keyPositions: [0] });
      expect([...bias]).toEqual(group!.slopes.map((slope) => Math.fround(-slope)));
    }
  });
});

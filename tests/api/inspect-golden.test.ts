import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inspect, load } from 'posenc';
import type { LayerGroup, Plan, RopeOptions } from 'posenc';

interface Case {
  name: string;
  config: Record<string, unknown>;
  layer_type: string | null;
  rope_parameters: { rope_theta: number; rope_type: string };
  head_dim: number;
  rotary_dim: number;
  layout: 'half' | 'interleaved';
  inverse_frequencies: number[];
}

interface Defaults {
  rope_parameters: { rope_theta: number; partial_rotary_factor?: number };
  head_dim: number | null;
  hidden_size: number;
  num_attention_heads: number;
  max_position_embeddings: number;
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../golden/${name}`, import.meta.url), 'utf8'));

const all = read('rope_scaling.json') as { tolerance: { rtol: number }; cases: Case[] };
const plain = ({ rope_parameters }: Case): boolean => rope_parameters.rope_type === 'default';
const golden = { ...all, cases: all.cases.filter(plain) };

const types = [
  'gpt_neox',
  'llama',
  'mistral',
  'mixtral',
  'qwen2',
  'qwen2_moe',
  'qwen3',
  'qwen3_moe',
];
const { by_model_type } = read('rope_defaults.json') as { by_model_type: Record<string, Defaults> };

const codes = (plan: Plan): string[] =>
  [...plan.warnings, ...plan.assumptions].map(({ code }) => code);

function only(plan: Plan): LayerGroup {
  expect(plan.layerGroups).toHaveLength(1);
  return plan.layerGroups[0]!;
}

function expectFrequencies(given: readonly number[], wanted: readonly number[]): void {
  expect(given).toHaveLength(wanted.length);
  given.forEach((frequency, i) => {
    const error = Math.abs(frequency / wanted[i]! - 1);
    expect(error, `pair ${i}`).toBeLessThanOrEqual(golden.tolerance.rtol);
  });
}

/** Model types whose layers differ by their own code, or that name no base: told, not computed. */
const uncomputed = new Set([
  'codegen_350m',
  'cohere2_command_r7b',
  'falcon_7b',
  'gemma2_9b',
  'gemma3_1b_global',
  'gemma3_1b_local',
  'gemma3_4b_local',
  'gemma4_e2b_local',
  'gpt_j_6b',
  'modernbert_local',
]);

describe('frequencies of the default rule, against Hugging Face in float64', () => {
  for (const test of golden.cases.filter(({ name }) => !uncomputed.has(name))) {
    it(test.name, () => {
      const group = only(inspect(test.config));
      expectFrequencies(group.inverseFrequencies, test.inverse_frequencies);
      expect(group).toMatchObject({
        encoding: 'rope',
        computed: true,
        rotaryDim: test.rotary_dim,
        base: test.rope_parameters.rope_theta,
        layout: test.layout,
        attentionFactor: 1,
        options: {
          headDim: test.head_dim,
          rotaryDim: test.rotary_dim,
          base: test.rope_parameters.rope_theta,
          layout: test.layout,
        },
      });
      group.wavelengths.forEach((wavelength, i) => {
        expect(wavelength * group.inverseFrequencies[i]!).toBeCloseTo(2 * Math.PI, 12);
      });
    });
  }

  for (const test of golden.cases.filter(({ name }) => uncomputed.has(name))) {
    it(`${test.name} is told to be uncomputed`, () => {
      const plan = inspect(test.config);
      for (const group of plan.layerGroups) {
        expect(group).toMatchObject({ computed: false, options: null, inverseFrequencies: [] });
      }
      expect(plan.warnings.map(({ code }) => code)).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^(special-model|special-fields|base-missing)$/),
        ]),
      );
    });
  }

  it('covers all cases of the group', () => {
    expect(golden.cases).toHaveLength(25);
  });
});

describe('defaults of an empty config, against Hugging Face', () => {
  for (const type of types) {
    const wanted = by_model_type[type]!;
    it(type, () => {
      const plan = inspect({ model_type: type });
      const headDim = wanted.head_dim ?? wanted.hidden_size / wanted.num_attention_heads;
      const fraction = wanted.rope_parameters.partial_rotary_factor ?? 1;
      expect(plan).toMatchObject({
        modelType: type,
        hiddenSize: wanted.hidden_size,
        heads: wanted.num_attention_heads,
        trainedLength: wanted.max_position_embeddings,
      });
      expect(plan.headDim).toBe(headDim);
      expect(only(plan)).toMatchObject({
        base: wanted.rope_parameters.rope_theta,
        rotaryDim: headDim * fraction,
      });
      expect(codes(plan)).toContain('base-default');
      expect(codes(plan)).toContain('default-assumed');
    });
  }
});

describe('the options of a group', () => {
  it('make the same frequencies and slopes in the module', async () => {
    const pe = await load();
    for (const test of golden.cases.filter(({ name }) => !uncomputed.has(name))) {
      const group = only(inspect(test.config));
      const rope = pe.encoding('rope', group.options as RopeOptions);
      expectFrequencies([...rope.inverseFrequencies], group.inverseFrequencies);
      expect(rope.attentionFactor).toBe(group.attentionFactor);
    }
    for (const heads of [1, 6, 8, 12, 112]) {
      const config = { model_type: 'bloom', n_head: heads, hidden_size: heads, n_layer: 1 };
      const group = only(inspect(config));
      const alibi = pe.encoding('alibi', group.options as { heads: number });
      const bias = alibi.bias({ queryPositions: [1], keyPositions: [0] });
      expect([...bias]).toEqual(group.slopes.map((slope) => Math.fround(-slope)));
    }
  });
});

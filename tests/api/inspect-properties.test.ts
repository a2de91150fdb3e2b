/** Properties of random configs and rules. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PosencError, inspect, scaleFrequencies, scalings } from 'posenc';
import type { Plan, ScalingOptions, ScalingParameter } from 'posenc';
import { catalogue } from '../../web/api/inspect/catalogue.js';
import { biases } from '../../web/api/inspect/families/biases.js';
import { core } from '../../web/api/inspect/families/core.js';
import { recurrent } from '../../web/api/inspect/families/recurrent.js';
import { remote } from '../../web/api/inspect/families/remote.js';
import { rotary } from '../../web/api/inspect/families/rotary.js';
import { tables } from '../../web/api/inspect/families/tables.js';

const types = [
  ...[...core, ...tables, ...biases, ...recurrent, ...remote].map(({ type }) => String(type)),
  ...Object.keys(rotary),
];

const rotation = fc.record({
  base: fc.double({ min: 1.001, max: 1e12, noNaN: true }),
  rotaryDim: fc.integer({ min: 2, max: 64 }).map((pairs) => 2 * pairs),
  length: fc.integer({ min: 1, max: 2 ** 30 }),
});

/** A value in the range of a parameter. */
function valueOf({ kind, low, high }: ScalingParameter, pairs: number): fc.Arbitrary<unknown> {
  if (kind === 'flag') return fc.boolean();
  if (kind === 'integer') return fc.integer({ min: low!, max: high! });
  const number = fc.double({ min: low!, max: high!, noNaN: true });
  return kind === 'list' ? fc.array(number, { minLength: pairs, maxLength: pairs }) : number;
}

/** A rule with all parameters, and a rotation that fits. */
const scaled = rotation.chain((given) =>
  fc.constantFrom(...scalings).chain(({ name, parameters }) => {
    const values = parameters.map((p) => [p.name, valueOf(p, given.rotaryDim / 2)]);
    const options = fc.record(Object.fromEntries(values) as Record<string, fc.Arbitrary<unknown>>);
    return options.map((values) => {
      return { rotation: given, scaling: { ...values, type: name } as unknown as ScalingOptions };
    });
  }),
);

/** Parameters that are fine alone but not together name themselves. */
const together = /^(betaFast|highFreqFactor)$/;

describe('rules', () => {
  it('give finite frequencies that never grow with the pair, or name what does not fit', () => {
    fc.assert(
      fc.property(scaled, ({ rotation: given, scaling }) => {
        try {
          const made = scaleFrequencies(given, scaling);
          const { inverseFrequencies: table } = made;
          expect(table).toHaveLength(given.rotaryDim / 2);
          expect(table.every((f) => f >= 0 && f < Infinity)).toBe(true);
          expect(Number.isFinite(made.attentionFactor)).toBe(true);
          expect(made.softmaxFactor).toBeGreaterThanOrEqual(1);
          if (scaling.type === 'longrope') return;
          table.slice(1).forEach((f, i) => expect(f).toBeLessThanOrEqual(table[i]! * (1 + 1e-12)));
        } catch (error) {
          if (!(error instanceof PosencError)) throw error;
          expect(error.code).toBe('range');
          expect(error.argument).toMatch(together);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('that interpolate stay between kept and divided by the factor', () => {
    const range = { noNaN: true, min: 1, max: 1e4 };
    const rule = fc.record({
      type: fc.constantFrom('linear', 'ntk', 'ntk-by-parts', 'yarn', 'llama3'),
      factor: fc.double(range),
      originalMaxPosition: fc.integer({ min: 1, max: 2 ** 20 }),
    });
    fc.assert(
      fc.property(rotation, rule, (given, { type, factor, originalMaxPosition }) => {
        if (given.rotaryDim < 4) return;
        const trained = type === 'linear' || type === 'ntk' ? {} : { originalMaxPosition };
        const scaling = { type, factor, ...trained } as ScalingOptions;
        const plain = scaleFrequencies(given).inverseFrequencies;
        scaleFrequencies(given, scaling).inverseFrequencies.forEach((frequency, i) => {
          const divisor = plain[i]! / frequency;
          expect(divisor).toBeGreaterThanOrEqual(1 - 1e-9);
          expect(divisor).toBeLessThanOrEqual(factor * (1 + 1e-9));
        });
      }),
      { numRuns: 400 },
    );
  });
});

const rule = fc.oneof(
  fc.record({
    rope_type: fc.constant('linear'),
    factor: fc.double({ min: 1, max: 100, noNaN: true }),
  }),
  fc.record({
    rope_type: fc.constant('yarn'),
    factor: fc.integer({ min: 1, max: 64 }),
    original_max_position_embeddings: fc.constantFrom(2048, 4096, 32768),
  }),
  fc.record({
    rope_type: fc.constant('llama3'),
    factor: fc.integer({ min: 1, max: 64 }),
    low_freq_factor: fc.constant(1),
    high_freq_factor: fc.constantFrom(1, 4),
    original_max_position_embeddings: fc.constant(8192),
  }),
);

const model = fc.record({
  model_type: fc.constantFrom('llama', 'qwen3', 'olmo3', 'gemma3_text', 'phi3', 'glm4'),
  num_hidden_layers: fc.integer({ min: 1, max: 40 }),
  head_dim: fc.constantFrom(64, 128),
  rope_theta: fc.double({ min: 2, max: 1e8, noNaN: true }),
  max_position_embeddings: fc.integer({ min: 64, max: 2 ** 20 }),
});

// The same configs in every run: a commit passes or fails for its own sake.
fc.configureGlobal({ seed: 20_261_130 });

/** What every plan promises. */
function check(plan: Plan): void {
  expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  const layers = plan.layerGroups.flatMap((group) => group.layers);
  expect(new Set(layers).size).toBe(layers.length);
  for (const note of [...plan.assumptions, ...plan.warnings]) {
    expect(Object.keys(catalogue)).toContain(note.code);
    expect(`${note.en} ${note.zh}`).not.toMatch(/undefined|NaN|\[object/);
  }
  for (const group of plan.layerGroups) {
    if (!group.computed) expect(plan.warnings).not.toEqual([]);
    expect(group.wavelengths).toHaveLength(group.divisors.length);
    expect(group.inverseFrequencies.filter((f) => f > 0)).toHaveLength(group.wavelengths.length);
    const softmax = group.factors.filter(({ on }) => on === 'softmax');
    if (softmax.length === 0) continue;
    const product = softmax.reduce((value, factor) => value * (factor.value ?? 1), 1);
    expect(group.softmaxScale! / product).toBeCloseTo(1, 12);
  }
}

describe('configs', () => {
  it('type, rope_type and both; old style and new style: one plan', () => {
    fc.assert(
      fc.property(model, rule, fc.integer({ min: 1, max: 2 ** 20 }), (sizes, given, length) => {
        const { rope_type, ...parameters } = given;
        const read = (config: object): unknown => {
          const { layerGroups } = inspect(config, { length });
          return layerGroups.map((group) => ({ ...group, scaling: null }));
        };
        const old = read({ ...sizes, rope_scaling: { type: rope_type, ...parameters } });
        expect(read({ ...sizes, rope_scaling: given })).toEqual(old);
        expect(read({ ...sizes, rope_scaling: { ...given, type: rope_type } })).toEqual(old);
        expect(read({ ...sizes, rope_parameters: given })).toEqual(old);
      }),
      { numRuns: 150 },
    );
  });

  it('of every known type, with anything in any field: a plan or a PosencError', () => {
    const names = [
      ...['rope_scaling', 'rope_parameters', 'layer_types', 'no_rope_layers', 'attn_config'],
      ...['hidden_size', 'num_attention_heads', 'head_dim', 'qk_nope_head_dim', 'rotary_dim'],
      ...['sliding_window', 'sliding_window_pattern', 'local_attention', 'pos_att_type'],
      ...['position_embedding_type', 'relative_attention', 'alibi', 'num_layers', 'text_config'],
      ...['relative_attention_num_buckets', 'pad_token_id', 'general.architecture', 'metadata'],
      ...['compress_ratios', 'compress_rates', 'compress_rope_theta', 'qk_rope_head_dim'],
      ...['linear_attn_config', 'mla_use_nope', 'attn_layer_period', 'attn_layer_offset'],
      ...['depths', 'num_heads', 'embed_dim', 'window_size', 'pretrained_window_sizes'],
      ...['image_size', 'patch_size', 'partial_rotary_factor', 'embedding_size', 'clamp_len'],
      ...['encoder_layers', 'decoder_layers', 'decoder_attention_heads', 'is_encoder_decoder'],
      ...['is_decoder', 'max_source_positions', 'sinusoidal_pos_embds', 'local_radius', 'mem_len'],
      ...['encoder_attention_type', 'num_conv_pos_embeddings'],
    ];
    const value = fc.oneof(
      fc.constantFrom<unknown>(1, 2, 4, 64, 0.5, true, false, null, 'alibi', 'c2p', 'relative_key'),
      fc.object({ maxDepth: 1 }),
      fc.anything({ maxDepth: 2, withNullPrototype: true }),
    );
    const fields = fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 4 });
    fc.assert(
      fc.property(fc.constantFrom(...types), fields, (model_type, given) => {
        try {
          check(inspect({ model_type, num_hidden_layers: 4, ...Object.fromEntries(given) }));
        } catch (error) {
          if (!(error instanceof PosencError)) throw error;
          expect(error.code).toBe('config');
        }
      }),
      { numRuns: 1500, examples: [['glm4v_moe', [['hidden_size', 1]]]] },
    );
  });

  it('of every known type, with its sizes alone: a plan without errors', () => {
    for (const model_type of types) {
      const heads = { num_attention_heads: 16, num_key_value_heads: 8 };
      const sizes = { hidden_size: 1024, num_hidden_layers: 8, ...heads };
      const plan = inspect({ model_type, ...sizes }, { length: 500 });
      check(plan);
      const errors = plan.warnings.filter(({ level }) => level === 'error');
      // Types whose base or head size is not in their code's defaults, or whose sizes must fit otherwise.
      const allowed = ['base-missing', 'head-dim-missing', 'table-ends', 'rotary-dim-invalid'];
      allowed.push('grid-width');
      expect(allowed).toEqual(expect.arrayContaining(errors.map(({ code }) => code)));
    }
  });
});

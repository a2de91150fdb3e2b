/** What needs no remark has none, and nothing is replaced by a default in silence. */
import { describe, expect, it } from 'vitest';
import { inspect } from 'posenc';
import { llama, unknown, baseless, qwen2 } from './notes/configs.js';

describe('nothing is remarked', () => {
  const quiet: [string, object, number?][] = [
    ['of settings that are switched off', { ...llama, rope_interleaved: false, alibi: false }],
    ['of outer fields that say the same', { rope_theta: 10000, text_config: llama }],
    ['of angles, where a window bounds all distances', { ...qwen2, max_window_layers: 0 }, 9999],
  ];
  for (const [name, config, length] of quiet) {
    it(name, () => {
      expect(inspect(config, length === undefined ? {} : { length }).warnings).toEqual([]);
    });
  }
});

describe('nothing is silently replaced by a default', () => {
  const uncomputed: [string, object][] = [
    ['a rule nobody knows', { ...llama, rope_scaling: { rope_type: 'magic' } }],
    ['a factor without a rule', { ...llama, rope_scaling: { factor: 8 } }],
    ['a rule without its factor', { ...llama, rope_scaling: { rope_type: 'linear' } }],
    ['an odd number of rotary dimensions', { ...llama, partial_rotary_factor: 0.4 }],
    ['no rotary dimension at all', { ...llama, partial_rotary_factor: 0 }],
    ['heads that do not divide', { ...llama, num_attention_heads: 7 }],
    ['latent attention', { ...unknown, qk_rope_head_dim: 32, kv_lora_rank: 64 }],
    ['a second base', { ...unknown, rope_local_base_freq: 10000 }],
  ];
  for (const [name, config] of uncomputed) {
    it(`${name} gives no frequencies and a warning`, () => {
      const plan = inspect(config);
      expect(plan.warnings).not.toEqual([]);
      for (const group of plan.layerGroups) {
        expect(group).toMatchObject({
          computed: false,
          options: null,
          inverseFrequencies: [],
          wavelengths: [],
          attentionFactor: null,
        });
      }
    });
  }

  it('a base inside rope_parameters or rope_scaling is found', () => {
    for (const name of ['rope_parameters', 'rope_scaling']) {
      const plan = inspect({ ...baseless, [name]: { rope_theta: 500000 } });
      expect(plan.layerGroups[0]?.base).toBe(500000);
      expect(plan.warnings).toEqual([]);
    }
  });

  it('a base at the top is found beside rope_parameters without one', () => {
    const plan = inspect({
      ...llama,
      rope_theta: 500000,
      rope_parameters: { rope_type: 'default' },
    });
    expect(plan.layerGroups[0]?.base).toBe(500000);
  });

  it('rope_scaling counts before rope_parameters, as in transformers 5', () => {
    const plan = inspect({
      ...llama,
      rope_scaling: { rope_type: 'yarn', factor: 4 },
      rope_parameters: { rope_type: 'default' },
    });
    expect(plan.layerGroups[0]?.scaling?.type).toBe('yarn');
    expect(plan.warnings[0]).toMatchObject({
      code: 'contradiction',
      fields: ['rope_scaling.rope_type', 'rope_parameters.rope_type'],
    });
  });

  it('a length that is null is not replaced', () => {
    const plan = inspect({ ...llama, max_position_embeddings: null });
    expect(plan).toMatchObject({ trainedLength: null, length: null });
    expect(plan.layerGroups[0]).toMatchObject({ computed: true, incompletePairs: null });
  });

  it('rope_scaling null beside rope_theta is the plain rule', () => {
    expect(inspect({ ...llama, rope_scaling: null })).toEqual(inspect(llama));
    expect(inspect({ ...llama, rope_scaling: {} })).toEqual(inspect(llama));
  });

  it('type and rope_type: equal is fine', () => {
    const rope_scaling = { type: 'linear', rope_type: 'linear', factor: 1 };
    expect(inspect({ ...llama, rope_scaling }).layerGroups[0]?.computed).toBe(true);
  });

  it('M-RoPE keeps its frequencies: text turns as in plain RoPE', () => {
    const rope_scaling = { rope_type: 'default', mrope_section: [8, 12, 12] };
    const [group] = inspect({ ...llama, rope_scaling }).layerGroups;
    expect(group?.inverseFrequencies).toEqual(inspect(llama).layerGroups[0]?.inverseFrequencies);
  });
});

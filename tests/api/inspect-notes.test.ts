import { describe, expect, it } from 'vitest';
import { inspect } from 'posenc';
import { catalogue } from '../../web/api/inspect/catalogue.js';
import type { NoteCode } from '../../web/api/inspect/catalogue.js';

/** Complete: as a Llama it has nothing to be remarked but its layout. */
const untyped = {
  hidden_size: 512,
  num_attention_heads: 8,
  num_hidden_layers: 4,
  max_position_embeddings: 1024,
  rope_theta: 10000,
};

const llama = { ...untyped, model_type: 'llama' };
const unknown = { ...untyped, model_type: 'newmodel' };
const baseless = { ...llama, rope_theta: undefined };

const qwen2 = {
  ...llama,
  model_type: 'qwen2',
  num_key_value_heads: 8,
  use_sliding_window: true,
  sliding_window: 256,
  max_window_layers: 2,
};

/** code, config, fields of the note, what the English text says, asked length. */
const table: [NoteCode, object, string[], RegExp, number?][] = [
  ['read-through', { model_type: 'llava', text_config: llama }, ['text_config'], /text_config/],
  [
    'outer-fields-ignored',
    { rope_theta: 5, text_config: llama },
    ['rope_theta'],
    /Outside text_config .*: rope_theta/,
  ],
  [
    'model-type-from-architecture',
    { ...untyped, architectures: ['LlamaForCausalLM'] },
    ['architectures'],
    /LlamaForCausalLM was read as llama/,
  ],
  ['unknown-model-type', unknown, ['model_type'], /newmodel is not known yet/],
  ['unknown-encoding', { model_type: 't5', num_layers: 6 }, ['model_type'], /type t5/],
  ['special-model', { ...llama, model_type: 'cohere2' }, ['model_type'], /cohere2/],
  ['special-fields', { ...unknown, no_rope_layers: [1, 0] }, ['no_rope_layers'], /no_rope_layers/],
  [
    'fields-not-read',
    { ...baseless, rope_thta: 500000 },
    ['rope_thta'],
    /: rope_thta\. Did you mean rope_theta\?$/,
  ],
  ['default-assumed', { ...llama, num_hidden_layers: undefined }, ['num_hidden_layers'], /32/],
  ['layers-missing', { ...unknown, num_hidden_layers: null }, ['num_hidden_layers'], /one layer/],
  [
    'head-dim-missing',
    { ...unknown, hidden_size: null },
    ['head_dim', 'hidden_size', 'num_attention_heads'],
    /head_dim/,
  ],
  ['head-dim-explicit', { ...llama, head_dim: 128 }, ['head_dim'], /128.*64/],
  [
    'heads-not-dividing',
    { ...llama, num_attention_heads: 7 },
    ['hidden_size', 'num_attention_heads'],
    /512 is not a multiple of 7/,
  ],
  [
    'kv-heads-not-dividing',
    { ...llama, num_key_value_heads: 3 },
    ['num_key_value_heads'],
    /8 query heads .* 3 key heads/,
  ],
  [
    'contradiction',
    { ...llama, rope_parameters: { rope_theta: 500000 } },
    ['rope_parameters.rope_theta', 'rope_theta'],
    /rope_parameters.rope_theta says 500000, rope_theta says 10000/,
  ],
  [
    'trained-length-missing',
    { model_type: 'bloom', n_layer: 1, n_head: 8, hidden_size: 64 },
    ['seq_length'],
    /how long/,
  ],
  [
    'claimed-length',
    { model_type: 'qwen', seq_length: 2048, max_position_embeddings: 8192 },
    ['seq_length', 'max_position_embeddings'],
    /2048.*8192/,
  ],
  ['base-default', baseless, ['rope_theta'], /llama takes 10000/],
  ['base-missing', { ...baseless, model_type: 'x', rotary_pct: 1 }, ['rope_theta'], /no base/],
  ['rotary-fraction-default', { model_type: 'gpt_neox' }, ['rotary_pct'], /0\.25/],
  [
    'rotary-fraction-undeclared',
    { ...llama, partial_rotary_factor: 0.5 },
    ['partial_rotary_factor'],
    /partial_rotary_factor is not a setting of llama/,
  ],
  [
    'rotary-dim-invalid',
    { ...llama, partial_rotary_factor: 0.4 },
    ['partial_rotary_factor'],
    /25 of 64 .* even number from 2 to 64/,
  ],
  [
    'rule-not-computed',
    { ...llama, rope_scaling: { type: 'linear', factor: 4 } },
    ['rope_scaling.rope_type'],
    /linear/,
  ],
  [
    'rule-unknown',
    { ...llama, rope_scaling: { type: 'yarm', factor: 4 } },
    ['rope_scaling.rope_type'],
    /no scaling rule yarm\. Did you mean yarn\?/,
  ],
  ['rule-missing', { ...llama, rope_scaling: { factor: 4 } }, ['rope_scaling.factor'], /factor 4/],
  [
    'rule-parameter-missing',
    { ...llama, rope_scaling: { rope_type: 'yarn' } },
    ['rope_scaling.factor'],
    /yarn needs rope_scaling\.factor/,
  ],
  [
    'factor-one',
    { ...llama, rope_scaling: { type: 'linear', factor: 1.0 } },
    ['rope_scaling.factor'],
    /changes nothing/,
  ],
  [
    'factor-ignored',
    { ...llama, rope_scaling: { rope_type: 'default', factor: 4 } },
    ['rope_scaling.factor'],
    /factor 4 has no effect/,
  ],
  [
    'text-only',
    { ...llama, rope_scaling: { type: 'mrope', mrope_section: [8, 12, 12] } },
    ['rope_scaling.mrope_section'],
    /M-RoPE/,
  ],
  ['layout-half', llama, [], /Hugging Face checkpoints of llama/],
  ['layout-assumed', unknown, [], /half was assumed/],
  [
    'layer-types-missing',
    { ...unknown, rope_parameters: { full_attention: { rope_theta: 5 } } },
    ['layer_types'],
    /layer_types/,
  ],
  [
    'layer-type-unknown',
    { ...llama, layer_types: Array(4).fill('linear_attention') },
    ['layer_types'],
    /linear_attention/,
  ],
  [
    'layer-type-without-settings',
    { ...qwen2, rope_parameters: { full_attention: { rope_theta: 5 } } },
    ['rope_parameters'],
    /sliding_attention/,
  ],
  ['dynamic-base', { model_type: 'qwen', seq_length: 2048 }, ['use_dynamic_ntk'], /2048/],
  ['log-n', { model_type: 'qwen', seq_length: 2048 }, ['use_logn_attn'], /log p \/ log 2048/],
  ['window-counts-self', qwen2, ['sliding_window'], /256 keys, the token itself included/],
  ['window-off', { ...qwen2, use_sliding_window: false }, ['sliding_window'], /no effect/],
  ['window-unused', { ...qwen2, max_window_layers: 4 }, ['sliding_window'], /no layer uses it/],
  [
    'window-missing',
    { ...llama, layer_types: Array(4).fill('sliding_attention') },
    ['sliding_window'],
    /no sliding_window/,
  ],
  ['window-layers-unknown', { ...unknown, sliding_window: 9 }, ['sliding_window'], /window of 9/],
  [
    'unseen-phases',
    llama,
    ['max_position_embeddings'],
    // 2π·10000^(i/32) > 1024 from i = 18: 32·ln(1024/2π)/ln(10000) = 17.7.
    /Asked 2048, .* 1024 or more: 14 of 32 pairs \(from pair 18\)/,
    2048,
  ],
  [
    'beyond-trained',
    { ...llama, rope_scaling: { type: 'yarn', factor: 4 } },
    ['max_position_embeddings'],
    /Asked 2048, beyond the trained length of 1024/,
    2048,
  ],
  [
    'window-bounds-distance',
    { ...llama, model_type: 'mistral', sliding_window: 128 },
    ['sliding_window'],
    /no layer looks back 128 tokens/,
    2048,
  ],
  ['alibi-extrapolates', { model_type: 'bloom', seq_length: 2048 }, ['seq_length'], /4096/, 4096],
  ['table-ends', { model_type: 'gpt2' }, ['n_positions'], /from 1024 on do not exist/, 1025],
];

describe('notes', () => {
  for (const [code, config, fields, text, length] of table) {
    it(code, () => {
      const plan = inspect(config, length === undefined ? {} : { length });
      const notes = [...plan.assumptions, ...plan.warnings].filter((note) => note.code === code);
      expect(notes.map((note) => note.fields)).toContainEqual(fields);
      const note = notes.find((each) => text.test(each.en));
      expect(note, notes.map(({ en }) => en).join('\n')).toBeDefined();
      expect(note?.zh).toMatch(/\p{Script=Han}/u);
      expect(note?.level).toBe(catalogue[code].level);
      for (const each of notes) expect(`${each.en}${each.zh}`).not.toMatch(/undefined|null|NaN/);
    });
  }

  it('the table has a case for every code', () => {
    expect(new Set(table.map(([code]) => code))).toEqual(new Set(Object.keys(catalogue)));
  });

  it('a complete config has no warning, and errors come first', () => {
    expect(inspect(llama).warnings).toEqual([]);
    const config = { ...unknown, num_key_value_heads: 3, sliding_window: 9 };
    const levels = inspect(config).warnings.map(({ level }) => level);
    expect(levels).toEqual([...levels].sort());
    expect(levels[0]).toBe('error');
  });
});

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
    ['a rule that is not computed', { ...llama, rope_scaling: { type: 'dynamic', factor: 2 } }],
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

/** Notes on rules that stretch the context. */
import { llama, withRule, lists, gemma3, deepseek } from './configs.js';
import type { NoteCase } from './configs.js';

export const scaling: NoteCase[] = [
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
  ['dynamic-base', { model_type: 'qwen', seq_length: 2048 }, ['use_dynamic_ntk'], /2048/],
  ['log-n', { model_type: 'qwen', seq_length: 2048 }, ['use_logn_attn'], /log p \/ log 2048/],
  ['rule-default', { model_type: 'gpt_oss' }, ['rope_parameters'], /gpt_oss takes/],
  [
    'rule-old-name',
    withRule({ type: 'su', ...lists }),
    ['rope_scaling.rope_type'],
    /su is the old name/,
  ],
  [
    'rule-on-full-layers',
    { ...gemma3, rope_scaling: { rope_type: 'linear', factor: 8 } },
    ['rope_scaling.rope_type'],
    /linear to full layers only/,
  ],
  [
    'parameter-unused',
    withRule({ type: 'linear', factor: 2, beta_fast: 32 }),
    ['rope_scaling.beta_fast'],
    /linear does not use beta_fast/,
  ],
  [
    'factor-derived',
    withRule({ type: 'yarn', original_max_position_embeddings: 256 }),
    ['rope_scaling.factor'],
    /original length is 4/,
  ],
  [
    'factor-recomputed',
    withRule({ type: 'yarn', factor: 4, original_max_position_embeddings: 1024 }),
    ['rope_scaling.factor'],
    /factor is 4, .* is 1\. .* no scaling at all/,
  ],
  [
    'original-length-assumed',
    withRule({ type: 'yarn', factor: 4 }),
    ['rope_scaling.original_max_position_embeddings'],
    /max_position_embeddings 1024 was taken/,
  ],
  [
    'original-length-unused',
    withRule({ type: 'dynamic', factor: 4, original_max_position_embeddings: 512 }),
    ['rope_scaling.original_max_position_embeddings'],
    /max_position_embeddings 1024, not by .* 512/,
  ],
  [
    'dynamic-length',
    withRule({ type: 'dynamic', factor: 4 }),
    ['rope_scaling.rope_type'],
    /up to 1024/,
  ],
  [
    'dynamic-cache',
    withRule({ type: 'dynamic', factor: 4 }),
    ['max_position_embeddings'],
    /Past 1024 .* older bases/,
    2048,
  ],
  [
    'longrope-switch',
    withRule({ type: 'longrope', ...lists, original_max_position_embeddings: 512 }),
    ['rope_scaling.rope_type'],
    /up to 512 tokens use the short factors/,
  ],
  [
    'attention-factor-given',
    withRule({ type: 'yarn', factor: 4, attention_factor: 1 }),
    ['rope_scaling.attention_factor'],
    /attention_factor 1 replaces/,
  ],
  [
    'mscale-alone',
    withRule({ type: 'yarn', factor: 4, mscale: 2 }),
    ['rope_scaling.mscale'],
    /mscale 2 without/,
  ],
  [
    'softmax-factor-unused',
    withRule({ type: 'yarn', factor: 4, mscale: 1, mscale_all_dim: 1 }),
    ['rope_scaling.mscale_all_dim'],
    /latent attention only/,
  ],
  [
    'softmax-factor-omitted',
    { ...deepseek, model_type: 'deepseek_v2' },
    ['rope_scaling.mscale_all_dim'],
    /deepseek_v2/,
  ],
  [
    'factor-on-cos',
    withRule({ type: 'yarn', factor: 4 }),
    [],
    /yarn multiplies cos and sin by 1\.13863/,
  ],
  ['factor-on-softmax', deepseek, ['rope_scaling.mscale_all_dim'], /softmax scale by 1\.8738/],
  [
    'truncate-off',
    withRule({ type: 'yarn', factor: 4, truncate: false }),
    ['rope_scaling.truncate'],
    /between pairs/,
  ],
  [
    'yarn-static',
    withRule({ type: 'yarn', factor: 4 }),
    ['rope_scaling.rope_type'],
    /short texts .* by 4/,
  ],
];

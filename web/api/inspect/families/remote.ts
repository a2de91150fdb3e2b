import { llama } from '../family.js';
import type { Family } from '../family.js';
import { byRatios } from './typing.js';

/** Types whose code comes with their checkpoints, or is older than the tables. Facts: that code. */

const like: Family = { ...llama, originalInterleaved: false };

/** Silent sizes are not known: only what the code does is. */
const sizeless: Family = { ...like, layers: null, hiddenSize: null, heads: null, length: null };

const gptj: Family = {
  ...like,
  type: 'gptj',
  layout: 'interleaved',
  layers: 28,
  hiddenSize: 4096,
  heads: 16,
  headDimFields: [],
  lengthFields: ['n_positions', 'max_position_embeddings', 'n_ctx'],
  rotaryDim: 64,
};

const latent: Family = {
  ...sizeless,
  layout: 'interleaved',
  headDimFields: ['qk_rope_head_dim'],
  handles: ['kv_lora_rank', 'qk_rope_head_dim'],
  headDim: 64,
  latent: { nope: 128, value: 128 },
};

const deepseekV4: Family = {
  ...latent,
  type: 'deepseek_v4',
  layers: 43,
  hiddenSize: 4096,
  heads: 64,
  kvHeads: 1,
  length: 1048576,
  latent: { nope: 448, value: 512, whole: 512 },
  typing: byRatios,
  window: 128,
  compressedBase: 160000,
  fractionDeclared: true,
  sinks: true,
  turnsBack: true,
  yarnUnscaled: true,
};

const qwen3_5: Family = {
  ...sizeless,
  headDim: 256,
  base: null,
  rotaryFraction: 0.25,
  fractionDeclared: true,
  hybrid: true,
  pattern: {
    every: 4,
    fields: ['full_attention_interval'],
    full: 'last',
    other: 'linear_attention',
  },
  sections: 'interleaved',
};

const gemma4: Family = {
  ...like,
  layers: 30,
  hiddenSize: 2304,
  heads: 8,
  kvHeads: 4,
  headDim: 256,
  fullHeadDim: 512,
  length: 131072,
  base: null,
  window: 512,
  pattern: {
    every: 6,
    fields: ['sliding_window_pattern'],
    full: 'last',
    other: 'sliding_attention',
  },
  scaling: {
    sliding_attention: { rope_type: 'default', rope_theta: 10000 },
    full_attention: { rope_type: 'proportional', partial_rotary_factor: 0.25, rope_theta: 1e6 },
  },
  fractionDeclared: true,
  handles: ['global_head_dim'],
  softmax: 'one',
};

export const remote: readonly Family[] = [
  gptj,
  { ...gptj, type: 'codegen', layers: 28, hiddenSize: 4096, heads: 16 },
  { ...gemma4, type: 'gemma4' },
  { ...gemma4, type: 'gemma4_text' },
  ...['qwen3_5', 'qwen3_5_text', 'qwen3_5_moe', 'qwen3_5_moe_text'].map((type) => {
    return { ...qwen3_5, type };
  }),
  deepseekV4,
  { ...latent, type: 'kimi_k2', base: 50000 },
  { ...latent, type: 'deepseek_v32' },
  { ...latent, type: 'minicpm3', layout: 'half', headDim: null, latent: { nope: 64, value: 64 } },
  {
    ...sizeless,
    type: 'baichuan',
    lengthFields: ['max_position_embeddings', 'model_max_length'],
  },
  {
    ...sizeless,
    type: 'chatglm',
    layout: 'interleaved',
    rotaryFraction: 0.5,
    headDimFields: ['kv_channels'],
    lengthFields: ['seq_length'],
  },
  { ...sizeless, type: 'internlm2' },
  { ...sizeless, type: 'internlm3' },
  { ...sizeless, type: 'minicpm' },
  { ...sizeless, type: 'deepseek' },
  { ...sizeless, type: 'hunyuan', alpha: true },
  {
    ...like,
    type: 'minimind',
    layers: 8,
    hiddenSize: 512,
    heads: 8,
    kvHeads: 2,
    length: 32768,
    base: 1e6,
    scaling: {
      rope_type: 'yarn',
      factor: 16,
      beta_fast: 32,
      beta_slow: 1,
      original_max_position_embeddings: 2048,
      attention_factor: 1,
    },
    scalingSwitch: 'inference_rope_scaling',
  },
];

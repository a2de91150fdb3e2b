import type { Family, Pattern } from '../family.js';

/**
 * How rotary model types differ from Llama besides their numbers. Facts: the modeling and configuration
 * files of Hugging Face transformers 5.
 */

/** Types whose checkpoints pair neighbours (2i, 2i+1). GLM-4.5 (`glm4_moe`) is not one of them. */
export const interleaved: ReadonlySet<string> = new Set(
  (
    'aya_vision blt codegen cohere cohere2 cohere2_vision deepseek_v2 deepseek_v3 deepseek_v32 efficientloftr ' +
    'ernie4_5 ernie4_5_moe ernie4_5_vl_moe glm glm4 glm46v glm4_moe_lite glm4v glm4v_text glm_image glm_image_text ' +
    'glm_ocr glm_ocr_text gptj helium kimi_k2 llama4 llama4_text longcat_flash moonshine roformer youtu'
  ).split(' '),
);

/** Types whose layers other than attention know no positions. */
const hybrids =
  'bamba falcon_h1 granitemoehybrid lfm2 lfm2_moe lfm2_vl minimax qwen3_5 qwen3_5_moe qwen3_next recurrent_gemma zamba2';

/** [share of each head that turns, types]. */
const fractions: readonly (readonly [number, string])[] = [
  [0.25, 'qwen3_5 qwen3_5_moe qwen3_next stablelm'],
  [
    0.5,
    'bamba fuyu glm glm4 glm4_moe glm4v_moe glm4v_moe_text glmasr_encoder nemotron persimmon phi recurrent_gemma',
  ],
  [0.9, 'moonshine'],
  [1, 'gpt_neox_japanese minimax minimax_m2 phi3 phi4_multimodal phimoe solar_open'],
];

type Traits = Partial<Omit<Family, 'type'>>;

const every = (
  n: number,
  fields: readonly string[],
  full: Pattern['full'] = 'last',
  other: Pattern['other'] = 'sliding_attention',
): Pattern => {
  return { every: n, fields, full, other };
};

const gemma2: Traits = {
  layers: 26,
  kvHeads: 4,
  window: 4096,
  pattern: every(2, []),
  queryScalar: 256,
};
const gemma3: Traits = {
  ...gemma2,
  pattern: every(6, ['sliding_window_pattern']),
  localBase: 10000,
  localBaseFields: ['rope_local_base_freq'],
  handles: ['rope_local_base_freq'],
  scalesFullOnly: true,
  lengthIsStretched: true,
};
const gemma3n: Traits = {
  ...gemma3,
  layers: 35,
  kvHeads: 2,
  window: 512,
  pattern: every(5, ['sliding_window_pattern']),
  queryScalar: null,
  softmax: 'one',
};
const modernbert: Traits = {
  layers: 22,
  window: 128,
  windowBothSides: true,
  pattern: every(3, ['global_attn_every_n_layers'], 'first'),
  localBase: 10000,
  baseFields: ['global_rope_theta', 'rope_theta'],
  localBaseFields: ['local_rope_theta'],
  handles: ['global_rope_theta', 'local_rope_theta'],
};
const latent: Traits = {
  headDimFields: ['qk_rope_head_dim'],
  handles: ['kv_lora_rank', 'qk_rope_head_dim'],
  latent: { nope: 128, value: 128 },
};
const cohere2: Traits = {
  layers: 40,
  window: 4096,
  pattern: every(4, ['sliding_window_pattern']),
  nope: 'full',
};
const llama4: Traits = {
  layers: 48,
  kvHeads: 8,
  nope: 'list',
  chunk: 8192,
  handles: ['no_rope_layers', 'no_rope_layer_interval'],
  temperature: { scale: 0.1, floor: 8192 },
};
const chunked: Traits = { sections: 'chunked' };
const qwen2Vl: Traits = {
  ...chunked,
  windowSwitch: true,
  windowed: (layer, maxWindowLayers) => layer >= maxWindowLayers,
  maxWindowLayers: 80,
};
const interleavedSections: Traits = { sections: 'interleaved', fractionDeclared: true };
const windowed: Traits = { windowed: () => true };

/** Llama 3.1's bands as the default of other types. */
const bands = (factor: number): Traits => {
  const rule = { rope_type: 'llama3', low_freq_factor: 1, high_freq_factor: 4 };
  return { scaling: { ...rule, factor, original_max_position_embeddings: 8192 } };
};

const special: Readonly<Record<string, Traits>> = {
  afmoe: {
    layers: 32,
    window: 1024,
    pattern: every(4, ['global_attn_every_n_layers']),
    nope: 'full',
  },
  apertus: bands(8),
  cohere2,
  cohere2_vision: cohere2,
  aya_vision: cohere2,
  cwm: bands(16),
  dbrx: {
    attentionFields: 'attn_config',
    lengthFields: ['max_seq_len', 'max_position_embeddings'],
  },
  deepseek_v2: { ...latent, omitsSoftmaxFactor: true },
  deepseek_v3: latent,
  exaone4: {
    layers: 32,
    window: 4096,
    pattern: every(4, ['sliding_window_pattern']),
    nope: 'full-if-windowed',
  },
  efficientloftr: { grid: 'mixed', rotaryFraction: 4, fractionDeclared: true, layers: 4 },
  falcon: { handles: ['alibi'], scalesSlopes: true },
  gemma2,
  gemma3,
  gemma3_text: gemma3,
  gemma3n,
  gemma3n_text: gemma3n,
  glm4_moe: { floorsHeadDim: true },
  glm4_moe_lite: { ...latent, latent: { nope: 192, value: 256 } },
  glm4v: chunked,
  glm4v_moe: { ...chunked, floorsHeadDim: true },
  glm4v_moe_text: { ...chunked, floorsHeadDim: true },
  glm4v_text: chunked,
  glm46v: chunked,
  glm_ocr: chunked,
  glm_ocr_text: chunked,
  gpt_neox_japanese: {
    baseFields: ['rotary_emb_base', 'rope_theta'],
    fractionFields: ['rotary_pct', 'partial_rotary_factor'],
  },
  gpt_oss: {
    layers: 36,
    kvHeads: 8,
    window: 128,
    pattern: every(2, []),
    sinks: true,
    scaling: {
      rope_type: 'yarn',
      factor: 32,
      beta_fast: 32,
      beta_slow: 1,
      truncate: false,
      original_max_position_embeddings: 4096,
    },
  },
  hunyuan_v1_dense: { alpha: true },
  hunyuan_v1_moe: { alpha: true },
  jetmoe: { headDimFields: ['kv_channels'] },
  llama4,
  llama4_text: llama4,
  longcat_flash: latent,
  minimax: { pattern: every(2, [], 'first', 'linear_attention') },
  ministral3: {
    scaling: {
      rope_type: 'yarn',
      factor: 16,
      original_max_position_embeddings: 16384,
      beta_fast: 32,
      beta_slow: 1,
      mscale: 1,
      mscale_all_dim: 1,
      llama_4_scaling_beta: 0.1,
    },
  },
  modernbert,
  'modernbert-decoder': modernbert,
  nanochat: { backwards: true },
  nemotron: { fractionFields: ['partial_rotary_factor', 'rope_percent', 'rope_percentage'] },
  olmo3: { layers: 32, window: 4096, pattern: every(4, []), scalesFullOnly: true },
  paddleocr_vl: chunked,
  pe_audio: modernbert,
  phi3: windowed,
  phi4_multimodal: windowed,
  phimoe: windowed,
  qwen2_5_omni: qwen2Vl,
  qwen2_5_vl: qwen2Vl,
  qwen2_5_vl_text: qwen2Vl,
  qwen2_vl: qwen2Vl,
  qwen2_vl_text: qwen2Vl,
  qwen3_next: { pattern: every(4, ['full_attention_interval'], 'last', 'linear_attention') },
  qwen3_vl: interleavedSections,
  qwen3_vl_moe: interleavedSections,
  qwen3_vl_moe_text: interleavedSections,
  qwen3_vl_text: interleavedSections,
  pixtral: { grid: 'halves', layers: 24 },
  recurrent_gemma: { headDimFields: ['head_dim'] },
  shieldgemma2: gemma3,
  smollm3: {
    layers: 36,
    kvHeads: 4,
    nope: 'list',
    windowSwitch: true,
    handles: ['no_rope_layers', 'no_rope_layer_interval'],
  },
  stablelm: { fractionFields: ['partial_rotary_factor', 'rope_pct'] },
  starcoder2: windowed,
  t5gemma: gemma2,
  t5gemma2: gemma3,
  vaultgemma: gemma2,
  youtu: latent,
  zamba2: { headDimFields: ['attention_head_dim'] },
};

/** Everything that the tables above say of a type. */
export function traitsOf(type: string): Traits {
  const share = fractions.find(([, types]) => types.split(' ').includes(type));
  return {
    layout: interleaved.has(type) ? 'interleaved' : 'half',
    hybrid: hybrids.split(' ').includes(type),
    ...(share === undefined ? {} : { rotaryFraction: share[0], fractionDeclared: true }),
    ...special[type],
  };
}

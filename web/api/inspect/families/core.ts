import { llama } from '../family.js';
import type { Family } from '../family.js';

/** The first families, with every default of their classes in transformers 5 (`qwen`: modeling_qwen.py). */

const mistral: Family = {
  ...llama,
  type: 'mistral',
  kvHeads: 8,
  length: 131072,
  window: 4096,
  windowed: () => true,
};

const qwen2: Family = {
  ...llama,
  type: 'qwen2',
  originalInterleaved: false,
  kvHeads: 32,
  length: 32768,
  window: 4096,
  windowSwitch: true,
  windowed: (layer, maxWindowLayers) => layer >= maxWindowLayers,
  maxWindowLayers: 28,
};

export const core: readonly Family[] = [
  llama,
  mistral,
  { ...mistral, type: 'mixtral', base: 1e6, window: null },
  qwen2,
  {
    ...qwen2,
    type: 'qwen2_moe',
    layers: 24,
    hiddenSize: 2048,
    heads: 16,
    kvHeads: 16,
    windowed: (layer, maxWindowLayers) => layer % 2 === 0 && layer < maxWindowLayers,
  },
  { ...qwen2, type: 'qwen3', headDim: 128 },
  {
    ...qwen2,
    type: 'qwen3_moe',
    layers: 24,
    hiddenSize: 2048,
    kvHeads: 4,
    windowed: () => true,
    maxWindowLayers: null,
  },
  {
    ...llama,
    type: 'qwen',
    originalInterleaved: false,
    length: 8192,
    headDim: 128,
    headDimFields: ['kv_channels'],
    lengthFields: ['seq_length', 'max_position_embeddings', 'n_positions'],
    lengthsAreClaims: true,
    baseFields: ['rotary_emb_base'],
    fractionFields: ['rotary_pct'],
    fractionDeclared: true,
    stretches: true,
  },
  {
    ...llama,
    type: 'gpt_neox',
    originalInterleaved: false,
    layers: 44,
    hiddenSize: 6144,
    heads: 64,
    headDimFields: [],
    baseFields: ['rotary_emb_base', 'rope_theta'],
    rotaryFraction: 0.25,
    fractionFields: ['rotary_pct', 'partial_rotary_factor'],
    fractionDeclared: true,
  },
];

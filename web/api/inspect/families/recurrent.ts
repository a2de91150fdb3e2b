import { llama } from '../family.js';
import type { Family } from '../family.js';
import { all, byLists, byPeriod } from './typing.js';

/** Types whose layers are not told their positions. Facts: their classes in transformers 4 and 5. */

const still: Family = { ...llama, originalInterleaved: false, encoding: 'none', nope: 'all' };

const mamba: Family = {
  ...still,
  type: 'mamba',
  headless: true,
  hiddenSize: 768,
  length: null,
  lengthFields: [],
  typing: all('mamba'),
};

export const recurrent: readonly Family[] = [
  mamba,
  { ...mamba, type: 'mamba2', layers: 64, hiddenSize: 4096 },
  { ...mamba, type: 'falcon_mamba', layers: 64, hiddenSize: 4096 },
  {
    ...mamba,
    type: 'rwkv',
    hiddenSize: 4096,
    length: 1024,
    lengthFields: ['context_length'],
    typing: all('recurrent'),
  },
  { ...still, type: 'jamba', kvHeads: 8, length: 262144, typing: byPeriod },
  {
    ...still,
    type: 'kimi_linear',
    layers: 27,
    hiddenSize: 2304,
    kvHeads: 32,
    headDim: 64,
    headDimFields: [],
    length: 1048576,
    lengthFields: ['model_max_length', 'max_position_embeddings'],
    latent: { nope: 128, value: 128 },
    handles: ['kv_lora_rank', 'qk_rope_head_dim'],
    typing: byLists,
  },
];

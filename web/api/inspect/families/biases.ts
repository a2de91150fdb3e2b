import { llama } from '../family.js';
import type { Family } from '../family.js';

/** Types that go by distances without rotation. Facts: their classes in transformers 4 and 5. */

const plain: Family = { ...llama, originalInterleaved: false, headDimFields: [] };

const t5: Family = {
  ...plain,
  type: 't5',
  encoding: 't5',
  layers: 6,
  hiddenSize: 512,
  heads: 8,
  headDim: 64,
  length: null,
  headDimFields: ['d_kv'],
  lengthFields: ['n_positions'],
  softmax: 'one',
};

const deberta: Family = {
  ...plain,
  type: 'deberta',
  encoding: 'deberta',
  layers: 12,
  hiddenSize: 768,
  heads: 12,
  length: 512,
};

const transformerXl: Family = {
  ...plain,
  type: 'transfo-xl',
  encoding: 'transformer_xl',
  layers: 18,
  hiddenSize: 1024,
  heads: 16,
  headDimFields: ['d_head'],
  length: null,
  lengthFields: [],
};

const swin: Family = { ...plain, type: 'swin', encoding: 'swin', length: null, lengthFields: [] };

const wav2vec2: Family = {
  ...plain,
  type: 'wav2vec2',
  encoding: 'convolution',
  layers: 12,
  hiddenSize: 768,
  heads: 12,
  length: null,
  lengthFields: [],
};

export const biases: readonly Family[] = [
  {
    ...plain,
    type: 'bloom',
    encoding: 'alibi',
    layers: 2,
    hiddenSize: 64,
    heads: 8,
    length: null,
    lengthFields: ['seq_length'],
  },
  {
    ...plain,
    type: 'mpt',
    encoding: 'alibi',
    layers: 24,
    hiddenSize: 2048,
    heads: 16,
    lengthFields: ['max_seq_len'],
    attentionFields: 'attn_config',
  },
  {
    ...plain,
    type: 'jais',
    encoding: 'alibi',
    layers: 12,
    hiddenSize: 768,
    heads: 12,
    length: 1024,
    lengthFields: ['n_positions', 'max_position_embeddings', 'n_ctx'],
    handles: ['alibi'],
  },
  t5,
  { ...t5, type: 'mt5', layers: 8, heads: 6 },
  { ...t5, type: 'umt5', layers: 8, heads: 6 },
  { ...t5, type: 'longt5' },
  { ...t5, type: 'switch_transformers', layers: 12, hiddenSize: 768, heads: 12 },
  deberta,
  { ...deberta, type: 'deberta-v2', layers: 24, hiddenSize: 1536, heads: 24 },
  transformerXl,
  { ...transformerXl, type: 'xlnet', layers: 24 },
  swin,
  { ...swin, type: 'swinv2' },
  wav2vec2,
  { ...wav2vec2, type: 'hubert' },
  { ...wav2vec2, type: 'unispeech' },
  { ...wav2vec2, type: 'unispeech-sat' },
];

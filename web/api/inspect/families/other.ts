import { llama } from '../family.js';
import type { Family } from '../family.js';

/** Types without rotation. Facts: their configuration and modeling classes in transformers 5. */

const plain: Family = { ...llama, originalInterleaved: false, headDimFields: [] };

const gpt2: Family = {
  ...plain,
  type: 'gpt2',
  encoding: 'learned',
  layers: 12,
  hiddenSize: 768,
  heads: 12,
  length: 1024,
  lengthFields: ['n_positions', 'max_position_embeddings', 'n_ctx'],
};

const bert: Family = {
  ...gpt2,
  type: 'bert',
  length: 512,
  lengthFields: ['max_position_embeddings'],
};

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
  ...bert,
  type: 'deberta',
  encoding: 'deberta',
};

export const other: readonly Family[] = [
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
    ...gpt2,
    type: 'jais',
    encoding: 'alibi',
    handles: ['alibi'],
  },
  gpt2,
  { ...gpt2, type: 'gpt_bigcode' },
  { ...gpt2, type: 'openai-gpt', length: 512 },
  {
    ...bert,
    type: 'gpt_neo',
    layers: 24,
    hiddenSize: 2048,
    heads: 16,
    length: 2048,
    softmax: 'one',
  },
  { ...bert, type: 'opt', length: 2048, offset: 2 },
  bert,
  { ...bert, type: 'electra', hiddenSize: 256, heads: 4 },
  { ...bert, type: 'distilbert', layers: 6 },
  { ...bert, type: 'roberta', offset: 'padding' },
  { ...bert, type: 'xlm-roberta', offset: 'padding' },
  { ...bert, type: 'camembert', offset: 'padding' },
  t5,
  { ...t5, type: 'mt5', layers: 8, heads: 6 },
  { ...t5, type: 'umt5', layers: 8, heads: 6 },
  { ...t5, type: 'switch_transformers', layers: 12, hiddenSize: 768, heads: 12 },
  deberta,
  { ...deberta, type: 'deberta-v2', layers: 24, hiddenSize: 1536, heads: 24 },
];

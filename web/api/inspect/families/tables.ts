import { llama } from '../family.js';
import type { Family, Stack } from '../family.js';

/** Types that add a table of positions to their input. Facts: their classes in transformers 4 and 5. */

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

/** Without a choice of `position_embedding_type`. */
const encoder: Family = {
  ...gpt2,
  type: 'distilbert',
  length: 512,
  lengthFields: ['max_position_embeddings'],
};

const bert: Family = { ...encoder, type: 'bert', relativeKeys: true };
const roberta: Family = { ...bert, type: 'roberta', offset: 'padding' };

/** Images: a position for each patch, and for the class token. */
const vit: Family = {
  ...encoder,
  type: 'vit',
  lengthFields: ['image_size'],
  patches: { image: 224, patch: 16, extra: 1 },
};

const clipText: Family = {
  ...encoder,
  type: 'clip_text_model',
  hiddenSize: 512,
  heads: 8,
  length: 77,
};
const siglipText: Family = { ...encoder, type: 'siglip_text_model', length: 64 };

/** Encoder and decoder alike. */
const twice = (stack: Stack): Family['stacks'] => ({ encoder: stack, decoder: stack });

const usual: Stack = {
  layers: 12,
  heads: 16,
  table: 'learned',
  lengthField: 'max_position_embeddings',
  length: 1024,
};

const bart: Family = {
  ...encoder,
  type: 'bart',
  encoding: 'stacks',
  hiddenSize: 1024,
  heads: 16,
  length: 1024,
  offset: 2,
  stacks: twice(usual),
};

const pegasus: Family = {
  ...bart,
  type: 'pegasus',
  offset: 0,
  stacks: twice({ ...usual, table: 'sinusoidal' }),
};

const small: Stack = { ...usual, layers: 4, heads: 6 };

const whisper: Family = {
  ...bart,
  type: 'whisper',
  layers: 4,
  hiddenSize: 384,
  heads: 6,
  length: 448,
  lengthFields: ['max_target_positions'],
  offset: 0,
  stacks: {
    encoder: {
      ...small,
      table: 'sinusoidal-t2t',
      lengthField: 'max_source_positions',
      length: 1500,
    },
    decoder: { ...small, lengthField: 'max_target_positions', length: 448 },
  },
};

const blenderbot: Family = {
  ...bart,
  type: 'blenderbot',
  layers: 2,
  hiddenSize: 2560,
  heads: 32,
  length: 128,
  offset: 0,
  stacks: {
    encoder: { ...usual, layers: 2, heads: 32, length: 128 },
    decoder: { ...usual, layers: 24, heads: 32, length: 128 },
  },
};

export const tables: readonly Family[] = [
  gpt2,
  { ...gpt2, type: 'gpt_bigcode' },
  { ...gpt2, type: 'openai-gpt', length: 512 },
  {
    ...encoder,
    type: 'gpt_neo',
    layers: 24,
    hiddenSize: 2048,
    heads: 16,
    length: 2048,
    softmax: 'one',
  },
  { ...encoder, type: 'opt', length: 2048, offset: 2 },
  bert,
  { ...bert, type: 'albert', hiddenSize: 4096, heads: 64, tableWidth: 128 },
  { ...bert, type: 'electra', hiddenSize: 256, heads: 4, tableWidth: 128 },
  { ...encoder, type: 'distilbert', layers: 6 },
  roberta,
  { ...roberta, type: 'xlm-roberta' },
  { ...roberta, type: 'camembert' },
  { ...encoder, type: 'mpnet', offset: 'padding', buckets: true },
  vit,
  { ...vit, type: 'deit', patches: { image: 224, patch: 16, extra: 2 } },
  { ...vit, type: 'dinov2', patches: { image: 224, patch: 14, extra: 1 } },
  clipText,
  { ...clipText, type: 'clip' },
  { ...vit, type: 'clip_vision_model', patches: { image: 224, patch: 32, extra: 1 } },
  siglipText,
  { ...siglipText, type: 'siglip' },
  { ...vit, type: 'siglip_vision_model', patches: { image: 224, patch: 16, extra: 0 } },
  bart,
  { ...bart, type: 'mbart' },
  pegasus,
  { ...pegasus, type: 'marian' },
  {
    ...pegasus,
    type: 'm2m_100',
    offset: 'padding',
    stacks: twice({ ...usual, table: 'sinusoidal-t2t' }),
  },
  whisper,
  blenderbot,
  {
    ...blenderbot,
    type: 'blenderbot-small',
    layers: 8,
    hiddenSize: 512,
    heads: 16,
    length: 512,
    stacks: twice({ ...usual, layers: 8, length: 512 }),
  },
];

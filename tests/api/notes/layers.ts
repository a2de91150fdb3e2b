/** Notes on layers, biases and tables. */
import { llama, unknown, qwen2, sizeless, smollm3 } from './configs.js';
import type { NoteCase } from './configs.js';

export const layers: NoteCase[] = [
  [
    'layer-types-missing',
    { ...unknown, rope_parameters: { full_attention: { rope_theta: 5 } } },
    ['layer_types'],
    /layer_types/,
  ],
  [
    'layer-type-without-settings',
    { ...qwen2, rope_parameters: { full_attention: { rope_theta: 5 } } },
    ['rope_parameters'],
    /sliding_attention/,
  ],
  [
    'layer-type-unknown',
    { ...llama, layer_types: Array(4).fill('sparse_attention') },
    ['layer_types'],
    /sparse_attention/,
  ],
  [
    'layers-without-rope',
    { model_type: 'cohere2', num_hidden_layers: 8 },
    [],
    /2 of 8 layers do not rotate/,
  ],
  [
    'layers-recurrent',
    { model_type: 'qwen3_next', num_hidden_layers: 8 },
    ['layer_types'],
    /6 layers of type linear_attention/,
  ],
  ['layers-hybrid', { model_type: 'bamba' }, [], /bamba mixes attention/],
  [
    'no-rope-meaning',
    { ...smollm3, no_rope_layers: [1, 1, 1, 0] },
    ['no_rope_layers'],
    /1 means that the layer does rotate, despite the name: 3 of 4/,
  ],
  [
    'no-rope-inverted',
    { ...smollm3, no_rope_layers: [0, 0, 0, 1] },
    ['no_rope_layers'],
    /Only 1 of 4 .* other way round/,
  ],
  ['chunked', { model_type: 'llama4_text' }, ['attention_chunk_size'], /chunk of 8192 tokens/],
  [
    'temperature',
    { model_type: 'llama4_text' },
    ['attn_temperature_tuning'],
    /1 \+ 0\.1·ln\(⌊\(p \+ 1\)\/8192⌋ \+ 1\)/,
  ],
  ['sinks', { model_type: 'gpt_oss' }, [], /attention sinks/],
  ['alibi-scaled', { model_type: 'falcon', alibi: true }, ['alibi'], /√\(head size\) = 8/],
  [
    'alibi-both-sides',
    { model_type: 'bert', position_embedding_type: 'alibi' },
    ['position_embedding_type'],
    /both sides/,
  ],
  [
    'baichuan-by-size',
    { ...sizeless, model_type: 'baichuan' },
    ['hidden_size'],
    /this one has rope/,
  ],
  ['t5-unscaled', { model_type: 't5' }, [], /does not divide q·k/],
  [
    'buckets-saturate',
    { model_type: 't5' },
    ['relative_attention_num_buckets', 'relative_attention_max_distance'],
    /From distance 91 /,
  ],
  [
    'buckets-extrapolate',
    { model_type: 't5', n_positions: 512 },
    ['n_positions'],
    /Asked 1024/,
    1024,
  ],
  ['relative-off', { model_type: 'deberta-v2' }, ['relative_attention'], /not true/],
  [
    'disentangled',
    { model_type: 'deberta-v2', relative_attention: true, pos_att_type: 'p2c|c2p' },
    ['pos_att_type'],
    /c2c \+ c2p \+ p2c, divided by √\(3 · head size\)/,
  ],
  [
    'position-type-unknown',
    { model_type: 'bert', position_embedding_type: 'relative_value' },
    ['position_embedding_type'],
    /relative_value is not computed/,
  ],
  ['table-offset', { model_type: 'opt' }, [], /row 2/],
  [
    'padding-offset',
    { model_type: 'roberta', max_position_embeddings: 514 },
    ['pad_token_id'],
    /row 2, after/,
  ],
];

/** Notes on which config was read, as what, and its sizes. */
import { untyped, llama, unknown, baseless, gguf } from './configs.js';
import type { NoteCase } from './configs.js';

export const reading: NoteCase[] = [
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
  ['unknown-encoding', { model_type: 'funnel', n_layer: 6 }, ['model_type'], /type funnel/],
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
  [
    'model-type-of-wrapper',
    { model_type: 'llava', text_config: untyped },
    ['text_config.model_type'],
    /llava/,
  ],
  ['gguf', gguf, ['general.architecture'], /architecture qwen2/],
  [
    'gguf-keys-unread',
    { ...gguf, 'qwen2.rope.magic': 1 },
    ['qwen2.rope.magic'],
    /no effect on this plan: qwen2\.rope\.magic/,
  ],
  [
    'gguf-divisors',
    { metadata: gguf, tensorInfos: [{ name: 'rope_freqs.weight' }] },
    [],
    /rope_freqs/,
  ],
];

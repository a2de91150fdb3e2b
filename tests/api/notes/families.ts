/** Notes on types that only their own code explains. */
import type { NoteCase } from './configs.js';

const v4 = { model_type: 'deepseek_v4' };
const yarn = { rope_type: 'yarn', factor: 16, original_max_position_embeddings: 65536 };

export const families: NoteCase[] = [
  [
    'compressed',
    { ...v4, num_hidden_layers: 4, compress_rates: { heavily_compressed_attention: 64 } },
    ['compress_ratios'],
    /3 layers of type heavily_compressed_attention .* every 64 tokens share one key/,
  ],
  [
    'two-rotations',
    v4,
    ['rope_theta', 'compress_rope_theta'],
    /base 10000 without any rule; compressed layers by base 160000/,
  ],
  ['turns-back', v4, [], /output has to be turned back/],
  [
    'yarn-unscaled',
    { ...v4, rope_scaling: yarn },
    ['rope_scaling.attention_factor'],
    /deepseek_v4 leaves out/,
  ],
  [
    'latent-still',
    { model_type: 'kimi_linear' },
    ['qk_nope_head_dim', 'qk_rope_head_dim', 'mla_use_nope'],
    /all 192 dimensions .* √192/,
  ],
  [
    'nope-anyway',
    { model_type: 'kimi_linear', mla_use_nope: false },
    ['mla_use_nope'],
    /no rotation at all/,
  ],
  [
    'head-dim-floored',
    { model_type: 'glm4_moe' },
    ['hidden_size', 'num_attention_heads'],
    /4096 is not a multiple of 96 heads; the code of glm4_moe rounds the head size down to 42/,
  ],
  [
    'rotary-dim-odd',
    { model_type: 'glm4v_moe' },
    ['partial_rotary_factor'],
    /21 dimensions, an odd number: .* 11 pairs with exponents over 21 and turns 22/,
  ],
  [
    'patches',
    { model_type: 'vit' },
    ['image_size', 'patch_size'],
    /14 × 14 patches; with 1 .* 197 positions/,
  ],
  ['grid-halves', { model_type: 'pixtral' }, [], /first half of the pairs by the row/],
  ['grid-mixed', { model_type: 'efficientloftr' }, [], /before they are split/],
  [
    'grid-rule',
    { model_type: 'pixtral', rope_parameters: { rope_type: 'linear', factor: 2 } },
    ['rope_parameters.rope_type'],
    /pixtral turns without scaling rules; its code refuses linear/,
  ],
  [
    'grid-width',
    { model_type: 'efficientloftr', partial_rotary_factor: 1 },
    ['partial_rotary_factor'],
    /128 dimensions are needed, .* makes 32/,
  ],
  ['sinusoids', { model_type: 'whisper' }, [], /table of the encoder .* i \/ \(d\/2-1\)/],
  ['sinusoids-grow', { model_type: 'm2m_100' }, ['pad_token_id'], /sinusoids of 2/],
  [
    'table-and-buckets',
    { model_type: 'mpnet' },
    ['relative_attention_num_buckets'],
    /Positions enter twice/,
  ],
  [
    'relative-keys',
    { model_type: 'bert', position_embedding_type: 'relative_key' },
    ['position_embedding_type'],
    /1023 learned vectors, .* as q·r;/,
  ],
  [
    'distances-end',
    { model_type: 'bert', position_embedding_type: 'relative_key_query' },
    ['max_position_embeddings'],
    /Asked 600, but there is no vector for distances beyond 511/,
    600,
  ],
  ['segment-memory', { model_type: 'xlnet', mem_len: 384 }, ['mem_len'], /up to 384 keys/],
  [
    'position-convolution',
    { model_type: 'hubert' },
    ['num_conv_pos_embeddings', 'num_conv_pos_embedding_groups'],
    /128 frames in 16 groups/,
  ],
  ['swin-table', { model_type: 'swin' }, ['window_size'], /window of 7 × 7; a learned bias/],
  ['swin-network', { model_type: 'swinv2' }, ['window_size'], /small network of the log offset/],
  [
    'absolute-too',
    { model_type: 'swin', use_absolute_embeddings: true },
    ['use_absolute_embeddings'],
    /to the input as well/,
  ],
  ['local-radius', { model_type: 'longt5' }, ['local_radius'], /127 tokens to each side/],
  [
    'global-blocks',
    { model_type: 'longt5', encoder_attention_type: 'transient-global' },
    ['encoder_attention_type'],
    /block of 16 tokens/,
  ],
];

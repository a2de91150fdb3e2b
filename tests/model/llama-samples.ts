/** Samples of families whose layers are Llama's. */
import { decoder, one, square, twice, usual } from './family-shapes.js';
import type { FamilySample, Shapes } from './family-shapes.js';

const llamaLayer = {
  ...one({
    'model.layers.N.input_layernorm': [8],
    'model.layers.N.self_attn.q_proj': square,
    'model.layers.N.self_attn.k_proj': [4, 8],
    'model.layers.N.self_attn.v_proj': [4, 8],
    'model.layers.N.self_attn.o_proj': square,
    'model.layers.N.post_attention_layernorm': [8],
    'model.layers.N.mlp.gate_proj': [20, 8],
    'model.layers.N.mlp.up_proj': [20, 8],
    'model.layers.N.mlp.down_proj': [8, 20],
  }),
};
const llamaEnds = one({ 'model.embed_tokens': [12, 8], 'model.norm': [8] });
const llama = {
  name: 'llama',
  config: { model_type: 'llama', ...usual, num_key_value_heads: 1 },
  shapes: { ...llamaEnds, ...twice(llamaLayer), 'lm_head.weight': [12, 8] },
  ignored: twice({ 'model.layers.N.self_attn.rotary_emb.inv_freq': [2] }),
  engine: {
    'embedding.weight': [12, 8],
    'decoder.1.attention.key.weight': [4, 8],
    'decoder.1.mlp.down.weight': [8, 20],
    'decoder.norm.weight': [8],
    'head.weight': [12, 8],
  },
  spec: decoder({ kvHeads: 1, hidden: 20, norm: 'rms', gated: true, activation: 'silu' }),
} as const satisfies FamilySample;

const tied = { tie_word_embeddings: true };
const ofLlama = (model_type: string, change: object, more: Shapes = {}): FamilySample => ({
  ...llama,
  name: model_type,
  config: { ...llama.config, model_type, ...tied, ...change },
  shapes: { ...llamaEnds, ...twice(llamaLayer), ...twice(more) },
  ignored: { 'lm_head.weight': [12, 8] },
  engine: { 'embedding.weight': [12, 8] },
});

const norms = { 'model.layers.N.self_attn.q_norm': [4], 'model.layers.N.self_attn.k_norm': [4] };
const sandwich = {
  'model.layers.N.pre_feedforward_layernorm': [8],
  'model.layers.N.post_feedforward_layernorm': [8],
};
const ofGemma = (model_type: string, change: object, more: Shapes, spec: object): FamilySample => ({
  ...ofLlama(model_type, { head_dim: 4, ...change }, one(more)),
  spec: {
    ...decoder({ activation: 'gelu-tanh' }),
    embeddingScale: Math.fround(Math.sqrt(8)),
    ...spec,
  },
});
const caps = { decoder: { attentionSoftcap: 50, normPlacement: 'both' }, logitSoftcap: 30 };
const gemma3 = { sliding_window: 4, layer_types: ['sliding_attention', 'full_attention'] };

/** Llama and its relatives, and Gemma. */
export const llamaSamples: readonly FamilySample[] = [
  llama,
  ofLlama('mistral', { sliding_window: 4 }),
  ofLlama(
    'qwen2',
    {},
    {
      'model.layers.N.self_attn.q_proj.bias': [8],
      'model.layers.N.self_attn.k_proj.bias': [4],
      'model.layers.N.self_attn.v_proj.bias': [4],
    },
  ),
  ofLlama('qwen3', { head_dim: 4 }, one(norms)),
  ofLlama('smollm3', {}),
  ofLlama('minimind', { num_experts: 4, use_moe: false }),
  ofGemma('gemma', {}, {}, {}),
  ofGemma('gemma2', { query_pre_attn_scalar: 4 }, sandwich, caps),
  ofGemma('gemma3', gemma3, { ...norms, ...sandwich }, { decoder: { queryKeyNorm: true } }),
  ofGemma('gemma3_text', gemma3, { ...norms, ...sandwich }, {}),
];

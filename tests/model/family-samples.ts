/** Configs of tiny models, and what their checkpoints hold. */
import { encoderSamples } from './encoder-samples.js';
import { both, decoder, one, square, twice, usual } from './family-shapes.js';
import type { FamilySample, Shapes } from './family-shapes.js';
import { llamaSamples } from './llama-samples.js';

const fused = (name: string, parts: Shapes): Shapes => ({ [name]: [24, 8], ...parts });

/** A sample of every model type. */
export const samples: readonly FamilySample[] = [
  ...llamaSamples,
  ...encoderSamples,
  {
    name: 'gpt2',
    config: {
      model_type: 'gpt2',
      n_embd: 8,
      n_layer: 2,
      n_head: 2,
      n_positions: 16,
      vocab_size: 12,
    },
    shapes: {
      ...one({ 'transformer.wte': [12, 8], 'transformer.wpe': [16, 8] }),
      ...both({ 'transformer.ln_f': [8] }),
      ...twice({
        ...both({ 'transformer.h.N.ln_1': [8], 'transformer.h.N.ln_2': [8] }),
        'transformer.h.N.attn.c_attn.weight': [8, 24],
        'transformer.h.N.attn.c_attn.bias': [24],
        'transformer.h.N.attn.c_proj.weight': square,
        'transformer.h.N.attn.c_proj.bias': [8],
        'transformer.h.N.mlp.c_fc.weight': [8, 32],
        'transformer.h.N.mlp.c_fc.bias': [32],
        'transformer.h.N.mlp.c_proj.weight': [32, 8],
        'transformer.h.N.mlp.c_proj.bias': [8],
      }),
    },
    ignored: {
      'lm_head.weight': [12, 8],
      ...twice({ 'transformer.h.N.attn.bias': [1, 1, 16, 16] }),
    },
    engine: { 'decoder.0.attention.value.weight': [8, 8], 'decoder.0.mlp.up.weight': [32, 8] },
    spec: decoder({ activation: 'gelu-tanh', normPlacement: 'pre', parallel: false }),
  },
  {
    name: 'gpt_neox',
    config: { model_type: 'gpt_neox', ...usual, rotary_pct: 0.5 },
    shapes: {
      ...one({ 'gpt_neox.embed_in': [12, 8], embed_out: [12, 8] }),
      ...both({ 'gpt_neox.final_layer_norm': [8] }),
      ...twice(
        both({
          'gpt_neox.layers.N.input_layernorm': [8],
          ...fused('gpt_neox.layers.N.attention.query_key_value', {}),
          'gpt_neox.layers.N.attention.dense': square,
          'gpt_neox.layers.N.post_attention_layernorm': [8],
          'gpt_neox.layers.N.mlp.dense_h_to_4h': [20, 8],
          'gpt_neox.layers.N.mlp.dense_4h_to_h': [8, 20],
        }),
      ),
    },
    ignored: twice({ 'gpt_neox.layers.N.attention.masked_bias': [] }),
    engine: { 'decoder.1.attention.query.bias': [8] },
    spec: decoder({ parallel: true, activation: 'gelu' }),
  },
  {
    name: 'gptj',
    config: { model_type: 'gptj', n_embd: 8, n_layer: 2, n_head: 2, rotary_dim: 2, vocab_size: 12 },
    shapes: {
      'transformer.wte.weight': [12, 8],
      ...both({ 'transformer.ln_f': [8], lm_head: [12, 8] }),
      ...twice({
        ...both({
          'transformer.h.N.ln_1': [8],
          'transformer.h.N.mlp.fc_in': [32, 8],
          'transformer.h.N.mlp.fc_out': [8, 32],
        }),
        ...one({
          'transformer.h.N.attn.q_proj': square,
          'transformer.h.N.attn.k_proj': square,
          'transformer.h.N.attn.v_proj': square,
          'transformer.h.N.attn.out_proj': square,
        }),
      }),
    },
    ignored: twice({ 'transformer.h.N.attn.bias': [1], 'transformer.h.N.attn.masked_bias': [] }),
    engine: { 'head.bias': [12] },
    spec: decoder({ parallel: true }),
  },
  {
    name: 'bloom',
    config: { model_type: 'bloom', hidden_size: 8, n_layer: 2, n_head: 2, vocab_size: 12 },
    shapes: {
      'transformer.word_embeddings.weight': [12, 8],
      ...both({ 'transformer.word_embeddings_layernorm': [8], 'transformer.ln_f': [8] }),
      ...twice(
        both({
          'transformer.h.N.input_layernorm': [8],
          ...fused('transformer.h.N.self_attention.query_key_value', {}),
          'transformer.h.N.self_attention.dense': square,
          'transformer.h.N.post_attention_layernorm': [8],
          'transformer.h.N.mlp.dense_h_to_4h': [32, 8],
          'transformer.h.N.mlp.dense_4h_to_h': [8, 32],
        }),
      ),
    },
    engine: { 'embedding.norm.bias': [8] },
    spec: decoder({
      layers: Array(2).fill({ encodings: [{ name: 'alibi', options: { heads: 2 } }] }),
    }),
  },
  {
    name: 'mpt',
    config: {
      model_type: 'mpt',
      d_model: 8,
      n_layers: 2,
      n_heads: 2,
      vocab_size: 12,
      no_bias: true,
    },
    shapes: one({
      'transformer.wte': [12, 8],
      'transformer.norm_f': [8],
      ...twice({
        'transformer.blocks.N.norm_1': [8],
        ...fused('transformer.blocks.N.attn.Wqkv', {}),
        'transformer.blocks.N.attn.out_proj': square,
        'transformer.blocks.N.norm_2': [8],
        'transformer.blocks.N.ffn.up_proj': [32, 8],
        'transformer.blocks.N.ffn.down_proj': [8, 32],
      }),
    }),
    engine: { 'decoder.0.attention.key.weight': [8, 8] },
    spec: decoder({ activation: 'gelu', norm: 'layer' }),
  },
  ...[true, false].map((before): FamilySample => ({
    name: before ? 'opt' : 'opt with norms behind',
    config: { model_type: 'opt', ...usual, ffn_dim: 20, do_layer_norm_before: before },
    shapes: {
      ...one({ 'model.decoder.embed_tokens': [12, 8], 'model.decoder.embed_positions': [66, 8] }),
      ...(before ? both({ 'model.decoder.final_layer_norm': [8] }) : {}),
      ...twice(
        both({
          'model.decoder.layers.N.self_attn.q_proj': square,
          'model.decoder.layers.N.self_attn.k_proj': square,
          'model.decoder.layers.N.self_attn.v_proj': square,
          'model.decoder.layers.N.self_attn.out_proj': square,
          'model.decoder.layers.N.self_attn_layer_norm': [8],
          'model.decoder.layers.N.fc1': [20, 8],
          'model.decoder.layers.N.fc2': [8, 20],
          'model.decoder.layers.N.final_layer_norm': [8],
        }),
      ),
    },
    ignored: { 'lm_head.weight': [12, 8] },
    engine: { 'embedding.position.weight': [66, 8] },
    spec: {
      ...decoder({ normPlacement: before ? 'pre' : 'post', activation: 'relu' }),
      positionOffset: 2,
    },
  })),
  {
    name: 'phi',
    config: { model_type: 'phi', ...usual },
    shapes: {
      'model.embed_tokens.weight': [12, 8],
      ...both({ 'model.final_layernorm': [8], lm_head: [12, 8] }),
      ...twice(
        both({
          'model.layers.N.input_layernorm': [8],
          'model.layers.N.self_attn.q_proj': square,
          'model.layers.N.self_attn.k_proj': square,
          'model.layers.N.self_attn.v_proj': square,
          'model.layers.N.self_attn.dense': square,
          'model.layers.N.mlp.fc1': [20, 8],
          'model.layers.N.mlp.fc2': [8, 20],
        }),
      ),
    },
    engine: { 'head.bias': [12] },
    spec: decoder({ parallel: true, activation: 'gelu-tanh' }),
  },
];

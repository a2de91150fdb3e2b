/** Small configs that the note tables vary. */
import type { NoteCode } from '../../../web/api/inspect/catalogue.js';

/** code, config, fields of the note, what the English text says, asked length. */
export type NoteCase = [NoteCode, object, string[], RegExp, number?];

/** Complete: as a Llama it has nothing to be remarked but its layout. */
export const untyped = {
  hidden_size: 512,
  num_attention_heads: 8,
  num_hidden_layers: 4,
  max_position_embeddings: 1024,
  rope_theta: 10000,
};

export const llama = { ...untyped, model_type: 'llama' };
export const unknown = { ...untyped, model_type: 'newmodel' };
export const baseless = { ...llama, rope_theta: undefined };

export const qwen2 = {
  ...llama,
  model_type: 'qwen2',
  num_key_value_heads: 8,
  use_sliding_window: true,
  sliding_window: 256,
  max_window_layers: 2,
};

export const withRule = (rope_scaling: object) => ({ ...llama, rope_scaling });
export const lists = { short_factor: Array(32).fill(1), long_factor: Array(32).fill(2) };
export const sizeless = {
  hidden_size: 512,
  num_attention_heads: 8,
  num_layers: 4,
  seq_length: 1024,
};
export const gemma3 = { model_type: 'gemma3_text', num_hidden_layers: 6 };
export const smollm3 = { model_type: 'smollm3', num_hidden_layers: 4 };
export const deepseek = {
  model_type: 'deepseek_v3',
  max_position_embeddings: 163840,
  rope_scaling: {
    ...{ type: 'yarn', factor: 40, mscale: 1, mscale_all_dim: 1 },
    original_max_position_embeddings: 4096,
  },
};
export const gguf = { 'general.architecture': 'qwen2', 'qwen2.block_count': 4 };

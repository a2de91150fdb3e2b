/** Small configs to try: only the fields that concern position, with the values of well-known models. */

export interface Sample {
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** The length the page asks for when the sample is chosen; null = the trained one. */
  readonly length: number | null;
}

export const samples: readonly Sample[] = [
  {
    name: 'Llama 3',
    length: 32768,
    config: {
      model_type: 'llama',
      hidden_size: 4096,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      max_position_embeddings: 8192,
      rope_theta: 500000,
      rope_scaling: null,
    },
  },
  {
    name: 'Qwen2.5',
    length: 131072,
    config: {
      model_type: 'qwen2',
      hidden_size: 3584,
      num_hidden_layers: 28,
      num_attention_heads: 28,
      num_key_value_heads: 4,
      max_position_embeddings: 32768,
      rope_theta: 1000000,
      use_sliding_window: false,
      sliding_window: 131072,
      max_window_layers: 28,
    },
  },
  {
    name: 'Mistral v0.1',
    length: 65536,
    config: {
      model_type: 'mistral',
      hidden_size: 4096,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      max_position_embeddings: 32768,
      rope_theta: 10000,
      sliding_window: 4096,
    },
  },
  {
    name: 'Pythia',
    length: null,
    config: {
      model_type: 'gpt_neox',
      hidden_size: 2048,
      num_hidden_layers: 24,
      num_attention_heads: 16,
      max_position_embeddings: 2048,
      rotary_emb_base: 10000,
      rotary_pct: 0.25,
    },
  },
  {
    name: 'BLOOM',
    length: 8192,
    config: { model_type: 'bloom', hidden_size: 4096, n_layer: 30, n_head: 32, seq_length: 2048 },
  },
  {
    name: 'GPT-2',
    length: 2048,
    config: { model_type: 'gpt2', n_embd: 768, n_layer: 12, n_head: 12, n_positions: 1024 },
  },
];

/**
 * What a model type means and takes when its config.json is silent. Facts: the configuration classes
 * of Hugging Face transformers 5 (and modeling_qwen.py of Qwen-7B for `qwen`).
 */
export interface Family {
  /** `model_type`, or `null` for the generic reading of an unknown type. */
  readonly type: string | null;
  readonly encoding: 'rope' | 'alibi' | 'learned';
  /** How the Hugging Face checkpoints pair the dimensions. */
  readonly layout: 'half' | 'interleaved';
  /** The authors' own weights pair neighbours instead. */
  readonly originalInterleaved: boolean;

  /** Values taken when the field is absent; `null` = there is no default. */
  readonly layers: number | null;
  readonly hiddenSize: number | null;
  readonly heads: number | null;
  /** `null`: as many as query heads. */
  readonly kvHeads: number | null;
  /** `null`: hidden size / heads. */
  readonly headDim: number | null;
  readonly length: number | null;
  readonly base: number | null;
  /** Share of each head that turns. */
  readonly rotaryFraction: number;
  readonly window: number | null;

  /** Field names, the one that counts first. */
  readonly headDimFields: readonly string[];
  readonly lengthFields: readonly string[];
  /** Whether later length fields are mere claims beyond the trained length. */
  readonly lengthsAreClaims: boolean;
  readonly baseFields: readonly string[];
  readonly fractionFields: readonly string[];
  /** Whether transformers declares a rotary fraction for this type. */
  readonly fractionDeclared: boolean;

  /** `use_sliding_window` must be true for the window to count. */
  readonly windowSwitch: boolean;
  /** Which layers use the window; `null` = the type has no rule of its own. */
  readonly windowed: ((layer: number, maxWindowLayers: number) => boolean) | null;
  readonly maxWindowLayers: number | null;
  /** Reads Qwen 1's `use_dynamic_ntk` and `use_logn_attn`, on by default. */
  readonly stretches: boolean;
}

/** Other spellings of the common fields, the one that counts first. */
export const aliases = {
  layers: ['num_hidden_layers', 'n_layer', 'n_layers', 'num_layers'],
  hiddenSize: ['hidden_size', 'n_embd', 'n_embed', 'd_model'],
  heads: ['num_attention_heads', 'n_head', 'n_heads', 'num_heads'],
  kvHeads: ['num_key_value_heads', 'num_kv_heads', 'n_kv_heads'],
} as const;

/** Llama, and what most later types share with it. */
const llama: Family = {
  type: 'llama',
  encoding: 'rope',
  layout: 'half',
  originalInterleaved: true,
  layers: 32,
  hiddenSize: 4096,
  heads: 32,
  kvHeads: null,
  headDim: null,
  length: 2048,
  base: 10000,
  rotaryFraction: 1,
  window: null,
  headDimFields: ['head_dim'],
  lengthFields: ['max_position_embeddings'],
  lengthsAreClaims: false,
  baseFields: ['rope_theta'],
  fractionFields: ['partial_rotary_factor'],
  fractionDeclared: false,
  windowSwitch: false,
  windowed: null,
  maxWindowLayers: null,
  stretches: false,
};

const mistral: Family = {
  ...llama,
  type: 'mistral',
  kvHeads: 8,
  length: 131072,
  window: 4096,
  windowed: () => true,
};

const qwen2: Family = {
  ...llama,
  type: 'qwen2',
  originalInterleaved: false,
  kvHeads: 32,
  length: 32768,
  window: 4096,
  windowSwitch: true,
  windowed: (layer, maxWindowLayers) => layer >= maxWindowLayers,
  maxWindowLayers: 28,
};

const known: readonly Family[] = [
  llama,
  mistral,
  { ...mistral, type: 'mixtral', base: 1e6, window: null },
  qwen2,
  {
    ...qwen2,
    type: 'qwen2_moe',
    layers: 24,
    hiddenSize: 2048,
    heads: 16,
    kvHeads: 16,
    windowed: (layer, maxWindowLayers) => layer % 2 === 0 && layer < maxWindowLayers,
  },
  { ...qwen2, type: 'qwen3', headDim: 128 },
  {
    ...qwen2,
    type: 'qwen3_moe',
    layers: 24,
    hiddenSize: 2048,
    kvHeads: 4,
    windowed: () => true,
    maxWindowLayers: null,
  },
  {
    ...llama,
    type: 'qwen',
    originalInterleaved: false,
    length: 8192,
    headDim: 128,
    headDimFields: ['kv_channels'],
    lengthFields: ['seq_length', 'max_position_embeddings', 'n_positions'],
    lengthsAreClaims: true,
    baseFields: ['rotary_emb_base'],
    fractionFields: ['rotary_pct'],
    fractionDeclared: true,
    stretches: true,
  },
  {
    ...llama,
    type: 'gpt_neox',
    originalInterleaved: false,
    layers: 44,
    hiddenSize: 6144,
    heads: 64,
    headDimFields: [],
    baseFields: ['rotary_emb_base', 'rope_theta'],
    rotaryFraction: 0.25,
    fractionFields: ['rotary_pct', 'partial_rotary_factor'],
    fractionDeclared: true,
  },
  {
    ...llama,
    type: 'bloom',
    encoding: 'alibi',
    layers: 2,
    hiddenSize: 64,
    heads: 8,
    length: null,
    headDimFields: [],
    lengthFields: ['seq_length'],
  },
  {
    ...llama,
    type: 'gpt2',
    encoding: 'learned',
    layers: 12,
    hiddenSize: 768,
    heads: 12,
    length: 1024,
    headDimFields: [],
    lengthFields: ['n_positions', 'max_position_embeddings', 'n_ctx'],
  },
];

const families = new Map(known.map((family) => [family.type, family]));

/** The family of a model type, if posenc knows it. */
export const familyOf = (type: string): Family | undefined => families.get(type);

/** Model types whose own code pairs neighbours (2i, 2i+1). */
const interleaved = new Set(
  'codegen cohere cohere2 deepseek_v2 deepseek_v3 glm glm4 gptj llama4 llama4_text roformer'.split(
    ' ',
  ),
);

/** How a type outside the table is read: no defaults, all usual names. */
export function genericFamily(type: string | null): Family {
  return {
    ...llama,
    type: null,
    layout: type !== null && interleaved.has(type) ? 'interleaved' : 'half',
    originalInterleaved: false,
    layers: null,
    hiddenSize: null,
    heads: null,
    length: null,
    base: null,
    headDimFields: ['head_dim', 'kv_channels'],
    lengthFields: [
      'max_position_embeddings',
      'n_positions',
      'max_seq_len',
      'max_sequence_length',
      'seq_length',
      'n_ctx',
    ],
    baseFields: ['rope_theta', 'rotary_emb_base', 'rotary_base', 'rope_base'],
    fractionFields: ['partial_rotary_factor', 'rotary_pct', 'rope_pct'],
    fractionDeclared: true,
  };
}

/** Whether the layout of an unknown type is at least known from its code. */
export const layoutKnown = (type: string | null): boolean => type !== null && interleaved.has(type);

/**
 * Model types whose layers differ by rules in their code (layers without rotation, second bases,
 * latent heads, mixed layer kinds): reading their fields generically would be wrong without a sign.
 */
export const specialTypes: ReadonlySet<string> = new Set(
  (
    'cohere2 deepseek_v2 deepseek_v3 deepseek_v32 deepseek_v4 exaone4 falcon gemma2 gemma3 gemma3_text ' +
    'gemma3n gemma3n_text gemma4 gemma4_text glm4_moe_lite gpt_oss kimi_k2 kimi_linear llama4 llama4_text ' +
    'longcat_flash minimax modernbert modernbert-decoder olmo3 qwen3_next smollm3 youtu'
  ).split(' '),
);

/** Fields that change how position works in ways that are not computed yet. */
export const specialFields: readonly string[] = [
  'alibi',
  'global_head_dim',
  'global_rope_theta',
  'kv_lora_rank',
  'local_rope_theta',
  'no_rope_layer_interval',
  'no_rope_layers',
  'qk_rope_head_dim',
  'rope_local_base_freq',
];

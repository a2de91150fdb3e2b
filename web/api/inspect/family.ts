import type { Context } from './context.js';

/** How layers without an own entry in the config are told apart: all but every n-th are `other`. */
export interface Pattern {
  readonly every: number;
  /** Config fields that set `every`. */
  readonly fields: readonly string[];
  /** Whether the full layer is the last or the first of each `every`. */
  readonly full: 'last' | 'first';
  readonly other: 'sliding_attention' | 'linear_attention';
}

/** One side of an encoder–decoder model (BART, Whisper), its layers and heads in fields `encoder_…`, `decoder_…`. */
export interface Stack {
  readonly layers: number;
  readonly heads: number;
  /** `t2t` = tensor2tensor's frequencies, in a table that grows when `grows`. */
  readonly table: 'learned' | 'sinusoidal' | 'sinusoidal-t2t';
  readonly lengthField: string;
  readonly length: number;
}

/**
 * What a model type means and takes when its config.json is silent. The tables in `families/` hold the
 * facts; this says what a fact is.
 */
export interface Family {
  /** `model_type`, or `null` for the generic reading of an unknown type. */
  readonly type: string | null;
  readonly encoding:
    | 'rope'
    | 'alibi'
    | 'learned'
    | 'stacks'
    | 't5'
    | 'deberta'
    | 'transformer_xl'
    | 'swin'
    | 'convolution'
    | 'none';
  /** How the Hugging Face checkpoints pair the dimensions. */
  readonly layout: 'half' | 'interleaved';
  /** The authors' own weights pair neighbours instead. */
  readonly originalInterleaved: boolean;
  /** The code turns by −angle (NanoChat). */
  readonly backwards: boolean;

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
  /** Base of sliding layers where it is another one. */
  readonly localBase: number | null;
  /** Share of each head that turns. */
  readonly rotaryFraction: number;
  /** Width that turns, where the code has it instead of a share. */
  readonly rotaryDim: number | null;
  readonly window: number | null;
  /** `rope_parameters` of a silent config, where they are more than a base. */
  readonly scaling: Readonly<Record<string, unknown>> | null;
  /** A flag that must be true for that (MiniMind). */
  readonly scalingSwitch: string | null;

  /** Field names, the one that counts first. */
  readonly headDimFields: readonly string[];
  readonly lengthFields: readonly string[];
  /** Whether later length fields are mere claims beyond the trained length. */
  readonly lengthsAreClaims: boolean;
  readonly baseFields: readonly string[];
  readonly localBaseFields: readonly string[];
  /** Object that holds `rope_theta` and `kv_n_heads` (DBRX, MPT). */
  readonly attentionFields: string | null;
  readonly fractionFields: readonly string[];
  /** Whether transformers declares a rotary fraction for this type. */
  readonly fractionDeclared: boolean;
  /** Fields of `specialFields` that this type's reading takes into account. */
  readonly handles: readonly string[];

  /** `use_sliding_window` must be true for the window to count. */
  readonly windowSwitch: boolean;
  /** Which layers use the window; `null` = the type has no rule of its own. */
  readonly windowed: ((layer: number, maxWindowLayers: number) => boolean) | null;
  readonly maxWindowLayers: number | null;
  /** `local_attention` is the whole width on both sides (ModernBERT), not keys of the past. */
  readonly windowBothSides: boolean;
  readonly pattern: Pattern | null;
  /**
   * Which layers do not rotate: `list` = `no_rope_layers` or every n-th, `full` = full layers, `full-if-windowed`
   * = full layers of a model with a window, `all` = none rotates.
   */
  readonly nope: 'list' | 'full' | 'full-if-windowed' | 'all' | null;
  /** Layers that rotate see only their chunk of `attention_chunk_size` tokens (Llama 4). */
  readonly chunk: number | null;
  /** Flat `rope_scaling` holds for full layers only. */
  readonly scalesFullOnly: boolean;
  /** Sorts layers by fields that no other type has. */
  readonly typing: ((context: Context, count: number) => string[]) | null;
  /** Base of compressed layers, which alone have the rule (DeepSeek-V4). */
  readonly compressedBase: number | null;
  /** The attention's output turns back by the query's position (DeepSeek-V4: values turn with the keys). */
  readonly turnsBack: boolean;
  /** YaRN leaves cos and sin as they are, unless the config says otherwise. */
  readonly yarnUnscaled: boolean;
  /** Full layers have heads of this width (Gemma 4). */
  readonly fullHeadDim: number | null;
  /** Max length is already the stretched one under the rules `linear` and `dynamic`. */
  readonly lengthIsStretched: boolean;
  /** Other layers are Mamba, convolutions … and have no positions. */
  readonly hybrid: boolean;

  /**
   * Latent attention: only `qk_rope_head_dim` of each head turns. `nope` = default of the rest; with `whole`
   * that is what remains of `head_dim`, whose default it is.
   */
  readonly latent: {
    readonly nope: number;
    readonly value: number;
    readonly whole?: number;
  } | null;
  /** The code rounds hidden size / heads down. */
  readonly floorsHeadDim: boolean;
  /** There is no attention, so there are no heads (Mamba, RWKV). */
  readonly headless: boolean;
  /** What q·k is multiplied by: 1/√(head size), or 1. */
  readonly softmax: 'head' | 'one';
  /** Default of `query_pre_attn_scalar`. */
  readonly queryScalar: number | null;
  /** The code of transformers leaves out the factor of `mscale_all_dim`. */
  readonly omitsSoftmaxFactor: boolean;
  readonly sinks: boolean;
  /** Queries grow with their position: defaults of `attn_scale` and `floor_scale` (Llama 4). */
  readonly temperature: { readonly scale: number; readonly floor: number } | null;
  /** Images: `halves` = first half of the pairs by height, then by width; `mixed` = in turn, over all heads. */
  readonly grid: 'halves' | 'mixed' | null;
  /** How the pairs are shared out among time, height and width. */
  readonly sections: 'chunked' | 'interleaved' | null;

  /** Rows before position 0 in a learned table; `padding` = pad_token_id + 1, within the stated length. */
  readonly offset: number | 'padding';
  /** Silent width of the table, where it is not the hidden size (ALBERT, ELECTRA). */
  readonly tableWidth: number | null;
  /** Positions are the patches of an image, and `extra` tokens such as the class (ViT). */
  readonly patches: {
    readonly image: number;
    readonly patch: number;
    readonly extra: number;
  } | null;
  /** `position_embedding_type` may name relative keys (BERT). */
  readonly relativeKeys: boolean;
  readonly stacks: { readonly encoder: Stack; readonly decoder: Stack } | null;
  /** Buckets of distances too, on top of the table (MPNet). */
  readonly buckets: boolean;
  /** Slopes are divided by √(head size) as the scores are (Falcon). */
  readonly scalesSlopes: boolean;
  /** Reads Qwen 1's `use_dynamic_ntk` and `use_logn_attn`, on by default. */
  readonly stretches: boolean;
  /** Reads Hunyuan's `alpha`. */
  readonly alpha: boolean;
}

/** Other spellings of the common fields, the one that counts first. */
export const aliases = {
  layers: ['num_hidden_layers', 'n_layer', 'n_layers', 'num_layers', 'num_attention_layers'],
  hiddenSize: ['hidden_size', 'n_embd', 'n_embed', 'd_model', 'dim'],
  heads: ['num_attention_heads', 'n_head', 'n_heads', 'num_heads'],
  kvHeads: ['num_key_value_heads', 'num_kv_heads', 'n_kv_heads', 'multi_query_group_num'],
} as const;

/** Fields that change how position works; a type that does not handle one is not computed. */
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

/** Llama, and what most later types share with it. */
export const llama: Family = {
  type: 'llama',
  encoding: 'rope',
  layout: 'half',
  originalInterleaved: true,
  backwards: false,
  layers: 32,
  hiddenSize: 4096,
  heads: 32,
  kvHeads: null,
  headDim: null,
  length: 2048,
  base: 10000,
  localBase: null,
  rotaryFraction: 1,
  rotaryDim: null,
  window: null,
  scaling: null,
  scalingSwitch: null,
  headDimFields: ['head_dim'],
  lengthFields: ['max_position_embeddings'],
  lengthsAreClaims: false,
  baseFields: ['rope_theta'],
  localBaseFields: [],
  attentionFields: null,
  fractionFields: ['partial_rotary_factor'],
  fractionDeclared: false,
  handles: [],
  windowSwitch: false,
  windowed: null,
  maxWindowLayers: null,
  windowBothSides: false,
  pattern: null,
  nope: null,
  chunk: null,
  scalesFullOnly: false,
  typing: null,
  compressedBase: null,
  turnsBack: false,
  yarnUnscaled: false,
  fullHeadDim: null,
  lengthIsStretched: false,
  hybrid: false,
  latent: null,
  floorsHeadDim: false,
  headless: false,
  softmax: 'head',
  queryScalar: null,
  omitsSoftmaxFactor: false,
  sinks: false,
  temperature: null,
  grid: null,
  sections: null,
  offset: 0,
  tableWidth: null,
  patches: null,
  relativeKeys: false,
  stacks: null,
  buckets: false,
  scalesSlopes: false,
  stretches: false,
  alpha: false,
};

/** How a type outside the tables is read: no defaults, all usual names. */
export const generic: Family = {
  ...llama,
  type: null,
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

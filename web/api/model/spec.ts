/** A transformer as the engine runs it, whatever family its checkpoint comes from. */
import type { EncodingName } from '../types.js';

/** Numbers of a checkpoint that an encoding takes as an option. */
export interface EncodingTensor {
  /** The tensor: `encoder.relative.weight` … */
  readonly tensor: TensorName;
  /** LayerNorm `{norm}.{weight,bias}` that its rows pass first, with the stack's epsilon (DeBERTa). */
  readonly norm?: TensorName;
  /**
   * Linear layer `{projection}.{weight,bias}` that its rows pass then; the result is parted by heads,
   * `[heads, rows, headDim]` (DeBERTa: that of the layer's own keys or queries).
   */
  readonly projection?: TensorName;
}

/**
 * One encoding of a layer, as `pe.encoding(name, options)` takes it. `encodingOptions` adds what comes
 * from the checkpoint.
 */
export interface EncodingSpec {
  readonly name: EncodingName;
  readonly options: Readonly<Record<string, unknown>>;
  /** Options of trained numbers: T5's `table`, DeBERTa's `keys` and `queries`. */
  readonly tensors?: Readonly<Record<string, EncodingTensor>>;
}

/** What positions do in one layer. */
export interface LayerSpec {
  /** Encodings that attention takes: rotations, biases, content terms, scales. */
  readonly encodings: readonly EncodingSpec[];
  /** A query sees keys with query − key < window. Absent: all. */
  readonly window?: number;
}

/** A stack of layers: a decoder, or an encoder. */
export interface StackSpec {
  /** Whether tokens see only tokens up to their own position. */
  readonly causal: boolean;
  /** Whether layers attend to an encoder's output too. */
  readonly cross: boolean;
  readonly layers: readonly LayerSpec[];
  readonly heads: number;
  /** Heads of keys and values; divides `heads`. */
  readonly kvHeads: number;
  readonly headDim: number;
  /** Width between the matrices of the MLP. */
  readonly hidden: number;
  /** RMSNorm, LayerNorm. */
  readonly norm: 'rms' | 'layer';
  readonly normEpsilon: number;
  /**
   * Where norms stand: before each sublayer, after it and its residual (BERT), or before and after
   * each sublayer, inside the residual (Gemma 2).
   */
  readonly normPlacement: 'pre' | 'post' | 'both';
  /** Attention and MLP read the same input, and one residual takes both (GPT-J, GPT-NeoX, Phi). */
  readonly parallel: boolean;
  /** `gelu-tanh` is GPT-2's approximation, `gelu` the exact one. */
  readonly activation: 'silu' | 'gelu' | 'gelu-tanh' | 'relu';
  /** down(activation(gate(x)) · up(x)) instead of down(activation(up(x))). */
  readonly gated: boolean;
  /** RMSNorm of each head's query and key before the rotation (Qwen 3, Gemma 3). */
  readonly queryKeyNorm: boolean;
  /** Multiplies q·k: 1/√headDim in most families, 1 in T5. */
  readonly attentionScale: number;
  /** c · tanh(logit / c) on the way to the softmax. Absent: none. */
  readonly attentionSoftcap?: number;
}

/** A whole model. */
export interface ModelSpec {
  /** Rows of the embedding. */
  readonly vocabulary: number;
  readonly width: number;
  /** Multiplies rows of the embedding (Gemma: √width). */
  readonly embeddingScale: number;
  /** First row of `embedding.position.weight` that a token at position 0 gets (OPT: 2). */
  readonly positionOffset: number;
  /** Absent in models that only encode. */
  readonly decoder?: StackSpec;
  /** Absent in models that only decode. */
  readonly encoder?: StackSpec;
  /** Multiplies logits (T5 with tied embeddings: 1/√width). */
  readonly logitScale: number;
  /** c · tanh(logit / c). Absent: none. */
  readonly logitSoftcap?: number;
  /** The checkpoint has no head, and none stands in: only the last layer's output is known (a bare BERT). */
  readonly hiddenOnly?: boolean;
}

/**
 * Names of tensors in the engine; a weight is `[outputs, inputs]`, a row per output. What is absent
 * does not happen: a missing bias is 0, a missing `head.weight` is `embedding.weight`.
 *
 * - `embedding.weight`, `embedding.position.weight` (added by position), `embedding.type.weight`
 *   (BERT: row 0 is added to every token), `embedding.norm.{weight,bias}`
 * - `decoder.N.…` and `encoder.N.…`, N the layer:
 *   `attention.{query,key,value,output}.{weight,bias}`, `attention.{query_norm,key_norm}.weight`,
 *   `attention.norm.{weight,bias}`, `attention.post_norm.{weight,bias}` (placement `both`), `cross.…`
 *   the same for an encoder's output,
 *   `mlp.{gate,up,down}.{weight,bias}`, `mlp.norm.{weight,bias}`, `mlp.post_norm.{weight,bias}`.
 *   With placement `post`, `attention.norm` and `mlp.norm` stand after their residuals. A parallel
 *   block without `mlp.norm` uses `attention.norm` for both.
 * - `decoder.norm.{weight,bias}`, `encoder.norm.{weight,bias}`: after the last layer
 * - what {@link EncodingSpec.tensors} names: `encoder.relative.weight` (T5: `[buckets, heads]`; DeBERTa:
 *   `[2·span, width]`), `decoder.relative.weight`, `encoder.N.attention.relative.weight` (UMT5),
 *   `encoder.relative.norm.{weight,bias}`, `encoder.N.attention.{relative_query,relative_key}.{weight,bias}`
 *   (DeBERTa without shared projections)
 * - `head.{weight,bias}`; a masked language model's `head.transform.{weight,bias}` and
 *   `head.norm.{weight,bias}` (BERT, DeBERTa) come before it, with the stack's activation
 */
export type TensorName = string;

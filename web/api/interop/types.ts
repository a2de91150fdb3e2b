/** What the functions with the semantics of ONNX and PyTorch take and return, under the names used there. */
import type { Tensor } from '../types.js';

/** Numbers and lengths of dimensions, as onnxruntime's tensors have them: those can be passed as they are. */
export interface OnnxTensor<Numbers = Float32Array> {
  /** In C order. */
  readonly data: Numbers;
  /** Lengths of the dimensions. */
  readonly dims: readonly number[];
}

/** float32 numbers; float16 and bfloat16 are to be converted first. */
export type OnnxFloats = OnnxTensor | Tensor;

/** int64 as onnxruntime gives it, or other integers. */
export type OnnxIntegers = OnnxTensor<BigInt64Array | Int32Array | readonly number[]>;

/** Booleans as bytes (as onnxruntime gives them) or as such. */
export type OnnxBooleans = OnnxTensor<Uint8Array | readonly boolean[]>;

/** Inputs of ONNX's Attention. */
export interface OnnxAttentionInputs {
  /** `[batch, q_num_heads, q_sequence, head_size]`, or `[batch, q_sequence, q_num_heads·head_size]`. */
  Q: OnnxFloats;
  /** `[batch, kv_num_heads, kv_sequence, head_size]`, or `[batch, kv_sequence, kv_num_heads·head_size]`. */
  K: OnnxFloats;
  /** The same with `v_head_size`. */
  V: OnnxFloats;
  /**
   * Up to `[batch, q_num_heads, q_sequence, total_sequence]`, aligned at the right; dimensions of 1 are
   * shared but for the last, which is filled up with what hides (false, −∞) where it is shorter. Booleans:
   * true = attend. float32: added to the score.
   */
  attn_mask?: OnnxFloats | OnnxBooleans;
  /** `[batch, kv_num_heads, past_sequence, head_size]`: keys before `K`. With `past_value`. */
  past_key?: OnnxFloats;
  /** `[batch, kv_num_heads, past_sequence, v_head_size]` */
  past_value?: OnnxFloats;
  /** `[batch]`: how many keys are real; those after them are padding (a cache updated outside). */
  nonpad_kv_seqlen?: OnnxIntegers;
}

/** Attributes of ONNX's Attention. */
export interface OnnxAttentionAttributes {
  /**
   * 1: query i sees keys up to i + offset. The offset is `past_sequence`, else
   * `nonpad_kv_seqlen − q_sequence`, else 0 (top-left). Default 0.
   */
  is_causal?: number;
  /** What q·k is multiplied by. Default 1/√head_size. */
  scale?: number;
  /** c of c·tanh(score/c), before mask and softmax; 0 = none. Default 0. */
  softcap?: number;
  /** Heads of `Q`; needed with three dimensions. */
  q_num_heads?: number;
  /** Heads of `K` and `V`; needed with three dimensions. */
  kv_num_heads?: number;
  /** What `qk_matmul_output` is: 0 scaled scores, 1 after softcap, 2 after the mask, 3 after softmax. Default 0. */
  qk_matmul_output_mode?: number;
  /**
   * 1 (float32), or 10 and 16 (float16 and bfloat16), which are computed in float32 all the same; 11
   * (float64) is refused. Default 1.
   */
  softmax_precision?: number;
  /** Keys further than this before i + offset are hidden; −1 = none. Default −1. */
  left_window_size?: number;
  /** The same of keys after it. Default −1. */
  right_window_size?: number;
}

/** Outputs of ONNX's Attention. */
export interface OnnxAttentionOutputs {
  /** As many dimensions as `Q`, with `v_head_size`. A row that sees nothing is 0. */
  Y: OnnxTensor;
  /** `[batch, kv_num_heads, total_sequence, head_size]`: `past_key`, then `K`. */
  present_key?: OnnxTensor;
  /** `[batch, kv_num_heads, total_sequence, v_head_size]` */
  present_value?: OnnxTensor;
  /** `[batch, q_num_heads, q_sequence, total_sequence]` */
  qk_matmul_output?: OnnxTensor;
}

/** Inputs of ONNX's RotaryEmbedding. */
export interface OnnxRotaryEmbeddingInputs {
  /** `[batch, num_heads, sequence, head_size]`, or `[batch, sequence, num_heads·head_size]`. */
  X: OnnxFloats;
  /**
   * `[positions, rotary_embedding_dim/2]` with `position_ids`, else `[batch, sequence,
   * rotary_embedding_dim/2]`. Any numbers.
   */
  cos_cache: OnnxFloats;
  /** The same shape. */
  sin_cache: OnnxFloats;
  /** `[batch, sequence]`: which row of the caches a token takes. */
  position_ids?: OnnxIntegers;
}

/** Attributes of ONNX's RotaryEmbedding. */
export interface OnnxRotaryEmbeddingAttributes {
  /** 1: pairs are (2i, 2i + 1), 0: (i, i + rotary_embedding_dim/2). Default 0. */
  interleaved?: number;
  /** Needed with three dimensions. */
  num_heads?: number;
  /** Leading dimensions that turn; 0 = all. Default 0. */
  rotary_embedding_dim?: number;
}

/** Inputs of ONNX's LinearAttention. Heads lie side by side. */
export interface OnnxLinearAttentionInputs {
  /** `[batch, sequence, q_num_heads·d_k]` */
  query: OnnxFloats;
  /** `[batch, sequence, kv_num_heads·d_k]` */
  key: OnnxFloats;
  /** `[batch, sequence, kv_num_heads·d_v]` */
  value: OnnxFloats;
  /** `[batch, kv_num_heads, d_k, d_v]`: the state after the tokens before. Default: zeros. */
  past_state?: OnnxFloats;
  /**
   * Logarithms of what is kept, `[batch, sequence, kv_num_heads]` or `[batch, sequence,
   * kv_num_heads·d_k]`. With the rules `gated` and `gated_delta`, which need it.
   */
  decay?: OnnxFloats;
  /** `[batch, sequence, kv_num_heads]` or `[batch, sequence, 1]`. With `delta` and `gated_delta`, which need it. */
  beta?: OnnxFloats;
}

/** Attributes of ONNX's LinearAttention. */
export interface OnnxLinearAttentionAttributes {
  /** Heads of `query`, a multiple of `kv_num_heads`. */
  q_num_heads: number;
  /** Heads of `key` and `value`. */
  kv_num_heads: number;
  /**
   * `linear`: S ← S + k·vᵀ. `gated`: S ← e^decay·S before. `delta`: v ← beta·(v − Sᵀk) before.
   * `gated_delta`: both. Default `gated_delta`.
   */
  update_rule?: 'linear' | 'gated' | 'delta' | 'gated_delta';
  /** What Sᵀq is multiplied by; 0 = 1/√d_k. Default 0. */
  scale?: number;
  /** A hint that changes nothing. */
  chunk_size?: number;
}

/** Outputs of ONNX's LinearAttention. */
export interface OnnxLinearAttentionOutputs {
  /** `[batch, sequence, q_num_heads·d_v]` */
  output: OnnxTensor;
  /** `[batch, kv_num_heads, d_k, d_v]`: the `past_state` of what follows. */
  present_state: OnnxTensor;
}

/** Numbers and their shape, as PyTorch's tensors have them. */
export interface ShapedArray<Numbers = Float32Array> {
  /** In C order. */
  readonly data: Numbers;
  /** Lengths of the dimensions. */
  readonly shape: readonly number[];
}

/** Options of `scaledDotProductAttention`; names as in PyTorch, in camelCase. */
export interface ScaledDotProductAttentionOptions {
  /**
   * Broadcast to `[…, L, S]`. Booleans (or bytes): true = attend. float32: added to the score. Not
   * together with `isCausal`.
   */
  attnMask?: ShapedArray<Float32Array | Uint8Array | readonly boolean[]> | Tensor;
  /** There is no dropout: 0 or nothing. */
  dropoutP?: number;
  /** Query i sees keys 0 … i (top-left, also where L ≠ S). Default false. */
  isCausal?: boolean;
  /** Default 1/√E. */
  scale?: number;
  /** Keys and values may have fewer heads, a divisor: query head h reads ⌊h·H/Hq⌋. Default false. */
  enableGqa?: boolean;
}

/** Functions of a loaded module with the semantics of other libraries, over the same attention. */
export interface Interop {
  /**
   * ONNX's Attention (opset 23 to 25) in float32: inputs, attributes and outputs by their ONNX names. The
   * outputs are `Y`, `present_key`, `present_value` and, where the attributes name `qk_matmul_output_mode`,
   * `qk_matmul_output`; `outputs` lists those wanted beside `Y`.
   */
  readonly onnxAttention: (
    inputs: OnnxAttentionInputs,
    attributes?: OnnxAttentionAttributes,
    outputs?: readonly (keyof OnnxAttentionOutputs)[],
  ) => OnnxAttentionOutputs;
  /** ONNX's RotaryEmbedding (opset 23) in float32: turns pairs by given tables. The shape is that of `X`. */
  readonly onnxRotaryEmbedding: (
    inputs: OnnxRotaryEmbeddingInputs,
    attributes?: OnnxRotaryEmbeddingAttributes,
  ) => OnnxTensor;
  /**
   * ONNX's LinearAttention (opset 27, without `erase_gate`) in float32: a state in place of keys and
   * values, in time linear in the tokens.
   */
  readonly onnxLinearAttention: (
    inputs: OnnxLinearAttentionInputs,
    attributes: OnnxLinearAttentionAttributes,
  ) => OnnxLinearAttentionOutputs;
  /**
   * PyTorch's `scaled_dot_product_attention` of query `[…, Hq, L, E]`, key `[…, H, S, E]` and value
   * `[…, H, S, Ev]`: an array `[…, Hq, L, Ev]`. Two dimensions are one head.
   */
  readonly scaledDotProductAttention: (
    query: ShapedArray | Tensor,
    key: ShapedArray | Tensor,
    value: ShapedArray | Tensor,
    options?: ScaledDotProductAttentionOptions,
  ) => ShapedArray;
}

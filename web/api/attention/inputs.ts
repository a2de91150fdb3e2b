/** What `attention` takes and returns. */
import type { Data, Encoding, PositionOptions, Positions } from '../types.js';
import type { AttentionMasks } from './masks.js';

/** Where a logit can be read on its way: see `AttentionInputs.return`. */
export type Tap = 'scores' | 'capped' | 'biased' | 'logits' | 'weights';

/**
 * Sizes of one call of attention, integers of at least 1; `batch`, `queries` and `keys` may be 0. Without
 * queries the output is empty, without keys it is 0.
 */
export interface AttentionShape {
  /** Independent sequences. Default 1. */
  batch?: number;
  /** Heads of queries. */
  heads: number;
  /** Divides `heads`; head h reads kv head ⌊h·kvHeads/heads⌋. Default `heads`. */
  kvHeads?: number;
  /** Tokens that ask. */
  queries: number;
  /** Tokens that are asked. Default `queries`. */
  keys?: number;
  /** Width of one head of queries and keys. */
  headDim: number;
  /** Width of one head of values. Default `headDim`. */
  valueDim?: number;
}

/** What `attention` takes. */
export interface AttentionInputs<Output extends Data = Data>
  extends PositionOptions, AttentionMasks {
  /** `[batch, heads, queries, headDim]` */
  query: Data;
  /** `[batch, kvHeads, keys, headDim]` */
  key: Data;
  /** `[batch, kvHeads, keys, valueDim]` */
  value: Data;
  /** Needed unless query, key and value are tensors of four dimensions, whose shapes then count. */
  shape?: AttentionShape;
  /** One encoding, or several that fill different hooks. Encodings without attention hooks (sinusoidal) are refused. */
  encoding?: Encoding | readonly Encoding[];
  /** c·tanh(score / c), c > 0. */
  softcap?: number;
  /**
   * Default 1/√headDim, unless one of the encodings has a scale of its own (T5: 1). Two encodings
   * with different scales of their own need it.
   */
  scale?: number;
  /** Default: the queries are the last of the keys (bottom-right). */
  queryPositions?: Positions;
  /** Default 0. */
  keyPositions?: Positions;
  /**
   * Intermediate values to return, each `[batch, heads, queries, keys]`, in the order of composition:
   * `scores` = scale·(q·k + content), `capped` after softcap, `biased` after the bias, `logits` after the
   * mask (−∞ where hidden), `weights` after softmax; or `statistics` of each softmax,
   * `[batch, heads, queries, 3]`, which `attentionBackward` can use.
   */
  return?: readonly (Tap | 'statistics')[];
  /** Where the output goes; may be one of the inputs. Default: a new array. */
  out?: Output;
}

/**
 * What `attention` returns; each tap only where `return` names it, `[batch, heads, queries, keys]`
 * unless it says otherwise.
 */
export interface AttentionResult<Output extends Data = Float32Array> {
  /** `[batch, heads, queries, valueDim]`: `out` itself when it was given, else a new array. */
  output: Output;
  /** scale·(q·k + content). */
  scores?: Float32Array;
  /** After softcap. */
  capped?: Float32Array;
  /** After the bias. */
  biased?: Float32Array;
  /** After the mask: −∞ where hidden. */
  logits?: Float32Array;
  /** After softmax: every row sums to 1, or is 0 where all is hidden. */
  weights?: Float32Array;
  /**
   * Three numbers per row, `[batch, heads, queries, 3]`: a weight is e^(logit − first − second) / third;
   * the third is 0 where all is hidden.
   */
  statistics?: Float32Array;
}

/** Options of encodings that add to scores terms of queries, keys and distances (or counts). */
import type { Data } from '../types.js';

/**
 * Shaw 2018, “Self-Attention with Relative Position Representations”: a vector for each clipped
 * distance is added to keys and values. At least one of the two tables is needed.
 */
export interface ShawOptions {
  /** Width of one head. 1 … 4096. */
  headDim: number;
  /** Largest distance with a vector of its own; farther ones share it. 0 … 1000000. */
  maxDistance: number;
  /** Vectors added to keys, `[2·maxDistance + 1, headDim]`, or one such table per head, first axis `heads`. */
  keys?: Data;
  /** Vectors added to values, `[2·maxDistance + 1, valueDim]`, or one such table per head. */
  values?: Data;
  /** Width of one value. 1 … 4096. Default: `headDim`. */
  valueDim?: number;
  /** Number of heads with tables of their own; 0 = all share them. 0 … 4096. Default 0. */
  heads?: number;
  /** What rows count: key − query (the paper), or query − key (BERT of Hugging Face). Default `key-query`. */
  direction?: 'key-query' | 'query-key';
  /** Keys meet the same vector as well (`relative_key_query`; Huang 2020, method 4). Default false. */
  keyTerm?: boolean;
}

/**
 * Dai 2019, “Transformer-XL”, section 3.3 (and XLNet). Either `projection` or `vectors` is needed,
 * not both.
 */
export interface TransformerXlOptions {
  /** Number of heads. 1 … 4096. */
  heads: number;
  /** Width of one head. 1 … 4096. */
  headDim: number;
  /** Largest distance (clamp_len); farther ones share its vector. 0 … 1000000. */
  maxDistance: number;
  /** u, which meets keys in place of a query, `[heads, headDim]` (r_w_bias). */
  contentBias: Data;
  /** v, which meets distances in place of a query, `[heads, headDim]` (r_r_bias). */
  positionBias: Data;
  /** W_R, from sinusoids to vectors, `[heads · headDim, width]`, an even width. */
  projection?: Data;
  /**
   * Projected vectors by rising distance, `[heads, rows, headDim]`, instead of `projection`:
   * maxDistance + 1 rows, 2·maxDistance + 1 when bidirectional.
   */
  vectors?: Data;
  /** Keys of the future have distances of their own (XLNet). Default false. */
  bidirectional?: boolean;
}

/** He 2020, “DeBERTa: Decoding-enhanced BERT with Disentangled Attention”, equations 2 and 4. */
export interface DebertaOptions {
  /** Number of heads. 1 … 4096. */
  heads: number;
  /** Width of one head. 1 … 4096. */
  headDim: number;
  /** Where distances are clipped (max_relative_positions). 1 … 1000000. Default 512. */
  maxDistance?: number;
  /** Logarithmic buckets (position_buckets), 0 or at least 2; 0 = every distance (version 1). Default 0. */
  buckets?: number;
  /** Projected relative keys, `[heads, 2·span, headDim]`; span = buckets, else maxDistance. For c2p and p2p. */
  keys?: Data;
  /** Projected relative queries, `[heads, 2·span, headDim]`. For p2c and p2p. */
  queries?: Data;
  /** Content to position: queries meet relative keys. Default true. */
  c2p?: boolean;
  /** Position to content: keys meet relative queries. Default true. */
  p2c?: boolean;
  /** Position to position: relative queries meet relative keys. Default false. */
  p2p?: boolean;
  /** Clip distances first (the authors' code), or rows alone (Hugging Face). Default `distance`. */
  clamp?: 'distance' | 'row';
}

/**
 * Golovneva 2024, “Contextual Position Encoding: Learning to Count What's Important”: positions are
 * counts of keys whose gate is open, from the query back.
 */
export interface CopeOptions {
  /** Width of one head. 1 … 4096. */
  headDim: number;
  /** A vector per count, `[counts, headDim]`, or one such table per head; counts stop at the last. */
  vectors: Data;
  /** Number of heads with tables of their own; 0 = all share one. 0 … 4096. Default 0. */
  heads?: number;
}

/**
 * Zheng 2024, “DAPE: Data-Adaptive Positional Encoding for Length Extrapolation”, equation 5: a
 * perceptron reads the scaled scores of all heads at a query and a key, and their biases, which are
 * those of another encoding of the call; what it says is added to the scores.
 */
export interface DapeOptions {
  /** Number of heads. 1 … 256. */
  heads: number;
  /** Width of the hidden layer. 1 … 512. Default 32. */
  width?: number;
  /** Slope of the LeakyReLU below 0. 0 … 1. Default 0.01. */
  negativeSlope?: number;
  /** First layer, `[width, 2·heads]`: columns of scores, then of biases. */
  firstWeight: Data;
  /** Its offsets, `[width]`. */
  firstBias: Data;
  /** Last layer, `[heads, width]`. */
  lastWeight: Data;
  /** Its offsets, `[heads]`. */
  lastBias: Data;
}

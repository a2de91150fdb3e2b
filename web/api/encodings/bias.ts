/** Options of encodings that add a number to the logit by distance, or by two positions in a sequence. */
/** Press 2021, “Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation”. */
export interface AlibiOptions {
  /** Number of heads, any. 1 … 4096. */
  heads: number;
  /** How many heads have a bias; those after them have none. At most `heads`. Default: all. */
  biasedHeads?: number;
  /** The smallest slope is 2^−biasMax, of a power of two of heads (MPT: alibi_bias_max). 0.001 … 1000. Default 8. */
  biasMax?: number;
}

/** Options of encodings that add a number to the logit by distance, or by two positions in a sequence. */
import type { Data } from '../types.js';

/** Press 2021, “Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation”. */
export interface AlibiOptions {
  /** Number of heads, any. 1 … 4096. */
  heads: number;
  /** How many heads have a bias; those after them have none. At most `heads`. Default: all. */
  biasedHeads?: number;
  /** The smallest slope is 2^−biasMax, of a power of two of heads (MPT: alibi_bias_max). 0.001 … 1000. Default 8. */
  biasMax?: number;
}

/** Ke 2020, “Rethinking Positional Encoding in Language Pre-training” (TUPE), section 3. */
export interface TupeOptions {
  /** Number of heads. 1 … 4096. */
  heads: number;
  /** Width of one head; content and positions are both scaled by 1/√(2·headDim). 1 … 4096. */
  headDim: number;
  /** Projected position queries, `[heads, rows, headDim]`. Positions run from 0 to rows − 1. */
  queries: Data;
  /** Projected position keys, `[heads, rows, headDim]`. */
  keys: Data;
  /** Biases by key − query, `[heads, 2·maxDistance + 1]`, clipped beyond. Default: none. */
  relative?: Data;
  /** What the first token ([CLS]) sees others with, `[heads]`. Default: as any token. */
  firstToOthers?: Data;
  /** What others see the first token with, `[heads]`. Default: as any token. */
  othersToFirst?: Data;
}

/**
 * Raffel 2019, “Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer”,
 * section 2.1. Scores are not divided by √headDim.
 */
export interface T5Options {
  /** Number of heads. 1 … 4096. */
  heads: number;
  /** Number of buckets, at least 4 when bidirectional. 2 … 65536. Default 32. */
  buckets?: number;
  /** Scale of the logarithmic buckets: all distances beyond fall into the last. 2 … 2^30. Default 128. */
  maxDistance?: number;
  /** Whether keys after the query have buckets of their own (encoders do, decoders do not). Default true. */
  bidirectional?: boolean;
  /** Bias of every bucket and head, `[buckets, heads]`. */
  table: Data;
}

/**
 * Chi 2022, “KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation”: a bias of r1
 * and r2, and a kernel exp(−a·distance^p) that logits are multiplied by before; either may be absent.
 */
export interface KerpleOptions {
  /** Number of heads. 1 … 4096. */
  heads: number;
  /** `log`: −r1·ln(1 + r2·distance); `power`: −r1·distance^r2. Default `log`. */
  kernel?: 'log' | 'power';
  /** Strength of each head, `[heads]`; counts as at least 0.01. Needed unless there are weights. */
  r1?: Data;
  /** Scale (log) or exponent (power, at most 2) of each head, `[heads]`; counts as at least 0.01. */
  r2?: Data;
  /** a of each head, `[heads]`; counts as at least 0.01. Default: 1 beside `weightPower`. */
  weightScale?: Data;
  /** p of each head, `[heads]`; counts as 0.01 to 2. Default: 1 beside `weightScale`. */
  weightPower?: Data;
}

/** Chi 2022, “Dissecting Transformer Length Extrapolation via the Lens of Receptive Field Analysis”. */
export interface SandwichOptions {
  /** Number of heads. 1 … 4096. */
  heads: number;
  /** Width of the sinusoidal rows, even. 2 … 65536. Default 128. */
  width?: number;
  /** Base of the sinusoids' frequencies. 1 … 1e12. Default 10000. */
  base?: number;
}

/** Li 2023, “Functional Interpolation for Relative Positions Improves Long Context Transformers” (FIRE). */
export interface FireOptions {
  /** Number of heads. 1 … 4096. */
  heads: number;
  /** Width of the perceptron's hidden layer. 1 … 65536. Default 32. */
  width?: number;
  /** Initial threshold L: queries before it are normalised by it. 0 … 1e9. Default 512. */
  initialLength?: number;
  /** Small number added to the denominator. 1e-12 … 1. Default 0.000001. */
  epsilon?: number;
  /** First layer, `[width, 1]`. */
  w1: Data;
  /** Its offsets, `[width]`. */
  b1: Data;
  /** Second layer, `[heads, width]`. */
  w2: Data;
  /** Its offsets, `[heads]`. */
  b2: Data;
  /** Scale inside the logarithm, `[1]`; 0.1 unless given. */
  c?: Data;
  /** Multiplies `initialLength`, `[1]`; 1 unless given. */
  lengthMultiplier?: Data;
}

/**
 * Wang 2021, “CrossFormer”, on the one distance of a sequence: a perceptron gives the biases of all
 * heads. Shapes are those of x-transformers.
 */
export interface DynamicBiasOptions {
  /** Number of heads. 1 … 4096. */
  heads: number;
  /** Width of the hidden layers. 1 … 512. */
  width: number;
  /** Number of hidden layers. 1 … 8. Default 2. */
  depth?: number;
  /** Whether the input is sign(x)·ln(|x| + 1) instead of the distance x. Default false. */
  logDistance?: boolean;
  /** First layer, `[width, 1]`. */
  firstWeight: Data;
  /** Its offsets, `[width]`. */
  firstBias: Data;
  /** Other hidden layers, `[depth − 1, width, width]`; absent at depth 1. */
  hiddenWeight?: Data;
  /** Their offsets, `[depth − 1, width]`; absent at depth 1. */
  hiddenBias?: Data;
  /** Last layer, `[heads, width]`. */
  lastWeight: Data;
  /** Its offsets, `[heads]`. */
  lastBias: Data;
}

/**
 * Lin 2025, “Forgetting Transformer: Softmax Attention with a Forget Gate” (FoX), section 3: the bias
 * is the sum of the log gates between key and query.
 */
export interface FoxOptions {
  /** Number of heads. 1 … 4096. */
  heads: number;
  /** Number of gates: positions run from 0 to tokens − 1. 1 … 1073741824. */
  tokens: number;
  /** Logarithm of the forget gate of every head and token, at most 0, `[heads, tokens]`. */
  logGates: Data;
  /** Log gates for keys after the query, `[heads, tokens]`. Default: `logGates`. */
  futureLogGates?: Data;
}

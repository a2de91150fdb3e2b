/** Options of encodings that make a row per position, added to the input of the first layer. */
import type { Data } from '../types.js';

/** Vaswani 2017, “Attention Is All You Need”, section 3.5. */
export interface SinusoidalOptions {
  /** Width of a row; odd widths are allowed on one axis. 1 … 65536; a multiple of 2·axes on several. */
  width: number;
  /** Wavelengths grow from 2π to 2π·base. 1 … 1e12. Default 10000. */
  base?: number;
  /**
   * `interleaved`: sin, cos, sin, cos …; `halves`: all first functions, then all second; `spread`: the
   * first functions of all axes, then the second. Default `interleaved`.
   */
  layout?: 'interleaved' | 'halves' | 'spread';
  /**
   * Exponent of frequency i is `i / (width/2)` (the paper) or `i / (width/2 - 1)` (tensor2tensor,
   * fairseq, Whisper). Default `d/2`.
   */
  denominator?: 'd/2' | 'd/2-1';
  /** Which function comes first. Default `sin-cos`. */
  order?: 'sin-cos' | 'cos-sin';
  /** Added to positions (fairseq: padding_idx + 1). −1e6 … 1e6. Default 0. */
  offset?: number;
  /** Position −1 is padding: a row of zeros (fairseq). Default false. */
  zeroPadding?: boolean;
  /** A trained number that all rows are multiplied by, `[1]`. Default: none. */
  scale?: Data;
  /** Coordinates per position; each has an equal part of a row (ViT, DETR). 1 … 16. Default 1. */
  axes?: number;
  /**
   * What positions are multiplied by, offset included, one per axis, each −1e6 … 1e6: 2π/(size + 1e-6) with
   * offset 1 is DETR's `normalize`, 1/factor interpolates. Default 1. `inverseFrequencies` are those before.
   */
  positionScale?: readonly number[] | Float64Array;
}

/**
 * Likhomanenko 2021, “CAPE: Encoding Relative Positions with Continuous Augmented Positional
 * Embeddings”, section 3.2: sinusoids, interleaved, at (i − centre)·positionScale, and in training at
 * ((i − centre)·positionScale + Δ + δ_i)·λ. Each sequence of a batch takes a seed of its own.
 */
export interface CapeOptions {
  /** Width of a row. 1 … 65536. */
  width: number;
  /** Wavelengths grow from 2π to 2π·base. 1 … 1e12. Default 10000. */
  base?: number;
  /** What positions are multiplied by (speech: seconds per frame). 1e-6 … 1000. Default 1. */
  positionScale?: number;
  /** Subtracted from positions first: (tokens − 1)/2 where their mean is to be 0. −1e9 … 1e9. Default 0. */
  centre?: number;
  /** Whether shifts and scale are drawn. Default false. */
  training?: boolean;
  /** The sequence moves by Δ within ±globalShift. 0 … 1e9. Default 0. */
  globalShift?: number;
  /** Each position moves by δ within ±localShift; below positionScale/2 to keep the order. 0 … 1e9. Default 0. */
  localShift?: number;
  /** All is multiplied by λ from 1/maxScale to maxScale, uniform in its logarithm. 1 … 1000. Default 1. */
  maxScale?: number;
  /** What the draws come from. 0 … 2^53 − 1. Default 0. */
  seed?: number;
}

/** Gehring 2017, “Convolutional Sequence to Sequence Learning”, section 3 (BERT, GPT-2). */
export interface LearnedOptions {
  /** Width of a row. 1 … 65536. */
  width: number;
  /** The trained table, `[rows, width]`. Position p has row p + offset; one without a row is refused. */
  table: Data;
  /** Row of position 0 (OPT and BART: 2; RoBERTa: padding_idx + 1). 0 … 1e6, less than rows. Default 0. */
  offset?: number;
}

/**
 * Li 2021, “Learnable Fourier Features for Multi-Dimensional Spatial Positional Encoding”. With all
 * four arrays of the perceptron a row is `GELU(F·A + a)·B + b`; with none it is the features F.
 */
export interface FourierOptions {
  /** Coordinates per position. 1 … 16. Default 1. */
  axes?: number;
  /** W, radians per position of each pair, `[features / 2, axes]`. */
  frequencies: Data;
  /** A, features to hidden units, `[features, hidden]`: the transpose of a linear layer of PyTorch. */
  hiddenWeights?: Data;
  /** a, of hidden units, `[hidden]`. */
  hiddenBias?: Data;
  /** B, hidden units to rows, `[hidden, width]`. */
  rowWeights?: Data;
  /** b, of rows, `[width]`. */
  rowBias?: Data;
}

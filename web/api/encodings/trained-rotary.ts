/** Options of rotary encodings with trained or computed numbers. */
import type { Data } from '../types.js';

/**
 * Hua 2024, “Fourier Position Embedding”: the cosine of a pair is a sum over all frequencies. Either
 * `trainedLength` or `frequencyCount` is needed.
 */
export interface FopeOptions {
  /** Width of one head. 2 … 4096. */
  headDim: number;
  /** Wavelengths grow from 2π towards 2π·base. 1 … 1e12. Default 10000. */
  base?: number;
  /** `half` pairs (i, i + headDim/2), `interleaved` pairs (2i, 2i+1). Default `half`. */
  layout?: 'half' | 'interleaved';
  /** Trained length L; frequencies that turn less than a circle in it are cut. 7 … 2^30. */
  trainedLength?: number;
  /** Frequencies that are kept, the fastest ones, at most headDim/2. 1 … 2048. Default: by `trainedLength`. */
  frequencyCount?: number;
  /** Pairs without a sum: left alone (paper), or cosine and sine both 1 (the authors' code). Default `identity`. */
  clipped?: 'identity' | 'ones';
  /** Number of query heads, a multiple of `kvHeads`. 1 … 4096. Default: `kvHeads`. */
  heads?: number;
  /** Key heads in the coefficients; 1 = shared by all. 1 … 4096. Default 1. */
  kvHeads?: number;
  /** Coefficients C of cosines, `[kvHeads, frequencies, pairs]`. Default: the identity. */
  cosines?: Data;
  /** Coefficients S of sines, the same shape. Default: the identity. */
  sines?: Data;
}

/**
 * Gopalakrishnan 2025, “Decoupling the ‘What’ and ‘Where’ With Polar Coordinate Positional
 * Embeddings”: every dimension is a magnitude; turned rows have headDim + turnedDims numbers.
 */
export interface PopeOptions {
  /** Width of one head. 1 … 4096. */
  headDim: number;
  /** Leading dimensions that become complex, at most `headDim`. 1 … 4096. Default: all. */
  turnedDims?: number;
  /** Wavelengths grow from 2π towards 2π·base. 1 … 1e12. Default 10000. */
  base?: number;
  /** Key heads in `phases`; 1 = shared by all. 1 … 4096. Default 1. */
  heads?: number;
  /** Trained phases of keys in radians, `[heads, turnedDims]`, kept within [−2π, 0]. Default: zeros. */
  phases?: Data;
}

/** Movahedi 2025, “Selective Rotary Position Embedding”: angles depend on the tokens and add up. */
export interface SelectiveRopeOptions {
  /** Width of one head. 2 … 4096. */
  headDim: number;
  /** Leading dimensions that turn, even, at most `headDim`. 2 … 4096. Default: all (less one when odd). */
  rotaryDim?: number;
  /** `half` pairs (i, i + rotaryDim/2), `interleaved` pairs (2i, 2i+1). Default `half`. */
  layout?: 'half' | 'interleaved';
  /** Heads in `angles`; 1 = shared by all. 1 … 4096. Default 1. */
  heads?: number;
  /**
   * Radians by which each token turns what follows it and itself, `[heads, tokens, rotaryDim / 2]`.
   * Positions index the tokens: 0 … tokens − 1.
   */
  angles: Data;
}

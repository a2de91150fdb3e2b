/** Options of encodings of one axis that turn queries and keys, untrained but for those of `trained-rotary.ts`. */
import type { ScalingOptions } from '../scaling/types.js';

/** Su 2021, “RoFormer: Enhanced Transformer with Rotary Position Embedding”, section 3. */
export interface RopeOptions {
  /** Width of one head. 2 … 4096. */
  headDim: number;
  /** Dimensions that turn, even, at most `headDim − offset`. 2 … 4096. Default: all (less one when odd). */
  rotaryDim?: number;
  /** Wavelengths grow from 2π towards 2π·base. 1 … 1e12. Default 10000. */
  base?: number;
  /** `half` pairs (i, i + rotaryDim/2), `interleaved` pairs (2i, 2i+1). Default `half`. */
  layout?: 'half' | 'interleaved';
  /**
   * Radians per position, one for each of the rotaryDim/2 pairs, instead of those made from `base`;
   * each from −1e6 to 1e6. Their number gives `rotaryDim` when that is not given.
   */
  frequencies?: readonly number[] | Float64Array;
  /** What cosines and sines are multiplied by, 1e-6 … 1e6. Default 1. */
  attentionFactor?: number;
  /** The first dimension that turns; those before it pass (the rope part of MLA is the last). 0 … 4094. Default 0. */
  offset?: number;
  /**
   * Keys and values are one vector: attention turns values too and turns its output back by the
   * query's position (DeepSeek-V4). Default false.
   */
  turnsOutputBack?: boolean;
  /**
   * Precision in which angles are formed: `float64` is exact to 2^24 and beyond, `float32` gives the
   * tables of Hugging Face. Default `float64`.
   */
  angles?: 'float64' | 'float32';
}

/** `rope` with a context-extension rule that makes its frequency table. */
export interface ScaledRopeOptions extends RopeOptions {
  /** Default: none. */
  scaling?: ScalingOptions;
  /**
   * Tokens of the sequence at hand, not of the allocated cache: `dynamic` and `longrope` depend on it.
   * 1 … 2^30. Default: not longer than the trained length.
   */
  length?: number;
}

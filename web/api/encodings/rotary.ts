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

/** Sun 2022, “A Length-Extrapolatable Transformer”: RoPE whose products decay. For causal attention. */
export interface XposOptions {
  /** Width of one head. 2 … 4096. */
  headDim: number;
  /** Leading dimensions that turn, even, at most `headDim`. 2 … 4096. Default: all (less one when odd). */
  rotaryDim?: number;
  /** Wavelengths grow from 2π towards 2π·base. 1 … 1e12. Default 10000. */
  base?: number;
  /** `half` pairs (i, i + rotaryDim/2), `interleaved` pairs (2i, 2i+1). Default `interleaved`. */
  layout?: 'half' | 'interleaved';
  /** Unit B of the distance in the decay `ζ^(distance / B)`. 1 … 1e12. Default 512. */
  scaleBase?: number;
  /**
   * Position where the factors are 1, the same for queries and keys. Positions so far from it that a
   * factor would leave float32 are refused. −2^30 … 2^30. Default 0.
   */
  centre?: number;
  /** γ in ζ_i = (2i/rotaryDim + γ) / (1 + γ); the larger, the closer the decays. 0.001 … 1000. Default 0.4. */
  gamma?: number;
}

/**
 * Chen 2024, “HoPE: A Novel Positional Encoding Without Long-Term Decay for Enhanced Context
 * Awareness and Extrapolation”: slow pairs stand still.
 */
export interface HopeOptions {
  /** Width of one head. 2 … 4096. */
  headDim: number;
  /** Leading dimensions in pairs, even, at most `headDim`. 2 … 4096. Default: all (less one when odd). */
  rotaryDim?: number;
  /** Wavelengths grow from 2π towards 2π·base. 1 … 1e12. Default 10000. */
  base?: number;
  /** `half` pairs (i, i + rotaryDim/2), `interleaved` pairs (2i, 2i+1). Default `half`. */
  layout?: 'half' | 'interleaved';
  /** Trained length L; pairs that turn less than a circle in it carry no position. 1 … 1073741824. */
  trainedLength: number;
}

/**
 * Liu 2025, “Beyond Real: Imaginary Extension of Rotary Position Embeddings for Long-Context LLMs”:
 * half of the query heads attend by the imaginary part of the product.
 */
export interface RopePpOptions {
  /** Width of one head. 2 … 4096. */
  headDim: number;
  /** Leading dimensions that turn, even, at most `headDim`. 2 … 4096. Default: all (less one when odd). */
  rotaryDim?: number;
  /** Wavelengths grow from 2π towards 2π·base. 1 … 1e12. Default 10000. */
  base?: number;
  /** `half` pairs (i, i + rotaryDim/2), `interleaved` pairs (2i, 2i+1). Default `half`. */
  layout?: 'half' | 'interleaved';
  /** Number of query heads, even. 2 … 4096. */
  heads: number;
  /** Imaginary heads are the odd ones, or the second half. Default `alternating`. */
  order?: 'alternating' | 'halves';
}

/**
 * RoPE whose distances change so that none is larger than in training; no training is needed. Keys and
 * queries are turned in two or three ways and the distance chooses, tile by tile. For causal attention.
 * Jin 2024, 2401.01325, section 3.2 (`self-extend`); Su 2023, kexue.fm/archives/9708 (`rerope`,
 * `leaky-rerope`); An 2024, 2402.17463, section 3 (`dual-chunk`). `selfExtend`, `reRope`, `leakyReRope`
 * and `dualChunk` are the same as position maps.
 */
export interface RopeRemappedOptions {
  /** Width of one head. 2 … 4096. */
  headDim: number;
  /** Leading dimensions that turn, even, at most `headDim`. 2 … 4096. Default: all (less one when odd). */
  rotaryDim?: number;
  /** Wavelengths grow from 2π towards 2π·base. 1 … 1e12. Default 10000. */
  base?: number;
  /** `half` pairs (i, i + rotaryDim/2), `interleaved` pairs (2i, 2i+1). Default `half`. */
  layout?: 'half' | 'interleaved';
  /** Radians per position of each pair, instead of those made from `base`; −1e6 … 1e6. */
  frequencies?: readonly number[] | Float64Array;
  /** What cosines and sines are multiplied by, 1e-6 … 1e6. Default 1. */
  attentionFactor?: number;
  /** How distances change. Each method needs its own of the options below and takes no other. */
  method: 'self-extend' | 'rerope' | 'leaky-rerope' | 'dual-chunk';
  /** Distances below it stay (`self-extend`, `rerope`, `leaky-rerope`). 1 … 1073741824. */
  window?: number;
  /** How many neighbours share a position further away (`self-extend`). 1 … 1073741824. */
  group?: number;
  /** How many times slower distances grow further away (`leaky-rerope`). 1 … 1e9. */
  factor?: number;
  /** Length of a chunk, below the trained length (`dual-chunk`). 1 … 536870912. */
  chunk?: number;
  /** Largest position of a query, from `chunk` to 2·chunk − 1 (`dual-chunk`). 1 … 1073741824. */
  farthest?: number;
}

/** Options of rotary encodings whose positions have several coordinates. */
import type { Data } from '../types.js';

/**
 * Heo 2024, “Rotary Position Embedding for Vision Transformer”: RoPE over the coordinates of images
 * and videos, a block of pairs per axis, or trained frequencies of all axes for every pair.
 */
export interface RopeNdOptions {
  /** Width of one head, at least 2 per axis. 2 … 4096. */
  headDim: number;
  /** Coordinates of a position. 1 … 8. Default 2. */
  axes?: number;
  /** Dimensions of each axis, `axes` even numbers, at most headDim in all. Default: equal parts. */
  axisDims?: readonly number[] | Float64Array;
  /** Wavelengths grow from 2π towards 2π·base. 1 … 1e12. Default 10000. */
  base?: number;
  /**
   * `half` pairs (i, i + rotaryDim/2), `interleaved` pairs (2i, 2i+1), `axis-half` pairs the halves of each
   * axis' equal part (Gemma 4's vision encoder, whose first axis is the column). Default `interleaved`.
   */
  layout?: 'half' | 'interleaved' | 'axis-half';
  /**
   * Frequencies: `power`, powers of base on each axis (DINOv3, FLUX); `shared`, those of one axis dealt
   * out to all (Pixtral); `linear`, an arithmetic sequence; `logarithmic`, a geometric one (timm).
   * Default `power`.
   */
  spectrum?: 'power' | 'shared' | 'linear' | 'logarithmic';
  /** Linear and logarithmic frequencies end at π·maxFrequency/2. 1 … 1e6. Default 10. */
  maxFrequency?: number;
  /**
   * Coordinate of index p on an axis of n: `index`, p; `endpoints`, −1 … 1; `centres`,
   * 2π·((2p + 1)/n − 1) (DINOv3); `reference`, (p + gridOffset)·referenceSize/n (timm). Default `index`.
   */
  coordinates?: 'index' | 'endpoints' | 'centres' | 'reference';
  /** Length of the grid on each axis, 1 … 2^30; needed unless coordinates are indices. */
  sizes?: readonly number[] | Float64Array;
  /** Length of the reference grid on each axis, 1 … 2^30; needed for `reference`. */
  referenceSizes?: readonly number[] | Float64Array;
  /** Added to indices of a reference grid. −1e6 … 1e6. Default 0. */
  gridOffset?: number;
  /** Heads in `mixed`; 1 = shared by all. 1 … 4096. Default 1. */
  heads?: number;
  /** Trained frequencies `[axes, heads, pairs]` (“RoPE-Mixed”) instead of blocks per axis. */
  mixed?: Data;
}

/**
 * Wang 2024, “Qwen2-VL: Enhancing Vision-Language Model's Perception of the World at Any
 * Resolution”, section 2.1: RoPE over (time, height, width). `mropePositions()` makes the positions.
 * With `axes: 1` a token's single coordinate stands on every axis, as that of text does.
 */
export interface MropeEncodingOptions {
  /** Width of one head. 2 … 4096. */
  headDim: number;
  /** Leading dimensions that turn, even, at most `headDim`. 2 … 4096. Default: all (less one when odd). */
  rotaryDim?: number;
  /** Wavelengths grow from 2π towards 2π·base. 1 … 1e12. Default 10000. */
  base?: number;
  /** `half` pairs (i, i + rotaryDim/2), `interleaved` pairs (2i, 2i+1). Default `half`. */
  layout?: 'half' | 'interleaved';
  /** Pairs of each axis, rotaryDim/2 in all; 1 to 8 axes, each 0 … 2048. */
  sections: readonly number[] | Float64Array;
  /**
   * `chunked`: pairs of an axis in one stretch (Qwen2-VL); `interleaved`: dealt out in turn (Qwen3-VL).
   * Default `chunked`.
   */
  order?: 'chunked' | 'interleaved';
  /** Radians per position of each pair, rotaryDim/2 numbers of −1e6 … 1e6, instead of those made from `base`. */
  frequencies?: readonly number[] | Float64Array;
  /** What cosines and sines are multiplied by. 1e-6 … 1e6. Default 1. */
  attentionFactor?: number;
}

/**
 * Names and options of the encodings, written by hand. `tests/api/registry.test.ts` compares them with
 * the registry inside the module.
 */

import type { ScalingOptions } from './scaling/types.js';

/** Names of the encodings in the registry. */
export type EncodingName = 'nope' | 'sinusoidal' | 'rope' | 'alibi';

export interface SinusoidalOptions {
  /** Width of a row; odd widths are allowed. 1 … 65536. */
  width: number;
  /** Wavelengths grow from 2π to 2π·base. Default 10000. */
  base?: number;
  /** `interleaved`: sin, cos, sin, cos …; `halves`: all first functions, then all second. Default `interleaved`. */
  layout?: 'interleaved' | 'halves';
  /**
   * Exponent of frequency i is `i / (width/2)` (the paper) or `i / (width/2 - 1)` (tensor2tensor,
   * fairseq, Whisper). Default `d/2`.
   */
  denominator?: 'd/2' | 'd/2-1';
  /** Which function comes first. Default `sin-cos`. */
  order?: 'sin-cos' | 'cos-sin';
}

export interface RopeOptions {
  /** Width of one head. 2 … 4096. */
  headDim: number;
  /** Leading dimensions that turn, even, at most `headDim`. Default: all (`headDim`, less one when odd). */
  rotaryDim?: number;
  /** Default 10000. */
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
}

export interface AlibiOptions {
  /** Number of heads, any. 1 … 4096. */
  heads: number;
}

/** Options of each encoding by name. */
export interface EncodingOptions {
  nope: { readonly [name: string]: never };
  sinusoidal: SinusoidalOptions;
  rope: RopeOptions;
  alibi: AlibiOptions;
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

/** What `encoding()` takes by name. */
export type EncodingInput<Name extends EncodingName> = Name extends 'rope'
  ? ScaledRopeOptions
  : EncodingOptions[Name];

/** Options as `encoding.options` has them: with defaults; arrays that were not given are left out. */
export type FilledOptions<Options> = {
  readonly [
    Name in keyof Options as Exclude<Options[Name], undefined> extends object ? never : Name
  ]-?: Options[Name];
} & {
  readonly [
    Name in keyof Options as Exclude<Options[Name], undefined> extends object ? Name : never
  ]: Exclude<Options[Name], Float64Array>;
};

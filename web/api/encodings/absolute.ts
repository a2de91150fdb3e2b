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
}

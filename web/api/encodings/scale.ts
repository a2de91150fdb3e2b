/** Options of encodings that multiply the query by a factor of its position. */
import type { Data } from '../types.js';

/**
 * Su 2021, “On the Scale Operation of Attention From the Perspective of Entropy Invariance”
 * (kexue.fm/archives/8823): a query that sees n keys is multiplied by max(1, ln n / ln L).
 */
export interface LogNOptions {
  /** Trained length L, up to which the factor is 1. 2 … 1073741824. */
  trainedLength: number;
}

/** Nakanishi 2025, “Scalable-Softmax Is Superior for Attention”: the factor is s·ln n + b. */
export interface SsmaxOptions {
  /** Number of heads. 1 … 4096. */
  heads: number;
  /** The trained s of each head, `[heads]`. Default: ones. */
  strengths?: Data;
  /** The trained b of each head, `[heads]`. Default: zeros. */
  biases?: Data;
}

/** Meta 2025, code of Llama 4 (also Ministral 3): the factor is 1 + a·ln(⌊(m + o)/F⌋ + 1) at position m. */
export interface Llama4TemperatureOptions {
  /** a, what the logarithm is multiplied by. 0 … 100. Default 0.1. */
  scale?: number;
  /** F, positions per step. 1 … 2^30. Default 8192. */
  floorScale?: number;
  /** o, added to the position: 1 in Llama 4, 0 in Ministral 3. 0 … 1. Default 1. */
  offset?: number;
}

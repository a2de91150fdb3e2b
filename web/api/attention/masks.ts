/** What `attention` takes to say who may see whom, and how much. */
import type { Data } from '../types.js';

/** true or 1, false or 0: one per token `[tokens]`, or per batch entry and token `[batch, tokens]`. */
export type Flags = readonly boolean[] | readonly number[] | Uint8Array;

/** A window that reaches differently far to both sides: distances that are kept. */
export interface WindowSides {
  /** Keys up to this far before the query, 0 … 2^31. Default: all. */
  readonly before?: number;
  /** Keys up to this far after it, 0 … 2^31. Default: all. */
  readonly after?: number;
}

/**
 * Masks of `attention`. A key is visible when nothing that is given hides it; what is hidden never
 * leaks, be it NaN or infinity, and a row that sees nothing gives 0. Causality, windows, chunks and
 * sinks go by positions, not by where tokens stand in the arrays.
 */
export interface AttentionMasks {
  /** Keys after the query are hidden. Default false. */
  causal?: boolean;
  /** Keeps keys with |query − key| < window: the token itself counts. Or its two sides apart. */
  window?: number | WindowSides;
  /** Keeps keys with the query's ⌊position/chunk⌋ (Llama 4). 1 … 2^30. */
  chunk?: number;
  /** Keys at positions below it stay in sight of windows and chunks (StreamingLLM). 0 … 2^30. Default 0. */
  sinks?: number;
  /** Keys that windows and chunks do not hide (Longformer). */
  globalKeys?: Flags;
  /** Queries from which windows and chunks hide nothing. */
  globalQueries?: Flags;
  /** Key padding: true = attend, false = padding. */
  keyMask?: Flags;
  /** Documents packed into one row: tokens see those with the same number. `[queries]` or `[batch, queries]`. */
  querySegments?: readonly number[] | Int32Array;
  /** The same of keys. Both are given, or none. */
  keySegments?: readonly number[] | Int32Array;
  /**
   * One value per pair. Booleans or bytes: true = visible. float32: added to the logit, −∞ hides; what
   * a whole row has in common changes nothing, however large.
   */
  mask?: Flags | Data;
  /**
   * Shape of `mask`: up to `[batch, heads, queries, keys]`; leading dimensions may be left out, and those
   * of 1 are shared. Default: the shape of a tensor, else `[queries, keys]` or all four by its length.
   */
  maskShape?: readonly number[];
  /** A logit per head that takes part in the softmax and has no value (gpt-oss). `[heads]`. */
  sinkLogits?: Data;
  /** What the scale of each head is multiplied by. `[heads]`. */
  headScales?: Data;
  /** What the scale of each query is multiplied by. `[queries]` or `[batch, queries]`. */
  queryScales?: Data;
}

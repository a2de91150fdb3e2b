/** What `pe.kvCache` takes and returns. */
import type { Flags } from '../attention/masks.js';
import type { AttentionResult, Data, Encoding, PositionOptions, Positions, Tap } from '../types.js';

/**
 * How positions of kept tokens go on after an eviction: `absolute` keeps each token's own, `slots`
 * counts inside the cache, 0, 1, 2 … (StreamingLLM), so that the newest token and its query stand
 * right behind the kept ones however long the text is.
 */
export type CachePositions = 'absolute' | 'slots';

/** Options of `pe.kvCache`. */
export interface KvCacheOptions extends PositionOptions {
  /** Layers, each with keys and values of its own. Default 1. */
  layers?: number;
  /** Independent sequences, each with a length of its own. Default 1. */
  batch?: number;
  /** Heads of keys and values; divides the heads of queries. */
  kvHeads: number;
  /** Width of one head of queries and keys. */
  headDim: number;
  /** Width of one head of values. Default `headDim`. */
  valueDim?: number;
  /**
   * Slots per layer and sequence: how many tokens there is room for, at least `window` + `sinks` with
   * a window. All memory is taken at once.
   */
  capacity: number;
  /**
   * As in `attention`, the same for all layers and calls; layers that differ take a cache per kind.
   * Encodings that act in `embed` alone may be named: they add nothing here, and make refusable what
   * would be wrong for them.
   */
  encoding?: Encoding | readonly Encoding[];
  /**
   * Keeps keys with |query − key| < window: the token itself counts. What no later query can see is
   * evicted when its room is needed. 1 … 2^29. Default: all.
   */
  window?: number;
  /** Keys at positions below it stay in sight of the window and in the cache. 0 … 2^30. Default 0. */
  sinks?: number;
  /** Default `absolute`. `slots` needs encodings that depend on distances alone. */
  positions?: CachePositions;
  /**
   * Whether keys wait `turned` (the faster decoding) or `raw`. Default `auto`: turned where that can be
   * right, which is not so with positions `slots`, with rules that depend on the length (dynamic NTK,
   * LongRoPE), and with rotations that do more than turn pairs.
   */
  store?: 'auto' | 'turned' | 'raw';
}

/** One layer of one sequence. */
export interface CachePlace {
  /** Default 0. */
  layer?: number;
  /** Default 0. */
  sequence?: number;
}

/** Which layers and sequences are meant. */
export interface CachePart {
  /** Default: every layer. */
  layer?: number;
  /** Default: every sequence. */
  sequence?: number;
}

/** Which positions are shifted, and where. */
export interface CacheShift extends CachePart {
  /** The first position that moves. Default: the lowest. */
  from?: number;
  /** The first position behind them that stays. Default: none. */
  to?: number;
}

/** What `cache.append` takes: new tokens of every sequence, or of one. */
export interface CacheTokens {
  /** `[batch, kvHeads, tokens, headDim]`; `batch` is 1 where `sequence` is given. */
  key: Data;
  /** `[batch, kvHeads, tokens, valueDim]` */
  value: Data;
  /**
   * Where the tokens stand. Default: each sequence goes on where it is, and only real tokens count.
   * With positions `slots` they are not given.
   */
  positions?: Positions;
  /** true = a token, false = padding, which is not stored. Default: all are tokens. */
  keyMask?: Flags;
  /** The only sequence that gets tokens. Default: all do. */
  sequence?: number;
}

/** What `cache.attend` takes: new tokens with their queries, and numbers as in `attention`. */
export interface CacheQueries<Output extends Data = Data> extends CacheTokens {
  /** `[batch, heads, tokens, headDim]`. Queries of padding give 0. */
  query: Data;
  /** Whether a token sees only what stands at or before it. Default true. */
  causal?: boolean;
  /** c·tanh(score / c), c > 0. */
  softcap?: number;
  /** As in `attention`. */
  scale?: number;
  /** A logit per head that takes part in the softmax and has no value (gpt-oss). `[heads]`. */
  sinkLogits?: Data;
  /** What the scale of each head is multiplied by. `[heads]`. */
  headScales?: Data;
  /** What the scale of each query is multiplied by. `[tokens]` or `[batch, tokens]`. */
  queryScales?: Data;
  /**
   * Intermediate values to return, as in `attention`; their keys are the slots after the call, as many
   * as the longest sequence has.
   */
  return?: readonly Tap[];
  /** Where the output goes, `[batch, heads, tokens, valueDim]`. Default: a new array. */
  out?: Output;
}

/**
 * Keys and values of the tokens so far, in the module's memory. `using` disposes it.
 *
 * Prefill in one call, token by token, in chunks, padded and in a batch with others give the same
 * numbers. A **slot** says where a token is stored, 0 … `length` − 1 in the order of arrival; a
 * **position** says where it stands in its sequence. No method takes one for the other.
 *
 * A call that throws leaves the cache as it was.
 */
export interface KvCache extends Disposable {
  /** As in {@link KvCacheOptions}. */
  readonly layers: number;
  /** As in {@link KvCacheOptions}. */
  readonly batch: number;
  /** As in {@link KvCacheOptions}. */
  readonly kvHeads: number;
  /** As in {@link KvCacheOptions}. */
  readonly headDim: number;
  /** As in {@link KvCacheOptions}. */
  readonly valueDim: number;
  /** As in {@link KvCacheOptions}. */
  readonly capacity: number;
  /** How keys wait: see {@link KvCacheOptions}. */
  readonly store: 'turned' | 'raw';
  /** Memory that it holds, in bytes. */
  readonly bytes: number;
  /** Whether `dispose()` was called; all else then throws. */
  readonly disposed: boolean;
  /** Stores new tokens of a layer and lets their queries attend to all that is stored: prefill, chunk and decoding alike. */
  attend<Output extends Data = Float32Array>(
    layer: number,
    inputs: CacheQueries<Output>,
  ): AttentionResult<NoInfer<Output>>;
  /** Stores new tokens of a layer. */
  append(layer: number, tokens: CacheTokens): void;
  /** How many slots are taken. */
  length(place?: CachePlace): number;
  /** Where the next token stands if nothing else is said: behind the farthest so far. */
  next(place?: CachePlace): number;
  /** The position of the token in each slot, `[length]`, or `[length, axes]`. */
  positions(place?: CachePlace): Int32Array;
  /** Removes tokens by their slots. Later tokens move up; with positions `slots` they are numbered anew. */
  evict(slots: readonly number[] | Int32Array, part?: CachePart): void;
  /**
   * Keeps the first `length` slots at most; the next token stands where the first that goes stood
   * (speculative decoding). Refused where the window has evicted what that token would see.
   */
  truncate(length: number, part?: CachePart): void;
  /**
   * Moves tokens by `delta` positions, those at `from` … `to` − 1, exactly: turned keys are turned anew.
   * Refused where the result would not be what the tokens had been at their new positions: positions
   * of several axes, positions that are slots, encodings that depend on more than distances.
   */
  shift(delta: number, options?: CacheShift): void;
  /** Makes the sequence `to` a copy of `from` in all layers (beam search, a prompt shared by several). */
  copySequence(from: number, to: number): void;
  /** Empties sequences in all layers. Default: all. */
  clear(options?: { sequence?: number }): void;
  /** A cache of its own with the same content. Whoever makes it disposes it. */
  fork(): KvCache;
  /** All content as bytes, for `restore`. */
  save(): Uint8Array;
  /** Takes the content of a cache with the same sizes, window, sinks and store, and of the same rotation where keys wait turned. */
  restore(bytes: Uint8Array): void;
  /** Frees the memory; calling it again does nothing. */
  dispose(): void;
}

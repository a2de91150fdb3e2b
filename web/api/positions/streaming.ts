import { checkOptions, integer } from '../check.js';
import { maxPosition, partCount, tokenCount } from './limits.js';

/** Options of {@link streamingPositions}. */
export interface StreamingOptions {
  /** How many of the first tokens stay for good, 0 … 2^23 (StreamingLLM: 4). */
  sinks: number;
  /** How many of the last tokens stay, the newest included. 1 … 2^30; the cache holds at most 2^23. */
  recent: number;
  /** How many tokens there have been, the newest included. 1 … 2^30 */
  tokens: number;
}

/** What {@link streamingPositions} returns, `[kept tokens]` each. */
export interface StreamingCache {
  /** Which tokens are in the cache, by their place in the text. */
  readonly kept: Int32Array;
  /** Where they stand: inside the cache, 0, 1, 2 … The last one is the newest token's, and its query's. */
  readonly positions: Int32Array;
}

/**
 * StreamingLLM (Xiao 2023, 2309.17453, section 3.2): attention keeps the first tokens and the last
 * ones, and positions count inside the cache, not in the text. Keys must be cached before they are
 * turned, and turned anew at `positions` in every step; keys that were turned at their place in the
 * text are at the wrong distance.
 */
export function streamingPositions(options: StreamingOptions): StreamingCache {
  const given = checkOptions(options, ['sinks', 'recent', 'tokens'], 'streamingPositions');
  const sinks = partCount(given.sinks, 'sinks');
  const recent = integer(given.recent, 'recent', 1, maxPosition);
  const tokens = integer(given.tokens, 'tokens', 1, maxPosition);
  const room = tokenCount(Math.min(tokens, sinks + recent), 'sinks + recent');
  const evicted = tokens - room;
  const positions = Int32Array.from({ length: room }, (_, i) => i);
  const kept = positions.map((i) => (i < sinks ? i : i + evicted));
  return { kept, positions };
}

import type { Engine } from '../engine.js';
import type { CacheEncodings } from './encodings.js';
import type { CacheSetup } from './setup.js';

/** A cache that was not disposed: its checked options, and the module's handle. */
export interface LiveCache {
  readonly engine: Engine;
  readonly setup: CacheSetup;
  readonly encodings: CacheEncodings;
  readonly handle: number;
}

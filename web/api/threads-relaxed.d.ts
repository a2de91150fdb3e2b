import type { Chunk } from './start.js';
import type { ThreadKernels } from './thread-pool.js';

/** The chunk that the build generates beside `dist/index.js`: the `relaxed` module with threads. */
export const createModule: Chunk<ThreadKernels>['createModule'];
export const bytes: Chunk['bytes'];
export const version: Chunk['version'];

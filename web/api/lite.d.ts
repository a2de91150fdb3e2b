import type { Chunk } from './start.js';

/** The chunk that the build generates beside `dist/index.js`: the `lite` module with its glue. */
export const createModule: Chunk['createModule'];
export const bytes: Chunk['bytes'];
export const version: Chunk['version'];

import type { ContextOptions } from './types.js';

/** Options that swap positions. */
export const contextKeys = ['capacity', 'scaling', 'encoding', 'window', 'sinks', 'positions'];

/** Those of them that were given. */
export const contextOptions = (given: object): ContextOptions =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([key, value]) => contextKeys.includes(key) && value !== undefined,
    ),
  );

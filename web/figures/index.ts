/** All figures: their names in `<Figure id="…" />`, their keys in links, and how to fetch them. */
import type { Schema } from './frame-state.js';
import type { Figure } from './frame-types.js';

/** A figure that has not been fetched yet. */
export interface FigureEntry {
  /** Name in the URL hash, and id of the element; the same as `key` in the module. */
  readonly key: string;
  load(): Promise<Figure<Schema>>;
}

// A figure of one schema is used here only through `parse`, `serialize` and `mount`, which fit each other.
const entry = (key: string, load: () => Promise<{ default: unknown }>): FigureEntry => ({
  key,
  load: async () => (await load()).default as Figure<Schema>,
});

export const figures = {
  shuffle: entry('f1', () => import('./shuffle.js')),
  clocks: entry('f3', () => import('./clocks.js')),
  'two-hands': entry('f10', () => import('./two-hands.js')),
} as const;

export type FigureId = keyof typeof figures;

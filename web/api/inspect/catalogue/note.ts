import type { NoteLevel } from '../plan.js';

/** A note before its numbers are filled in. */
export interface Template<P> {
  readonly level: NoteLevel;
  readonly en: (given: P) => string;
  readonly zh: (given: P) => string;
}

export const note = <P>(
  level: NoteLevel,
  en: (given: P) => string,
  zh: (given: P) => string,
): Template<P> => ({ level, en, zh });

export type Type = { type: string };
export type Length = { length: number };

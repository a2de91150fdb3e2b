import { catalogue } from './catalogue.js';
import type { NoteCode, NoteDetails } from './catalogue.js';
import type { Note } from './plan.js';

/** Collects the remarks of one inspection; the same remark is kept once. */
export class Notes {
  private readonly notes = new Map<string, Note>();

  add<Code extends NoteCode>(
    code: Code,
    fields: readonly string[],
    details: NoteDetails<Code>,
  ): void {
    const template = catalogue[code] as {
      readonly level: Note['level'];
      readonly en: (details: NoteDetails<Code>) => string;
      readonly zh: (details: NoteDetails<Code>) => string;
    };
    const { level, en, zh } = template;
    const note: Note = { code, level, fields: [...fields], zh: zh(details), en: en(details) };
    this.notes.set(`${code} ${note.en}`, note);
  }

  /** Notes of level `info`, in the order they came. */
  get assumptions(): Note[] {
    return [...this.notes.values()].filter(({ level }) => level === 'info');
  }

  /** The others, errors first. */
  get warnings(): Note[] {
    const notes = [...this.notes.values()];
    return ['error', 'warning'].flatMap((wanted) => notes.filter(({ level }) => level === wanted));
  }
}

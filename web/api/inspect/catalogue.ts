import { encodings } from './catalogue/encodings.js';
import { layers } from './catalogue/layers.js';
import { length } from './catalogue/length.js';
import { reading } from './catalogue/reading.js';
import { rope } from './catalogue/rope.js';
import { scaling } from './catalogue/scaling.js';
import { shape } from './catalogue/shape.js';

/** Every remark that `inspect` can make, by code. */
export const catalogue = {
  ...reading,
  ...shape,
  ...rope,
  ...scaling,
  ...layers,
  ...encodings,
  ...length,
};

/** Codes of all notes. */
export type NoteCode = keyof typeof catalogue;

/** What the note of this code has to be given. */
export type NoteDetails<Code extends NoteCode> = Parameters<(typeof catalogue)[Code]['en']>[0];

/** The text that ways are compared on, and mistakes made on. */
import type { ModelFacts } from '../../small/protocol.js';
import { lessons } from '../../small/texts.js';
import type { Language } from '../chapters.js';

/** How far beyond the trained length a text goes, and how long it is without one. */
const TIMES = 4;
const USUAL = 1500;

/** What a model is given to read: its lesson, well past the trained length. */
export function textFor({ lesson, trainedLength }: ModelFacts, lang: Language): string {
  const characters = [...lessons[lesson ?? lang]];
  const most = lesson === null ? USUAL : TIMES * (trainedLength ?? USUAL);
  return characters.slice(0, most).join('');
}

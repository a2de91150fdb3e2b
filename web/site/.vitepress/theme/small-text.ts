/** The text that ways are compared on, and mistakes made on. */
import type { ModelFacts } from '../../small/protocol.js';

/** How far beyond the trained length a text goes, and how long it is without one. */
const TIMES = 4;
const USUAL = 1500;

/** What a model is given to read: where ids are characters, not far past the trained length. */
export function textFor({ prompt, trainedLength, reading }: ModelFacts): string {
  const most = prompt === null ? USUAL : TIMES * (trainedLength ?? USUAL);
  return [...reading].slice(0, most).join('');
}

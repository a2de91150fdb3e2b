import type { DrawContext } from './frame-types.js';
import { formatNumber, pickWords } from './frame-words.js';

/** Below this width a picture uses its narrow arrangement. */
const NARROW = 520;

/** The context of `draw`: on the page, in tests and for static pictures. */
export function drawContext(options: Pick<DrawContext, 'posenc' | 'lang' | 'width'>): DrawContext {
  const { lang, width } = options;
  return {
    ...options,
    narrow: width < NARROW,
    number: formatNumber,
    pick: (words) => pickWords(words, lang),
  };
}

/** Text for models whose ids are characters or symbols: what they can read, and how it becomes ids. */
import type { Language } from '../.vitepress/chapters.js';
import { PageFault } from './failures.js';
import { lessons } from './texts.js';

/** Which share of a lesson must be known for the rest of it to be worth reading. */
const ENOUGH = 0.8;
/** Symbols of a text that is made up. */
const MADE_UP = 400;
/** Marks of the lab's tasks, which mean more than themselves. */
const marks = ['^', '=', '$'];

/** A text that a model can read: a lesson, what it knows of one, or its own symbols in some order. */
export function readingOf(symbols: readonly string[] | null, lang: Language): string {
  if (symbols === null) return lessons[lang];
  const known = new Set(symbols);
  const languages: readonly Language[] = lang === 'zh' ? ['zh', 'en'] : ['en', 'zh'];
  for (const language of languages) {
    const all = [...lessons[language]];
    const read = all.filter((character) => known.has(character));
    if (read.length >= ENOUGH * all.length) return read.join('');
  }
  const own = symbols.filter((symbol) => !marks.includes(symbol));
  const some = Array.from({ length: MADE_UP }, (_, i) => own[(i * i + 3 * i) % own.length]!);
  return (known.has('^') ? '^' : '') + some.join('');
}

/** Ids of a text of symbols, the longest first; blanks between them mean nothing. */
export function encodeSymbols(symbols: readonly string[], text: string): Int32Array {
  const longest = Math.max(...symbols.map((symbol) => symbol.length));
  const ids: number[] = [];
  let at = 0;
  while (at < text.length) {
    let length = Math.min(longest, text.length - at);
    let id = -1;
    for (; length > 0 && id < 0; length--) id = symbols.indexOf(text.slice(at, at + length));
    if (id >= 0) {
      ids.push(id);
      at += symbols[id]!.length;
    } else if (/\s/.test(text[at]!)) at++;
    else throw new PageFault('alphabet', JSON.stringify(text[at]));
  }
  return Int32Array.from(ids);
}

/**
 * Cuts a sentence into tokens without a dictionary, the same way on every machine: a character each
 * where a script is written without spaces (Chinese, Japanese, Thai …), a word each where it is
 * written with spaces, and punctuation and emoji on their own. Characters are graphemes (UAX #29),
 * so a family emoji or a letter with its accents is never torn apart.
 */

/** Most tokens a figure draws: each one is a row and a column. */
export const maxTokens = 24;

/** Scripts whose words are not set apart by spaces: one token a grapheme. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** What words are made of, apostrophes and hyphens inside them included. */
const wordPart = /^[\p{L}\p{N}\p{M}]/u;
const joiner = /^['’\-_]$/u;

/** Something a reader can see: neither blank nor a control or format character. */
const visible = /[^\s\p{Cc}\p{Cf}]/u;

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** What {@link tokenize} made of a sentence. */
export interface Tokens {
  /** At most {@link maxTokens} tokens, none empty or blank. */
  readonly tokens: readonly string[];
  /** How many tokens were left out because the sentence is too long. */
  readonly dropped: number;
}

/** Cuts `sentence` (any string) into tokens; blanks separate and are dropped. */
export function tokenize(sentence: string): Tokens {
  const tokens: string[] = [];
  let word = '';
  const flush = () => {
    if (word) tokens.push(word);
    word = '';
  };
  const parts = [...graphemes.segment(sentence.normalize('NFC'))].map((part) => part.segment);
  parts.forEach((part, i) => {
    const insideWord = word !== '' && joiner.test(part) && joinsOn(parts[i + 1]);
    if (isWordPart(part) || insideWord) {
      word += part;
      return;
    }
    flush();
    if (visible.test(part)) tokens.push(part);
  });
  flush();
  return { tokens: tokens.slice(0, maxTokens), dropped: Math.max(0, tokens.length - maxTokens) };
}

/** Joins tokens into a readable sentence that {@link tokenize} cuts into the same tokens again. */
export function joinTokens(tokens: readonly string[]): string {
  let sentence = '';
  tokens.forEach((token, i) => {
    const before = tokens[i - 1];
    const touching = before !== undefined && isWordPart(before.at(-1) ?? '') && isWordPart(token);
    sentence += touching ? ` ${token}` : token;
  });
  return sentence;
}

function isWordPart(grapheme: string): boolean {
  return wordPart.test(grapheme) && !unspaced.test(grapheme);
}

function joinsOn(grapheme: string | undefined): boolean {
  return grapheme !== undefined && isWordPart(grapheme);
}

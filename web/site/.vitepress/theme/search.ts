/** Search in the sections of the site. Chinese has no spaces, so its text is compared by pairs of characters. */
import type { Section } from '../search-sections.js';

export interface Hit {
  readonly section: Section;
  /** Text around the first match: before, match, after. */
  readonly excerpt: readonly [string, string, string];
}

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu;
const WORD = /[\p{L}\p{N}]+/gu;
const TITLE_WEIGHT = 8;
/** The book and the encodings, which are in the reader's language, come before the API. */
const API_WEIGHT = 0.25;
const MAX_HITS = 30;
const EXCERPT_REACH = 42;

/** Terms of a query: words as they are, runs of Chinese as overlapping pairs (`旋转编码` → 旋转 转编 编码). */
export function terms(query: string): string[] {
  const found = new Set<string>();
  const lower = query.normalize('NFKC').toLowerCase();
  const rest = lower.replace(CJK, (run) => {
    const characters = Array.from(run);
    if (characters.length === 1) found.add(run);
    for (let i = 0; i + 1 < characters.length; i++) found.add(characters[i]! + characters[i + 1]!);
    return ' ';
  });
  for (const [word] of rest.matchAll(WORD)) found.add(word);
  return [...found];
}

/**
 * Sections that contain every term (where none does: most terms), best first: matches in headings
 * count most, then how many there are.
 */
export function search(sections: readonly Section[], query: string): Hit[] {
  const wanted = terms(query);
  if (wanted.length === 0) return [];
  const scored = sections.map((section) => ({ section, ...rate(section, wanted, query) }));
  const best = Math.max(...scored.map(({ matched }) => matched));
  return scored
    .filter(({ matched }) => matched === best && matched > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_HITS)
    .map(({ section }) => ({
      section,
      excerpt: excerptOf(section.text, [query.trim(), ...wanted]),
    }));
}

/** How many terms a section has, and how prominently. */
function rate(section: Section, wanted: readonly string[], query: string) {
  const title = `${section.page} ${section.heading}`.toLowerCase();
  const text = section.text.toLowerCase();
  let [matched, score] = [0, 0];
  for (const term of wanted) {
    const [inTitle, inText] = [count(title, term), count(text, term)];
    if (inTitle + inText > 0) matched += 1;
    score += TITLE_WEIGHT * inTitle + Math.log2(1 + inText);
  }
  // The words together are worth more than the words apart.
  if (text.includes(query.trim().toLowerCase())) score += TITLE_WEIGHT / 2;
  return { matched, score: /\/api[./]/.test(section.url) ? API_WEIGHT * score : score };
}

function count(text: string, term: string): number {
  let found = 0;
  for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + term.length)) found++;
  return found;
}

function excerptOf(text: string, candidates: readonly string[]): [string, string, string] {
  const lower = text.toLowerCase();
  for (const candidate of candidates) {
    const at = lower.indexOf(candidate.toLowerCase());
    if (at < 0) continue;
    const end = at + candidate.length;
    const start = Math.max(0, at - EXCERPT_REACH);
    const before = (start > 0 ? '…' : '') + text.slice(start, at);
    return [before, text.slice(at, end), text.slice(end, end + 2 * EXCERPT_REACH)];
  }
  return ['', '', text.slice(0, 3 * EXCERPT_REACH)];
}

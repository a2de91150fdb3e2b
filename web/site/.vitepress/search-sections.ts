/** Cuts rendered pages into sections for the search: one per heading. */
import { FORMULA_END } from './formulas.js';

export interface Section {
  readonly url: string;
  readonly page: string;
  /** Empty for the text before the first `h2`. */
  readonly heading: string;
  readonly text: string;
}

interface RenderedPage {
  readonly url: string;
  readonly html?: string | undefined;
  readonly frontmatter: { readonly title?: string };
}

const HEADING = /<h([23]) id="([^"]*)"[^>]*>(.*?)<a class="header-anchor".*?<\/a><\/h\1>/gs;

/** Sections of one language's pages, in the order of the pages. */
export function sectionsOf(pages: readonly RenderedPage[]): Section[] {
  return pages.flatMap(({ url: source, html = '', frontmatter }) => {
    const url = source.replace(/^\/generated/, '');
    const page = frontmatter.title ?? '';
    const starts = [...html.matchAll(HEADING)];
    const cut = (from: number, to?: number) => plainText(html.slice(from, to));
    const first = { url, page, heading: '', text: cut(0, starts[0]?.index) };
    const rest = starts.map((match, i) => ({
      url: `${url}#${match[2]}`,
      page,
      heading: plainText(match[3]!),
      text: cut(match.index + match[0].length, starts[i + 1]?.index),
    }));
    return [first, ...rest];
  });
}

const FORMULA = new RegExp(`<(span|div) class="formula.*?${FORMULA_END}`, 'gs');

/** Text as a reader sees it: no buttons, formulas only where they are part of a sentence. */
function plainText(html: string): string {
  return html
    .replace(FORMULA, (formula, tag: string) => (tag === 'div' ? ' ' : mathText(formula)))
    .replace(/<(h1|button|style|script)\b.*?<\/\1>/gs, ' ')
    .replace(/<\/?(a|strong|em|code|data|span)\b[^>]*>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(#x?\w+|\w+);/g, (entity) => ENTITIES[entity] ?? ' ')
    .replace(/[\s\u200b]+/g, ' ')
    .trim();
}

/** The characters of a formula, from its MathML. */
function mathText(formula: string): string {
  const presentation = /<math[^>]*>(.*?)<annotation/s.exec(formula)?.[1] ?? '';
  return presentation.replace(/<[^>]+>/g, '');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
};

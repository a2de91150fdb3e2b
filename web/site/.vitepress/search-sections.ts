/** Cuts rendered pages into sections for the search: one per heading. */

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
  return pages.flatMap(({ url, html = '', frontmatter }) => {
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

/** Text as a reader sees it: no code buttons, no second copy of formulas. */
function plainText(html: string): string {
  return html
    .replace(/<(h1|button|style|script)\b.*?<\/\1>/gs, ' ')
    .replace(/<span class="katex-mathml">.*?<\/math><\/span>/gs, ' ')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(#x?\w+|\w+);/g, (entity) => ENTITIES[entity] ?? ' ')
    .replace(/[\s\u200b]+/g, ' ')
    .trim();
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
};

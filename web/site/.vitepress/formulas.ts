/**
 * Formulas, `$…$` inline and `$$` on its own lines, set by KaTeX while the page is built.
 * `\htmlData{sym=q}{…}` links a symbol with the marks of the same name in figures.
 */
import katex from 'katex';

interface State {
  readonly src: string;
  pos: number;
  readonly posMax: number;
  push(type: string, tag: string, nesting: 0): { content: string; markup: string };
}
interface BlockState {
  readonly src: string;
  readonly bMarks: readonly number[];
  readonly tShift: readonly number[];
  readonly eMarks: readonly number[];
  line: number;
  getLines(begin: number, end: number, indent: number, keepLast: boolean): string;
  push(type: string, tag: string, nesting: 0): { content: string; map: [number, number] | null };
}
interface Ruler {
  after(neighbour: string, name: string, rule: unknown, options?: { alt: string[] }): void;
}
interface Markdown {
  readonly inline: { readonly ruler: Ruler };
  readonly block: { readonly ruler: Ruler };
  readonly renderer: { readonly rules: Record<string, unknown> };
}

/** Stands after every formula, so that the search can skip what KaTeX made; pages drop comments. */
export const FORMULA_END = '<!--formula-->';

/** Registers both kinds of formula. */
export function formulas(md: Markdown): void {
  md.inline.ruler.after('escape', 'formula', inlineRule);
  md.block.ruler.after('blockquote', 'formula_block', blockRule, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
  md.renderer.rules.formula = (tokens: readonly { content: string }[], i: number) =>
    `<span class="formula" v-pre>${render(tokens[i]!.content.slice(1, -1), false)}</span>${FORMULA_END}`;
  md.renderer.rules.formula_block = (tokens: readonly { content: string }[], i: number) =>
    `<div class="formula-block" tabindex="0" v-pre>${render(tokens[i]!.content, true)}</div>${FORMULA_END}\n`;
}

function render(source: string, displayMode: boolean): string {
  return katex.renderToString(source, {
    displayMode,
    throwOnError: true,
    // Chinese words in \text are fine; \htmlData is the one extension that is used on purpose.
    strict: (code: string) =>
      code === 'unicodeTextInMathMode' || code === 'htmlExtension' ? 'ignore' : 'error',
    trust: ({ command }) => command === '\\htmlData',
  });
}

/** `$x$`: no space inside next to the dollars, no digit after the closing one. */
function inlineRule(state: State, silent: boolean): boolean {
  const { src, pos } = state;
  if (src[pos] !== '$' || /[\s$]/.test(src[pos + 1] ?? ' ')) return false;
  let end = pos + 1;
  while (end < state.posMax && src[end] !== '$') end += src[end] === '\\' ? 2 : 1;
  if (src[end] !== '$' || /\s/.test(src[end - 1]!) || /\d/.test(src[end + 1] ?? '')) return false;
  if (!silent) {
    const token = state.push('formula', 'math', 0);
    // With its dollars: VitePress reads a content that ends with braces as attributes and cuts them off.
    token.content = src.slice(pos, end + 1);
    token.markup = '$';
  }
  state.pos = end + 1;
  return true;
}

/** `$$`, lines, `$$`. */
function blockRule(state: BlockState, start: number, end: number, silent: boolean): boolean {
  const line = (n: number) =>
    state.src.slice(state.bMarks[n]! + state.tShift[n]!, state.eMarks[n]).trim();
  if (line(start) !== '$$') return false;
  let close = start + 1;
  while (close < end && line(close) !== '$$') close++;
  if (close === end) return false;
  if (silent) return true;
  const token = state.push('formula_block', 'math', 0);
  token.content = state.getLines(start + 1, close, state.tShift[start]!, false).trim();
  token.map = [start, close + 1];
  state.line = close + 1;
  return true;
}

/**
 * markdown-it plugin: a number in prose, `[0.970]{fact=similarity(128,1)}`, is computed by the built
 * kernels while the site is built. A wrong number stops the build.
 */
import { load, type Posenc } from 'posenc';
import { callOf, judge, looksLikeMark, readMark } from '../facts/check.js';
import { facts } from '../facts/index.js';
import type { FactTable } from '../facts/types.js';

/** The part of markdown-it's inline state that the plugin uses. */
interface InlineState {
  readonly src: string;
  pos: number;
  readonly env: { readonly relativePath?: string; readonly path?: string };
  push(type: string, tag: string, nesting: 0): { content: string; meta: unknown };
}

interface Renderable {
  readonly content: string;
  readonly meta: { readonly call: string; readonly value: number };
}

/** The part of markdown-it that the plugin uses. */
interface Markdown {
  readonly inline: {
    readonly ruler: {
      before(
        neighbour: string,
        name: string,
        rule: (state: never, silent: boolean) => boolean,
      ): void;
    };
  };
  readonly renderer: {
    readonly rules: Record<string, unknown>;
  };
}

/** Loads the kernels once; the result registers the rule with any number of markdown-it instances. */
export async function createFactPlugin(): Promise<(md: Markdown) => void> {
  // figures and facts use the build that gives the same bits on every machine
  return factPlugin(await load({ variant: 'simd' }), facts);
}

/** The plugin over a loaded module and a table of facts. */
export function factPlugin(pe: Posenc, table: FactTable): (md: Markdown) => void {
  const rule = (state: InlineState, silent: boolean): boolean => {
    const mark = readMark(state.src, state.pos);
    if (!mark) {
      looksLikeMark.lastIndex = state.pos;
      if (!looksLikeMark.test(state.src)) return false;
      throw new Error(
        `${pageOf(state)}: "${state.src.slice(state.pos, state.pos + 60)}" is no fact`,
      );
    }
    if (!silent) {
      const { fault, value } = judge(mark, table, pe);
      if (fault) throw new Error(`${pageOf(state)}: ${fault}`);
      const token = state.push('fact', 'data', 0);
      token.content = mark.printed;
      token.meta = { call: callOf(mark), value };
    }
    state.pos += mark.length;
    return true;
  };
  return (md) => {
    md.inline.ruler.before('link', 'fact', rule);
    md.renderer.rules.fact = render;
  };
}

function pageOf(state: InlineState): string {
  return state.env.relativePath ?? state.env.path ?? 'a page';
}

function render(
  tokens: readonly Renderable[],
  index: number,
  _options: unknown,
  env: InlineState['env'],
): string {
  const token = tokens[index];
  if (!token) return '';
  const { call, value } = token.meta;
  const short = String(Number(value.toPrecision(6)));
  const title = env.relativePath?.startsWith('en/')
    ? `Computed by the kernels: ${call} = ${short}`
    : `由内核算出：${call} = ${short}`;
  return `<data class="fact" value="${value}" title="${escape(title)}">${escape(token.content)}</data>`;
}

function escape(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

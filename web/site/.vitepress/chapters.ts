/** The book's pages in reading order; the place in the list is the position on the site's ruler. */
import type { FigureId } from '../../figures/index.js';

export type Language = 'zh' | 'en';
export type Text = Readonly<Record<Language, string>>;

export interface Chapter {
  /** File name in both languages, without `.md`. */
  readonly path: string;
  readonly title: Text;
  /** One line for cards. */
  readonly line: Text;
  readonly figure: FigureId;
}

export const chapters: readonly Chapter[] = [
  {
    path: 'shuffle',
    figure: 'shuffle',
    title: { zh: '打乱这句话', en: 'Shuffle the sentence' },
    line: {
      zh: '没有位置，注意力分不清谁吃了谁；可因果掩码又悄悄漏出了次序。',
      en: 'Without positions attention cannot tell who chased whom, and yet the causal mask leaks the order.',
    },
  },
  {
    path: 'clocks',
    figure: 'clocks',
    title: { zh: '一墙时钟', en: 'A wall of clocks' },
    line: {
      zh: '正弦编码像里程表：快的指针分辨邻居，慢的指针分辨章节。',
      en: 'Sinusoids work like an odometer: fast hands tell neighbours apart, slow hands tell chapters apart.',
    },
  },
  {
    path: 'two-hands',
    figure: 'two-hands',
    title: { zh: '两根指针', en: 'Two hands' },
    line: {
      zh: 'RoPE 把位置变成转角：一起转，夹角不变，分数也不变。',
      en: 'RoPE makes a position an angle: turn both, and neither the angle between nor the score moves.',
    },
  },
];

/** Pages beside the book. */
export const tools: readonly Omit<Chapter, 'figure'>[] = [
  {
    path: 'inspect',
    title: { zh: '位置体检', en: 'Inspect' },
    line: {
      zh: '贴上一个模型的 config.json，看它每一层怎样知道位置。',
      en: 'Paste the config.json of a model and see how each of its layers knows about position.',
    },
  },
];

/** Address of a page. */
export const pageUrl = (path: string, lang: Language): string =>
  `${lang === 'zh' ? '/' : '/en/'}${path === 'index' ? '' : `${path}.html`}`;

/** The same page in the other language. */
export function otherLanguage(relativePath: string): { lang: Language; path: string } {
  const isEnglish = relativePath.startsWith('en/');
  const path = relativePath.replace(/^en\//, '').replace(/\.md$/, '');
  return { lang: isEnglish ? 'zh' : 'en', path };
}

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

/** Pages beside the book; those of the API have pages of their own below them. */
export const tools: readonly Omit<Chapter, 'figure'>[] = [
  {
    path: 'inspect',
    title: { zh: '位置体检', en: 'Inspect' },
    line: {
      zh: '贴上一个模型的 config.json，看它每一层怎样知道位置。',
      en: 'Paste the config.json of a model and see how each of its layers knows about position.',
    },
  },
  {
    path: 'lab',
    title: { zh: '练短考长', en: 'Lab' },
    line: {
      zh: '在你的浏览器里训练小模型：练短的，考长的，看哪种编码掉下悬崖。',
      en: 'Train small models in your browser at short lengths, test them at longer ones, and see which encodings fall.',
    },
  },
  {
    path: 'model',
    title: { zh: '小模型', en: 'Small model' },
    line: {
      zh: '在网页里跑一个真模型：看它每个头看哪里，换掉位置看它坏不坏。',
      en: 'Run a real model in the page: see where each head looks, swap its positions, see what breaks.',
    },
  },
  {
    path: 'bench',
    title: { zh: '速度', en: 'Speed' },
    line: {
      zh: '跑到了机器极限的几成，比别的库快多少；也能在你的浏览器里测。',
      en: 'What share of the machine’s limit it reaches, and how others compare. Measure it here.',
    },
  },
  {
    path: 'encodings',
    title: { zh: '编码一览', en: 'Encodings' },
    line: {
      zh: '每一种编码的选项、默认值、范围、出处与使用它的模型。',
      en: 'Every encoding with its options, defaults, ranges, paper and models.',
    },
  },
  {
    path: 'api',
    title: { zh: 'API', en: 'API' },
    line: {
      zh: '每一个函数、类型与错误（英文）。',
      en: 'Every function, type and error of the package.',
    },
  },
];

/** Address of a page. */
export const pageUrl = (path: string, lang: Language): string =>
  `${lang === 'zh' ? '/' : '/en/'}${path === 'index' ? '' : `${path}.html`}`;

/** Which page of the lists above a file belongs to: `en/api/load.md` to `api`. */
export const pathOf = (relativePath: string): string =>
  relativePath.replace(/^en\//, '').replace(/(\.md|\/.*)$/, '');

/** The same page in the other language. */
export function otherLanguage(relativePath: string): { lang: Language; path: string } {
  return { lang: relativePath.startsWith('en/') ? 'zh' : 'en', path: pathOf(relativePath) };
}

/** The words of the site's own furniture. */
import { computed, type ComputedRef } from 'vue';
import { useData } from 'vitepress';
import type { Language } from '../chapters.js';

const words = {
  skip: { zh: '跳到正文', en: 'Skip to the text' },
  menu: { zh: '目录', en: 'Contents' },
  home: { zh: '首页', en: 'Home' },
  chapters: { zh: '章节', en: 'Chapters' },
  chapter: { zh: '第 {} 章', en: 'Chapter {}' },
  tools: { zh: '工具', en: 'Tools' },
  language: { zh: 'English', en: '中文' },
  search: { zh: '搜索', en: 'Search' },
  searchHint: { zh: '搜索：旋转、相对位置、掩码……', en: 'Search: rotation, frequency, mask …' },
  noResult: { zh: '没有找到“{}”', en: 'Nothing found for “{}”' },
  resultCount: { zh: '{} 条结果', en: '{} results' },
  close: { zh: '关闭', en: 'Close' },
  themeAuto: { zh: '外观：跟随系统', en: 'Theme: as the system' },
  themeLight: { zh: '外观：浅色', en: 'Theme: light' },
  themeDark: { zh: '外观：深色', en: 'Theme: dark' },
  previous: { zh: '上一章', en: 'Previous' },
  next: { zh: '下一章', en: 'Next' },
  read: { zh: '读这一章', en: 'Read the chapter' },
  footer: {
    zh: '图中的每一个数都由本页的 WebAssembly 内核当场算出；不收集任何数据。',
    en: 'Every number in a figure is computed on this page by the WebAssembly kernels. Nothing is collected.',
  },
} as const;

export type Word = keyof typeof words;

/** The page's language and its words; `{}` in a text is replaced by the second argument. */
export function useWords(): {
  lang: ComputedRef<Language>;
  t: (word: Word, value?: string | number) => string;
} {
  const { page } = useData();
  const lang = computed<Language>(() => (page.value.relativePath.startsWith('en/') ? 'en' : 'zh'));
  const t = (word: Word, value: string | number = '') =>
    words[word][lang.value].replace('{}', String(value));
  return { lang, t };
}

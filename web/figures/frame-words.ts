/** The words of the frame itself, and numbers as the figures print them. */
import type { Language, Words } from './frame-types.js';

/** The words of a language. */
export const pickWords = (words: Words, lang: Language): string =>
  typeof words === 'string' ? words : words[lang];

/** Fixed decimals with a true minus sign; −0 is 0. */
export function formatNumber(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '—' : value > 0 ? '∞' : '−∞';
  const written = value.toFixed(digits);
  return Number(written) === 0 ? written.replace('-', '') : written.replace('-', '−');
}

/** Buttons and labels of every figure. */
export const FRAME_WORDS = {
  reset: { zh: '还原', en: 'Reset' },
  copyLink: { zh: '复制链接', en: 'Copy link' },
  copied: { zh: '链接已复制', en: 'Link copied' },
  notCopied: {
    zh: '复制不了，链接已写进地址栏',
    en: 'Could not copy; the link is in the address bar',
  },
  table: { zh: '数据表', en: 'Table' },
  fullScreen: { zh: '全屏', en: 'Full screen' },
  exportAs: { zh: '导出', en: 'Export' },
  exportFailed: { zh: '这个浏览器不能导出图片', en: 'This browser cannot export the image' },
  scrollTable: { zh: '数据表，可滚动', en: 'Table, scrollable' },
  retry: { zh: '再试一次', en: 'Try again' },
  loading: { zh: '正在启动计算内核……', en: 'Starting the kernel …' },
  staticPicture: {
    zh: '这是图的初始状态。打开 JavaScript 后可以拖动它。',
    en: 'This is the figure as it starts. With JavaScript on you can drag it.',
  },
} as const satisfies Record<string, Words>;

/** The parts of a figure that are plain HTML text, shared by the page and the static picture. */
import { html } from './frame-controls.js';
import type { Failure } from './frame-load.js';
import type { FigureDefinition, Language, LegendItem, Words } from './frame-types.js';
import type { Schema } from './frame-state.js';
import { FRAME_WORDS, pickWords } from './frame-words.js';

type Head = Pick<FigureDefinition<Schema>, 'key' | 'title' | 'caption'>;

/** Escapes text for element content and attributes. */
export const escapeText = (value: string): string =>
  value.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** Title (the claim) and caption (the point). */
export function headHtml({ key, title, caption }: Head, lang: Language): string {
  const [claim, point] = [title, caption].map((words) => escapeText(pickWords(words, lang)));
  return (
    `<p class="px-title" id="${key}-title">${claim}</p>` +
    `<figcaption class="px-caption">${point}</figcaption>`
  );
}

/** One line of the legend. */
export function legendHtml(item: LegendItem, pick: (words: Words) => string): string {
  const sym = item.sym ? ` data-sym="${escapeText(item.sym)}" tabindex="0"` : '';
  return (
    `<li${sym}><span class="px-mark px-mark-${item.mark}" style="--px-mark:${item.color}"></span>` +
    `${escapeText(pick(item.label))}</li>`
  );
}

/** Language tag of the page's language. */
export const languageTag = (lang: Language): string => (lang === 'zh' ? 'zh-CN' : 'en');

/** What stands in a figure's place until the kernel runs. */
export function skeleton(head: Head, lang: Language): HTMLElement {
  const root = html('figure', { class: 'px-figure', 'aria-labelledby': `${head.key}-title` });
  root.innerHTML = headHtml(head, lang) + `<p class="px-loading">${FRAME_WORDS.loading[lang]}</p>`;
  return root;
}

/** The error box: what happened, what helps, and the message itself for a report. */
export function failureBox(failure: Failure, lang: Language, retry: () => void): HTMLElement {
  const button = html('button', { type: 'button', class: 'px-button' }, FRAME_WORDS.retry[lang]);
  button.addEventListener('click', retry);
  return html(
    'div',
    { class: 'px-failure', role: 'alert' },
    html('p', {}, html('strong', {}, pickWords(failure.cause, lang))),
    html('p', {}, pickWords(failure.remedy, lang)),
    html('p', {}, html('code', {}, failure.detail)),
    button,
  );
}

/** A figure as HTML text in its initial state: for pages without JavaScript, and for the first paint. */
import type { Posenc } from 'posenc';
import { drawContext } from './frame-context.js';
import { escapeText, headHtml, languageTag, legendHtml } from './frame-html.js';
import { svgText } from './frame-svg.js';
import type { Figure, Language } from './frame-types.js';
import { FRAME_WORDS, pickWords } from './frame-words.js';

/** Widths of the two pictures; a container query in `frame.css` shows the one that fits. */
const WIDTHS = { wide: 700, narrow: 312 } as const;

/** The static figure: title, caption, picture (one for wide, one for narrow places), result in words. */
export function staticFigure(figure: Figure, lang: Language, posenc: Posenc): string {
  const title = pickWords(figure.title, lang);
  const pictures = Object.entries(WIDTHS).map(([place, width]) => {
    const drawing = figure.draw(figure.initial, drawContext({ posenc, lang, width }));
    const attributes = `class="px-static px-static-${place}"`;
    return { drawing, svg: svgText(drawing, { width, title, theme: 'both', attributes }) };
  });
  const { legend = [], sentence } = pictures[0]!.drawing;
  const pick = drawContext({ posenc, lang, width: WIDTHS.wide }).pick;
  return (
    `<figure class="px-figure" aria-labelledby="${figure.key}-title" lang="${languageTag(lang)}">` +
    headHtml(figure, lang) +
    `<div class="px-stage">${pictures.map(({ svg }) => svg).join('')}</div>` +
    (legend.length
      ? `<ul class="px-legend">${legend.map((item) => legendHtml(item, pick)).join('')}</ul>`
      : '') +
    `<p class="px-sentence">${escapeText(pick(sentence))}</p>` +
    `<noscript><p class="px-note">${FRAME_WORDS.staticPicture[lang]}</p></noscript></figure>`
  );
}

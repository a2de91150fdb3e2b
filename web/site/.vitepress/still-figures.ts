/**
 * Figures in the built HTML: every `<Figure>` holds its static picture, drawn by the real kernel, so
 * that a page without JavaScript is complete and the first paint already shows the figure.
 */
import { load } from 'posenc';
import { figures, type FigureId } from '../../figures/index.js';
import { staticFigure } from '../../figures/frame-static.js';
import type { Language } from './chapters.js';

const SLOT = /(<div [^>]*data-figure="([\w-]+)"[^>]*>)(?:<!--.*?-->)*(<\/div>)/g;

/** Fills the slots of a rendered page. Throws when a page names a figure that does not exist. */
export async function fillFigures(html: string, lang: Language): Promise<string> {
  const stills = new Map<string, string>();
  for (const [, , id] of html.matchAll(SLOT)) stills.set(id!, await still(id as FigureId, lang));
  return html.replace(SLOT, (_, open: string, id: string, close: string) => {
    return open + stills.get(id) + close;
  });
}

const cache = new Map<string, Promise<string>>();

function still(id: FigureId, lang: Language): Promise<string> {
  const name = `${lang} ${id}`;
  let made = cache.get(name);
  if (!made) {
    made = draw(id, lang);
    cache.set(name, made);
  }
  return made;
}

async function draw(id: FigureId, lang: Language): Promise<string> {
  if (!Object.hasOwn(figures, id)) throw new Error(`There is no figure "${id}"`);
  const [figure, posenc] = await Promise.all([figures[id].load(), load({ variant: 'simd' })]);
  return staticFigure(figure, lang, posenc);
}

/** Every symbol that a formula links to a picture, `\htmlData{sym=q}{…}`, is drawn on the same page. */
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load, type Posenc } from 'posenc';
import { beforeAll, describe, expect, it } from 'vitest';
import { drawContext } from '../../web/figures/frame.js';
import { figures, type FigureId } from '../../web/figures/index.js';

const site = fileURLToPath(new URL('../../web/site/', import.meta.url));
const pages = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.md') && !name.startsWith('.vitepress'),
);

let pe: Posenc;
beforeAll(async () => {
  pe = await load({ variant: 'simd' });
});

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((m) => m[1] ?? '');

describe('symbols of formulas', () => {
  it.each(pages)('%s', async (name) => {
    const page = readFileSync(site + name, 'utf8');
    const drawn = new Set<string>();
    for (const id of all(page, /<Figure\b[^>]*\bid="([^"]+)"/g)) {
      expect(Object.keys(figures)).toContain(id);
      const figure = await figures[id as FigureId].load();
      const context = drawContext({ posenc: pe, lang: 'zh', width: 640 });
      const picture = JSON.stringify(figure.draw(figure.initial, context));
      for (const symbol of all(picture, /"(?:data-sym|sym)":"([^"]+)"/g)) drawn.add(symbol);
    }
    for (const symbol of all(page, /\\htmlData\{sym=([\w-]+)\}/g))
      expect([...drawn]).toContain(symbol);
  });

  it('are there', () => {
    expect(readFileSync(`${site}shuffle.md`, 'utf8')).toContain('\\htmlData{sym=shuffled}');
  });
});

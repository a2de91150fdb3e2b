/** Writes the reference pages of the site, in Markdown, from the sources of the API and the built module. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { at } from './lib/project.mjs';
import { addressesOf, apiPages } from './reference/api-pages.mjs';
import { encodingPages } from './reference/encoding-pages.mjs';

/** Where they go: a folder that VitePress reads as if its files were beside the written pages. */
export const REFERENCE = 'web/site/generated';

/** Makes all pages anew. */
export async function writeReference() {
  // It needs packages that setting up may only now have installed.
  const { readApi } = await import('./reference/model.mjs');
  const symbols = await readApi();
  const { load } = await import(at('dist/index.js'));
  const { encodings } = await load({ variant: 'simd' });
  const pages = [...apiPages(symbols), ...encodingPages(encodings, symbols, addressesOf(symbols))];
  rmSync(at(REFERENCE), { recursive: true, force: true });
  for (const [file, text] of pages) {
    mkdirSync(dirname(at(REFERENCE, file)), { recursive: true });
    writeFileSync(at(REFERENCE, file), text);
  }
}

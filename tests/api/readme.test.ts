/** The README speaks of the encodings that there are. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { encodingTable } from '../../scripts/readme.mjs';
import { load } from 'posenc';

const cells = (text: string) => text.replace(/ *\| */g, '|').replace(/-+/g, '-');

it('has the table that the registry makes (`npm run format` writes it)', async () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  expect(cells(readme)).toContain(cells(encodingTable((await load()).encodings)));
});

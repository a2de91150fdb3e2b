/** Writes the table of encodings into README.md from the registry of the built module. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bookPages } from './lib/book.mjs';
import { isMain, main } from './lib/main.mjs';
import { ROOT } from './lib/project.mjs';

const README = join(ROOT, 'README.md');
const BLOCK = /(<!-- encodings:.*-->\n)[\s\S]*(<!-- \/encodings -->)/;

/** @returns {string} a Markdown table, one row per encoding */
export function encodingTable(encodings) {
  const book = bookPages('web/site/en');
  const rows = encodings.map(({ name, title, hooks, year, url, users }) => [
    `\`${name}\``,
    `${title.en} · ${title.zh}`,
    hooks.join(', ') || 'none',
    `[${year}](${url})`,
    users.join(', '),
    book
      .filter((page) => page.encodings.includes(name))
      .map((page) => `[${page.title}](web/site/en/${page.name}.md)`)
      .join(', '),
  ]);
  const lines = [
    ['name', 'encoding', 'acts in', 'paper', 'models', 'page'],
    Array(6).fill('---'),
    ...rows,
  ];
  return `\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n\n`;
}

/** @returns {string} README.md with the table brought up to date */
export function updatedReadme(encodings) {
  const text = readFileSync(README, 'utf8');
  if (!BLOCK.test(text)) throw new Error('README.md has no block for the table of encodings');
  return text.replace(BLOCK, (_, start, end) => start + encodingTable(encodings) + end);
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const { load } = await import('../dist/index.js');
    writeFileSync(README, updatedReadme((await load()).encodings));
  });
}

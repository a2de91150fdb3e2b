/** Writes the table of encodings into README.md from the registry of the built module. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMain, main } from './lib/main.mjs';
import { ROOT } from './lib/project.mjs';

const README = join(ROOT, 'README.md');
const BLOCK = /(<!-- encodings:.*-->\n)[\s\S]*(<!-- \/encodings -->)/;

function parameter({ name, required, initial, choices }) {
  const default_ = choices?.length && initial !== null ? `'${initial}'` : initial;
  if (required) return `**${name}**`;
  return default_ === null ? name : `${name} = \`${default_}\``;
}

/** @returns {string} a Markdown table, one row per encoding; required parameters are bold */
export function encodingTable(encodings) {
  const rows = encodings.map(({ name, title, hooks, parameters, year, url }) => [
    `\`${name}\``,
    `${title.en} · ${title.zh}`,
    hooks.join(', ') || 'none',
    parameters.map(parameter).join(', ') || 'none',
    `[${year}](${url})`,
  ]);
  const lines = [
    ['name', 'encoding', 'hooks', 'parameters', 'paper'],
    Array(5).fill('---'),
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

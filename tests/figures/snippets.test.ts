/** The JavaScript blocks of the pages and the README run, and print what their comments say: `console.log(x); // 1`. */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const site = path.join(root, 'web/site');

// Inside the project, so that `import 'posenc'` finds this package by its own name.
mkdirSync(path.join(root, 'build'), { recursive: true });
const folder = mkdtempSync(path.join(root, 'build', 'snippets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pages = readdirSync(site, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && !name.startsWith('.vitepress'))
  .map((name) => [name, path.join(site, name)] as const);

const snippets = [...pages, ['README.md', path.join(root, 'README.md')] as const].flatMap(
  ([name, file]) =>
    [...readFileSync(file, 'utf8').matchAll(/^```js\n([\s\S]*?)^```$/gm)]
      .map((match) => match[1] ?? '')
      .filter((code) => code.includes("from 'posenc'"))
      .map((code, i) => ({ name: `${name} ${i + 1}`, code })),
);

describe('snippets of the pages', () => {
  it.each(snippets)('$name', async ({ name, code }) => {
    const file = path.join(folder, `${name.replace(/\W+/g, '-')}.mjs`);
    writeFileSync(file, code);
    const { stdout } = await promisify(execFile)(process.execPath, [file]);
    const promised = [...code.matchAll(/^\s*console\.log\(.*\);\s*\/\/ (.*)$/gm)].map((m) => m[1]);
    expect(promised.length).toBeGreaterThan(0);
    expect(stdout.trimEnd().split('\n')).toEqual(promised);
  });

  it('are there', () => {
    expect(snippets.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['clocks.md 1', 'README.md 1']),
    );
  });
});

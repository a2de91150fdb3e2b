/** Every number that prose marks as a fact is what the built kernels compute, rounded as printed. */
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load, type Posenc } from 'posenc';
import { createMarkdownRenderer } from 'vitepress';
import { beforeAll, describe, expect, it } from 'vitest';
import { factPlugin } from '../../web/site/.vitepress/facts.js';
import { faultOf, judge, looksLikeMark, readMark } from '../../web/site/facts/check.js';
import { facts, merge } from '../../web/site/facts/index.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const site = `${root}web/site/`;
const pages = readdirSync(site, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && !name.startsWith('.vitepress'))
  .map((name) => `web/site/${name}`);

let pe: Posenc;
beforeAll(async () => {
  pe = await load({ variant: 'simd' });
});

describe('facts of the pages', () => {
  it.each([...pages, 'README.md'])('%s', (name) => {
    const page = readFileSync(root + name, 'utf8');
    for (const { index } of page.matchAll(new RegExp(looksLikeMark.source, 'g'))) {
      const mark = readMark(page, index);
      expect(mark, page.slice(index, index + 60)).not.toBeNull();
      expect(judge(mark!, facts, pe).fault).toBeNull();
    }
  });

  it('are there', () => {
    expect(pages).toContain('web/site/clocks.md');
    expect(readFileSync(`${site}clocks.md`, 'utf8').match(/\{fact=/g)?.length).toBeGreaterThan(10);
  });
});

describe('readMark', () => {
  it('reads name and numbers', () => {
    expect(readMark('is [0.970]{fact=similarity(128,1)}.', 3)).toEqual({
      printed: '0.970',
      name: 'similarity',
      args: [128, 1],
      length: '[0.970]{fact=similarity(128,1)}'.length,
    });
    expect(readMark('[3]{fact=three}', 0)?.args).toEqual([]);
    expect(readMark('[x](y)', 0)).toBeNull();
  });

  it('refuses arguments that are not numbers', () => {
    expect(() => readMark('[1]{fact=f(a)}', 0)).toThrow('"a" is not a list of numbers');
  });
});

describe('faultOf', () => {
  it.each([
    ['0.970', 0.9702],
    ['.970', 0.9698],
    ['−0.007', -0.00696],
    ['-0.007', -0.00696],
    ['34', 34],
    ['8660', 8659.64],
    ['62,832', 62831.85],
    ['1.2e-7', 1.19e-7],
    ['1.2 × 10⁻⁷', 1.19e-7],
    ['65%', 0.6496],
    ['65.0 %', 0.6496],
    ['< 10⁻⁶', 9e-7],
    ['≤ 0.5', 0.5],
    ['> 2', 2.1],
    ['≥ −1', -1],
  ])('lets %s stand for %d', (printed, value) => {
    expect(faultOf(printed, value)).toBeNull();
  });

  it.each([
    ['0.970', 0.9706],
    ['0.97', -0.97],
    ['34', 35],
    ['1.2 × 10⁻⁷', 1.26e-7],
    ['65%', 65],
    ['< 10⁻⁶', 1e-6],
    ['> 2', 2],
    ['about 3', 3],
    ['', 0],
    ['.', 0],
    ['0.5', NaN],
    ['0.5', Infinity],
  ])('refuses %s for %d', (printed, value) => {
    expect(faultOf(printed, value)).toEqual(expect.any(String));
  });
});

describe('the table of facts', () => {
  it('refuses two facts of one name', () => {
    const table = { one: () => 1 };
    expect(() => merge([table, { ...table }])).toThrow('two facts are called "one"');
  });

  it('knows an unknown name and a wrong count of numbers', () => {
    const mark = { printed: '1', name: 'half', args: [2], length: 1 };
    expect(judge(mark, {}, pe).fault).toBe('there is no fact "half"');
    expect(judge(mark, { half: () => 1 }, pe).fault).toContain('takes 0 numbers');
    expect(judge({ ...mark, name: 'constructor' }, {}, pe).fault).toContain('there is no fact');
  });
});

describe('the markdown-it plugin', () => {
  const render = async (text: string, relativePath = 'a.md') => {
    const md = await createMarkdownRenderer(site);
    factPlugin(pe, { half: (_pe, x: number) => x / 2 })(md);
    return md.render(text, { relativePath });
  };

  it('prints the number and says that it was computed', async () => {
    expect(await render('It is [0.50]{fact=half(1)}')).toContain(
      '<data class="fact" value="0.5" title="由内核算出：half(1) = 0.5">0.50</data>',
    );
    expect(await render('It is [< 2]{fact=half(1)}', 'en/a.md')).toContain(
      'title="Computed by the kernels: half(1) = 0.5">&lt; 2</data>',
    );
  });

  it('stops the build at a wrong number, an unknown fact and a broken mark', async () => {
    await expect(render('[0.6]{fact=half(1)}')).rejects.toThrow('the kernels compute 0.5');
    await expect(render('[0.6]{fact=third(1)}')).rejects.toThrow('no fact "third"');
    await expect(render('[0.6]{fact=half(1}')).rejects.toThrow('is no fact');
  });

  it('leaves code alone', async () => {
    expect(await render('`[0.6]{fact=half(1)}`')).toContain('[0.6]{fact=half(1)}</code>');
  });
});

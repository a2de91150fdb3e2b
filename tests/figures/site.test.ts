/** The parts of the site that need no browser: search and formulas. */
import { describe, expect, it } from 'vitest';
import { formulas } from '../../web/site/.vitepress/formulas.js';
import { sectionsOf } from '../../web/site/.vitepress/search-sections.js';
import { search, terms } from '../../web/site/.vitepress/theme/search.js';
import { createMarkdownRenderer } from 'vitepress';

describe('search', () => {
  const section = (heading: string, text: string) => ({
    url: `/${heading}`,
    page: 'p',
    heading,
    text,
  });
  it('cuts Chinese into pairs and keeps words whole', () => {
    expect(terms('旋转编码')).toEqual(['旋转', '转编', '编码']);
    expect(terms('用 RoPE 旋转')).toEqual(['用', '旋转', 'rope']);
    expect(terms(' ！ ')).toEqual([]);
  });
  it('puts headings before text, and exact words before scattered ones', () => {
    const sections = [
      section('a', '相对于绝对位置'),
      section('b', '这里说相对位置'),
      section('相对位置', '别的'),
    ];
    expect(search(sections, '相对位置').map(({ section }) => section.heading)).toEqual([
      '相对位置',
      'b',
      'a',
    ]);
  });
  it('takes the best there is where no section has every term', () => {
    const sections = [section('a', 'rotary frequency'), section('b', 'rotary')];
    expect(
      search(sections, 'rotary frequency window').map(({ section }) => section.heading),
    ).toEqual(['a']);
    expect(search(sections, 'zzz')).toEqual([]);
  });
  it('puts what explains before the API', () => {
    const api = { ...section('rotate', 'rotate rotate'), url: '/en/api/encodings.html#rotate' };
    const hits = search([api, section('rotate', 'rotate')], 'rotate');
    expect(hits.map(({ section }) => section.url)).toEqual(['/rotate', api.url]);
  });
  it('shows the match in its surroundings', () => {
    const [hit] = search([section('a', `${'前'.repeat(80)}旋转${'后'.repeat(200)}`)], '旋转');
    expect(hit!.excerpt[1]).toBe('旋转');
    expect(hit!.excerpt.join('').length).toBeLessThan(140);
  });
  it('reads pages as a reader does', () => {
    const html =
      '<h1 id="t">T<a class="header-anchor" href="#t"></a></h1><p>a &lt; b</p>' +
      '<h2 id="two" tabindex="-1">Two <a class="header-anchor" href="#two"></a></h2><p>x<button>copy</button></p>';
    expect(sectionsOf([{ url: '/p', html, frontmatter: { title: 'P' } }])).toEqual([
      { url: '/p', page: 'P', heading: '', text: 'a < b' },
      { url: '/p#two', page: 'P', heading: 'Two', text: 'x' },
    ]);
  });
});

describe('formulas', async () => {
  const md = await createMarkdownRenderer('.', { config: formulas });
  const render = (source: string) => md.render(source);
  it('are set inline and on lines of their own', () => {
    expect(render('a $x_i$ b')).toMatch(/<span class="formula" v-pre><span class="katex">/);
    expect(render('$$\nx\n$$')).toMatch(/<div class="formula-block" tabindex="0" v-pre>/);
  });
  it('leave prices, code and escaped dollars alone', () => {
    for (const source of ['costs $5 and $6', '`$x$`', '\\$x\\$', 'a $ b $ c'])
      expect(render(source)).not.toContain('katex');
  });
  it('keep double braces from the template compiler, and name symbols', () => {
    expect(render('$\\sum{{x}}$')).toContain('v-pre');
    expect(render('$\\htmlData{sym=q}{q}$')).toContain('data-sym="q"');
  });
  it('are read by the search as characters, not as markup', () => {
    const html = render('turn by $m\\omega$ rad\n\n$$\nx^2\n$$\n\nand **so** on');
    const [section] = sectionsOf([{ url: '/', html, frontmatter: {} }]);
    expect(section!.text).toBe('turn by mω rad and so on');
  });
  it('stop the build when they are wrong, and link nowhere', () => {
    expect(() => render('$\\nosuchcommand$')).toThrow();
    expect(render('$\\href{javascript:alert(1)}{x}$')).not.toContain('href=');
  });
});

/** The reference: the pages of the API and of the encodings. */
import { describe, expect, it } from 'vitest';
import {
  address,
  apiAddresses,
  languages,
  PHONE,
  seriousFindings,
  sidewaysScroll,
  startFigures,
  useSite,
} from './site.js';

const site = useSite();

describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
  it.each(apiAddresses)('%s', async (path) => {
    const { page, faults } = await site.open(path, { colorScheme });
    for (const viewport of [{ width: 1280, height: 800 }, { width: 768, height: 1024 }, PHONE]) {
      await page.setViewportSize(viewport);
      expect(await sidewaysScroll(page)).toBe(0);
    }
    expect(await seriousFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe('the API', () => {
  it.each(languages)('is linked from every header (%s)', async (lang) => {
    const { page, faults } = await site.open(address('index', lang));
    await page.locator('.header-nav').getByRole('link', { name: 'API', exact: true }).click();
    await page.waitForURL(`**${address('api', lang)}`);
    await page.locator('.members dt').first().waitFor();
    for (const path of apiAddresses)
      expect(await page.locator(`.members dt a[href="${path}"]`).count()).toBe(1);
    await page.locator('.members a', { hasText: 'shapePositions' }).click();
    await page.waitForURL('**/en/api/positions.html#shapePositions');
    await page.locator('h2#shapePositions').waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('says in Chinese that it is in English, and leads back there', async () => {
    const { page } = await site.open('/api.html');
    expect(await page.locator('main').textContent()).toContain('只有英文');
    await page.goto(new URL('/en/api/load.html', page.url()).href);
    await page.locator('a.language').click();
    await page.waitForURL('**/api.html');
    await page.getByRole('heading', { name: 'API' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
    await page.context().close();
  });

  it('has code to copy, and types to follow', async () => {
    const { page } = await site.open('/en/api/positions.html');
    const copy = page.locator('#posePositions + div[class*=language-] button.copy');
    await copy.focus();
    expect(await copy.getAttribute('title')).toContain('Copy');
    await page
      .locator('dt a', { hasText: /^PositionBand$/ })
      .first()
      .click();
    await page.waitForURL('**#PositionBand');
    await page.context().close();
  });
});

describe('the encodings', () => {
  it.each(languages)('have all their options (%s)', async (lang) => {
    const { load } = await import('posenc');
    const { page } = await site.open(address('encodings', lang));
    const terms = await page.locator('dl.members dt').allTextContents();
    for (const { name, title, parameters } of (await load()).encodings) {
      expect(await page.locator(`h3[id="${name}"]`).textContent()).toContain(title[lang]);
      for (const parameter of parameters) expect(terms).toContain(parameter.name);
    }
    expect(await page.locator('main').textContent()).not.toMatch(/undefined|NaN|null|\[object/);
    await page.context().close();
  });
});

describe('the search', () => {
  it.each([
    [
      '/',
      'shapePositions',
      'Positions › shapePositions()',
      '/en/api/positions.html#shapePositions',
    ],
    [
      '/en/',
      'shapePositions',
      'Positions › shapePositions()',
      '/en/api/positions.html#shapePositions',
    ],
    ['/', 'headDim', '编码一览', '/encodings.html#'],
    ['/en/', 'headDim', 'Encodings', '/en/encodings.html#'],
  ])('from %s finds %s', async (from, query, title, target) => {
    const { page, faults } = await site.open(from);
    await startFigures(page);
    await page.keyboard.press('/');
    await page.locator('.search input').fill(query);
    await page.locator('.search [role=option]', { hasText: title }).first().click();
    await page.waitForURL((url) => (url.pathname + url.hash).startsWith(target));
    await expect.poll(() => page.locator('main').textContent()).toContain(query);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

it('costs the landing page nothing: its texts are loaded when they are asked for', async () => {
  const { page } = await site.open('/en/');
  await page.locator('.px-actions').first().waitFor();
  const read = await page.evaluate(async () => {
    const urls = performance.getEntriesByType('resource').map(({ name }) => name);
    const scripts = urls.filter((url) => url.endsWith('.js'));
    return (await Promise.all(scripts.map(async (url) => (await fetch(url)).text()))).join('');
  });
  expect(read).toContain('api');
  expect(read).not.toMatch(/shapePositions\(\)|LoadOptions/);
  await page.context().close();
});

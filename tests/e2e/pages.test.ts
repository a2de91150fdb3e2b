/** Every page, both languages, both themes, desktop and phone: whole, accessible, without strangers. */
import { describe, expect, it } from 'vitest';
import {
  addresses,
  apiAddresses,
  PHONE,
  seriousFindings,
  sidewaysScroll,
  startFigures,
  useSite,
} from './site.js';

const site = useSite();

describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
  it.each([...addresses, '/no-such-page.html'])('%s', async (path) => {
    const { page, faults } = await site.open(path, { colorScheme });
    await startFigures(page);
    expect(await sidewaysScroll(page)).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);

    await page.setViewportSize(PHONE);
    await page.waitForTimeout(100);
    expect(await sidewaysScroll(page)).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    if (!path.includes('no-such')) expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe('a page', () => {
  it('says which language it is in, and links its twin', async () => {
    for (const path of addresses) {
      const { page } = await site.open(path, { javaScriptEnabled: false });
      const isEnglish = path.startsWith('/en/');
      expect(await page.locator('html').getAttribute('lang')).toBe(isEnglish ? 'en' : 'zh-CN');
      const twin = isEnglish ? path.replace('/en/', '/') : `/en${path}`;
      expect(await page.locator('a.language').getAttribute('href')).toBe(twin);
      await page.context().close();
    }
  });

  it('changes its theme on request and keeps it', async () => {
    const { page } = await site.open('/two-hands.html', { colorScheme: 'light' });
    const isDark = () => page.locator('html').evaluate((root) => root.classList.contains('dark'));
    const button = page.locator('.header-tools button').nth(1);
    await button.click();
    expect(await isDark()).toBe(false);
    await button.click();
    expect(await isDark()).toBe(true);
    await page.reload();
    expect(await isDark()).toBe(true);
    await page.context().close();
  });

  it('has only links that lead somewhere', async () => {
    const known = new Set<string>();
    const wanted = new Map<string, string>();
    const { page } = await site.open('/', { javaScriptEnabled: false });
    const { origin } = new URL(page.url());
    for (const path of [...addresses, ...apiAddresses]) {
      await page.goto(origin + path);
      const { ids, links } = await page.evaluate(() => ({
        ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
        links: [...document.querySelectorAll('a')].map(({ href }) => href).filter(Boolean),
      }));
      known.add(path);
      for (const id of ids) known.add(`${path}#${id}`);
      for (const link of links) {
        const url = new URL(link);
        if (url.origin === origin) wanted.set(url.pathname + decodeURIComponent(url.hash), path);
      }
    }
    await page.context().close();
    const dead = [...wanted].filter(([link]) => !known.has(link));
    expect(dead).toEqual([]);
  });
});

/** When something is missing (scripts, WebAssembly, the network), the text stays and the reason is named. */
import { describe, expect, it } from 'vitest';
import {
  address,
  figurePages,
  languages,
  startFigures,
  strictPolicy,
  useSite,
  withoutWasmPolicy,
} from './site.js';

describe('under a strict content security policy', () => {
  const site = useSite({ 'Content-Security-Policy': strictPolicy("'self' data: blob:") });
  it.each(['/', ...figurePages.map(({ path }) => address(path, 'en')), '/inspect.html'])(
    '%s works',
    async (path) => {
      const { page, faults } = await site.open(path);
      await startFigures(page);
      expect(faults).toEqual([]);
      await page.context().close();
    },
  );
});

describe('where the policy forbids WebAssembly', () => {
  const site = useSite({
    'Content-Security-Policy': withoutWasmPolicy("'self' data: blob:"),
  });
  it.each(languages)('a figure says so and what to add (%s)', async (lang) => {
    const { page } = await site.open(address('two-hands', lang));
    const box = page.locator('.px-failure');
    await box.waitFor();
    const text = await box.textContent();
    expect(text).toContain('CSP');
    expect(text).toContain("'wasm-unsafe-eval'");
    expect(await page.locator('#f10 .px-static').first().isVisible()).toBe(true);
    await page.context().close();
  });
});

describe('otherwise', () => {
  const site = useSite();

  it.each(languages)('without WebAssembly a figure names the cause (%s)', async (lang) => {
    const { page } = await site.open(address('two-hands', lang), {
      script: () => Reflect.deleteProperty(globalThis, 'WebAssembly'),
    });
    const box = page.locator('.px-failure');
    await box.waitFor();
    expect(await box.textContent()).toContain(lang === 'zh' ? '没有（或关闭了）' : 'switched off');
    expect(await page.locator('article').textContent()).toContain('RoPE');
    await page.context().close();
  });

  it('without SIMD a figure says which browsers have it', async () => {
    const { page } = await site.open('/en/two-hands.html', {
      script: () => {
        WebAssembly.validate = () => false;
      },
    });
    const box = page.locator('.px-failure');
    await box.waitFor();
    expect(await box.textContent()).toMatch(/SIMD.*Safari 16\.4/s);
    await page.context().close();
  });

  it('a lost kernel is fetched again on request', async () => {
    let blocked = true;
    const { page } = await site.open('/en/two-hands.html', {
      prepare: async (page) => {
        await page.route(/\blite\b/, (route) => (blocked ? route.abort() : route.continue()));
      },
    });
    const box = page.locator('.px-failure');
    await box.waitFor();
    expect(await box.textContent()).toContain('could not be downloaded');
    blocked = false;
    await box.getByRole('button').click();
    await page.locator('#f10 .px-actions').waitFor();
    await page.context().close();
  });

  it.each(['/', ...figurePages.map(({ path }) => address(path, 'en'))])(
    'without JavaScript %s has its text and pictures',
    async (path) => {
      const { page } = await site.open(path, { javaScriptEnabled: false });
      expect(await page.locator('h1').count()).toBe(1);
      const picture = page.locator('.figure-slot svg:visible');
      expect(await picture.count()).toBe(1);
      expect((await picture.boundingBox())!.height).toBeGreaterThan(100);
      expect(await page.locator('.figure-slot .px-sentence').textContent()).toMatch(/\d/);
      expect(await page.locator('.figure-slot .px-note').isVisible()).toBe(true);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await picture.count()).toBe(1);
      await page.context().close();
    },
  );

  it('the static picture is the live one in its initial state', async () => {
    const { page } = await site.open('/two-hands.html', { javaScriptEnabled: false });
    const still = await page.locator('#f10 .px-sentence').textContent();
    const live = await site.open('/two-hands.html');
    await startFigures(live.page);
    expect(await live.page.locator('#f10 .px-sentence').textContent()).toBe(still);
    await page.context().close();
    await live.page.context().close();
  });

  it('a loaded page goes on working offline', async () => {
    const { page, faults } = await site.open('/two-hands.html');
    await startFigures(page);
    // Links in sight are fetched ahead.
    await page.waitForLoadState('networkidle');
    await page.context().setOffline(true);
    const handle = page.locator('#f10 .px-handle').first();
    await handle.focus();
    await page.keyboard.press('End');
    await expect.poll(() => handle.getAttribute('aria-valuenow')).toBe('63');
    await page.locator('#f10 .px-icon-table').click();
    expect(await page.locator('#f10 table').count()).toBe(1);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('#f10').getByRole('button', { name: 'SVG' }).click(),
    ]);
    expect(await download.failure()).toBeNull();
    // Chromium asks for the icon again after a change of the address.
    expect(faults.filter((fault) => !fault.endsWith('/favicon.svg'))).toEqual([]);
    await page.context().close();
  });

  it('stands still for readers who ask for less motion', async () => {
    const { page } = await site.open('/two-hands.html', { reducedMotion: 'reduce' });
    await startFigures(page);
    const moving = await page
      .locator('#f10 *')
      .evaluateAll(
        (all) =>
          all.filter((e) => parseFloat(getComputedStyle(e).transitionDuration) > 0.01).length,
      );
    expect(moving).toBe(0);
    await page.context().close();
  });
});

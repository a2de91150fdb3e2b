/** Every figure: keyboard, drag, links, table, files, print. */
import { readFile } from 'node:fs/promises';
import type { ElementHandle, Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { address, figurePages, languages, startFigures, useSite, type Language } from './site.js';

const site = useSite();
/** A little more than the pause after which a result is announced. */
const ANNOUNCED = 900;

async function openFigure(path: string, key: string, lang: Language = 'zh', hash = '') {
  const { page, faults } = await site.open(address(path, lang) + hash);
  await startFigures(page);
  return { page, faults, figure: page.locator(`#${key} .px-figure`) };
}

/** Elements, not places: a handle may change its place among the others. */
const elementOf = async (locator: Locator): Promise<ElementHandle> => {
  const element: ElementHandle | null = await locator.elementHandle();
  return element;
};

// A handle has its numbers in aria attributes, a native range input in its own.
const valueOf = (slider: ElementHandle) =>
  slider.evaluate((node) => {
    const input = node as HTMLInputElement;
    return Number(input.getAttribute('aria-valuenow') ?? input.value);
  });
const boundOf = (slider: ElementHandle, end: 'min' | 'max') =>
  slider.evaluate((node, name) => {
    const input = node as HTMLInputElement;
    return Number(input.getAttribute(`aria-value${name}`) ?? input.getAttribute(name));
  }, end);
const press = async (page: Page, target: { focus(): Promise<void> }, key: string) => {
  await target.focus();
  await page.keyboard.press(key);
  // One frame for the redraw, one for the test to see it.
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
};

describe.each(figurePages)('$figure', ({ path, key }) => {
  it.each(languages)('answers the keyboard (%s)', async (lang) => {
    const { page, faults, figure } = await openFigure(path, key, lang);
    const sliders = await figure.locator('[role=slider], input[type=range]').elementHandles();
    expect(sliders.length).toBeGreaterThan(0);
    for (const slider of sliders) {
      await press(page, slider, 'End');
      expect(await valueOf(slider)).toBeCloseTo(await boundOf(slider, 'max'));
      await press(page, slider, 'Home');
      expect(await valueOf(slider)).toBeCloseTo(await boundOf(slider, 'min'));
      const low = await valueOf(slider);
      await press(page, slider, 'ArrowRight');
      const next = await valueOf(slider);
      expect(next).toBeGreaterThan(low);
      await press(page, slider, 'ArrowLeft');
      expect(await valueOf(slider)).toBeLessThan(next);
      await press(page, slider, 'PageUp');
      await press(page, slider, 'PageDown');
      expect(await valueOf(slider)).toBeGreaterThanOrEqual(low);
    }
    for (const toggle of await figure.locator('[role=switch]').all()) {
      const before = await toggle.getAttribute('aria-checked');
      await press(page, toggle, 'Space');
      expect(await toggle.getAttribute('aria-checked')).not.toBe(before);
    }
    for (const group of await figure.locator('fieldset').all()) {
      const chosen = await group.locator('input:checked').inputValue();
      await press(page, group.locator('input:checked'), 'ArrowRight');
      expect(await group.locator('input:checked').inputValue()).not.toBe(chosen);
    }
    for (const text of await figure.locator('input[type=text]').all()) {
      await text.fill('ab 我 👩‍🚀');
      expect(await text.inputValue()).toBe('ab 我 👩‍🚀');
    }
    await page.waitForTimeout(ANNOUNCED);
    const said = await figure.locator('[aria-live]').textContent();
    expect(said).toBe(await figure.locator('.px-sentence').textContent());
    expect(said).not.toMatch(/NaN|undefined|Infinity/);

    await press(page, figure.locator('.px-icon-reset'), 'Enter');
    await expect.poll(() => figure.locator('.px-icon-reset').isDisabled()).toBe(true);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('follows the pointer', async () => {
    const { page, figure } = await openFigure(path, key);
    await figure.locator('.px-handle').first().scrollIntoViewIfNeeded();
    const handle = await elementOf(figure.locator('.px-handle').first());
    const before = await valueOf(handle);
    const isVertical = (await handle.getAttribute('aria-orientation')) === 'vertical';
    const box = (await (await handle.$('.px-target'))!.boundingBox())!;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let step = 1; step <= 8; step++)
      await page.mouse.move(x + (isVertical ? 0 : 14 * step), y + (isVertical ? 8 * step : 0));
    await page.mouse.up();
    await expect.poll(() => valueOf(handle)).not.toBe(before);
    await page.context().close();
  });

  it('keeps its state in the link, in the other language too', async () => {
    const { page, figure } = await openFigure(path, key);
    const entries = await page.evaluate(() => history.length);
    const handle = await elementOf(figure.locator('.px-handle').first());
    const name = await handle.getAttribute('data-press');
    await press(page, handle, 'ArrowRight');
    await press(page, handle, 'ArrowDown');
    await press(page, handle, 'Home');
    await press(page, handle, 'ArrowRight');
    const value = await valueOf(handle);
    // The address follows a little later than the figure.
    await expect
      .poll(async () => {
        const before = page.url();
        await page.waitForTimeout(500);
        return before.includes(`#${key}=`) && page.url() === before;
      })
      .toBe(true);
    expect(await page.evaluate(() => history.length)).toBe(entries);

    const { hash } = new URL(page.url());
    const linked = await openFigure(path, key, 'en', hash);
    expect(await valueOf(await elementOf(linked.figure.locator(`[data-press="${name}"]`)))).toBe(
      value,
    );
    await expect
      .poll(() =>
        linked.page.evaluate((id) => {
          const box = document.getElementById(id)!.getBoundingClientRect();
          return box.top < innerHeight && box.bottom > 0;
        }, key),
      )
      .toBe(true);
    await linked.page.context().close();

    await page.locator('a.language').click();
    await page.waitForURL('**/en/**');
    expect(new URL(page.url()).hash).toBe(hash);
    await page.locator(`#${key} [data-press="${name}"]`).waitFor();
    expect(await valueOf(await elementOf(page.locator(`#${key} [data-press="${name}"]`)))).toBe(
      value,
    );
    await page.context().close();
  });

  it.each(['#KEY=m:999999,n:abc,zzz:1,lock:7', '#KEY=%E0%A4%A,,:,:::', '#KEY=', '#KEY&f99=m:1'])(
    'survives %s',
    async (hash) => {
      const { page, faults, figure } = await openFigure(path, key, 'zh', hash.replace('KEY', key));
      expect(await figure.locator('.px-sentence').textContent()).not.toMatch(/NaN|undefined/);
      // The site's router reports a hash that is no text; the figure does not mind.
      expect(faults.filter((fault) => !fault.includes('URI malformed'))).toEqual([]);
      await page.context().close();
    },
  );

  it('gives its numbers as a table and its picture as files', async () => {
    const { page, figure } = await openFigure(path, key);
    await figure.locator('.px-icon-table').click();
    expect(await figure.locator('table thead th').count()).toBeGreaterThan(1);
    expect(await figure.locator('table tbody tr').count()).toBeGreaterThan(0);

    const save = async (kind: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        figure.getByRole('button', { name: kind }).click(),
      ]);
      return readFile(await download.path());
    };
    const svg = (await save('SVG')).toString();
    expect(svg).toMatch(/^<svg xmlns/);
    expect(svg).not.toContain('var(--');
    expect((await save('PNG')).subarray(1, 4).toString()).toBe('PNG');
    const csv = (await save('CSV')).toString();
    expect(csv.split('\r\n').length).toBeGreaterThan(2);
    await page.context().close();
  });

  it('prints its state, light on paper', async () => {
    const { page, figure } = await openFigure(path, key);
    await page.evaluate(() => dispatchEvent(new CustomEvent('posenc-theme', { detail: 'dark' })));
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    expect(await page.locator('html').getAttribute('class')).not.toContain('dark');
    await page.emulateMedia({ media: 'print' });
    const box = await figure.locator('.px-stage svg').first().boundingBox();
    expect(box!.height).toBeGreaterThan(100);
    expect(await figure.locator('.px-actions').isVisible()).toBe(false);
    expect((await page.pdf()).length).toBeGreaterThan(20_000);
    await page.context().close();
  });

  it('has a mark for every symbol that a formula links', async () => {
    const { page } = await openFigure(path, key);
    const missing = await page.evaluate(() => {
      const names = [...document.querySelectorAll('.katex [data-sym]')].map((e) =>
        e.getAttribute('data-sym'),
      );
      return names.filter((name) => !document.querySelector(`.px-stage [data-sym="${name}"]`));
    });
    expect(missing).toEqual([]);

    const symbol = page.locator('.formula-block [data-sym]').first();
    if (await symbol.count()) {
      await symbol.hover();
      const lit = page.locator(`.px-stage [data-sym="${await symbol.getAttribute('data-sym')}"]`);
      await expect.poll(() => lit.first().getAttribute('class')).toContain('px-lit');
    }
    await page.context().close();
  });

  it('fits a finger and leaves the page its scrolling', async () => {
    const { page, figure } = await openFigure(path, key);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.waitForTimeout(150);
    const small = await figure
      .locator('button, .px-target, .px-segments label')
      .evaluateAll((all) =>
        all
          .map((element) => ({
            box: element.getBoundingClientRect(),
            name: element.outerHTML.slice(0, 80),
          }))
          .filter(({ box }) => box.width > 0 && Math.max(box.width, box.height) < 44)
          .map(({ name }) => name),
      );
    expect(small).toEqual([]);
    const action = await figure
      .locator('.px-stage')
      .evaluate((stage) => getComputedStyle(stage).touchAction);
    expect(action).toBe('pan-y');
    await page.context().close();
  });
});

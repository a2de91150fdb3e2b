/** The page Speed: the saved run as it was saved, and a run in the page that can be stopped. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { latest } from '../../web/site/benchmark/results.js';
import { duration } from '../../web/site/.vitepress/theme/bench-words.js';
import {
  address,
  languages,
  PHONE,
  seriousFindings,
  sidewaysScroll,
  strictPolicy,
  useSite,
  withoutWasmPolicy,
  type Language,
  type OpenOptions,
  type Site,
} from './site.js';

/** The shortest group. */
const GROUP = 'tables';
const RUN_MS = 60_000;

const site = useSite();
const strictSite = useSite({ 'Content-Security-Policy': strictPolicy() });
const withoutWasm = useSite({
  'Content-Security-Policy': withoutWasmPolicy(),
});

async function openBench(
  at: Site,
  groups: string,
  options: OpenOptions = {},
  lang: Language = 'en',
) {
  const opened = await at.open(`${address('bench', lang)}#groups=${groups}`, options);
  await opened.page.locator('.bench-run.live').waitFor();
  return opened;
}

const start = (page: Page) => page.locator('.bench-controls button').click();
const statusOf = (page: Page) => page.locator('.bench-run [role=status]').textContent();

describe('the saved run', () => {
  it('is shown as it was saved, engine by engine', async () => {
    const { page, faults } = await openBench(site, GROUP);
    const saved = page.locator('.bench').first();
    for (const [i, run] of latest.runs.entries()) {
      await page.locator('#bench-engine').selectOption(String(i));
      const ids = run.rows.map(({ id }) => id);
      const shown = saved.locator('[data-row]');
      await expect
        .poll(() => shown.evaluateAll((rows) => rows.map((row) => row.getAttribute('data-row'))))
        .toEqual(ids);
      const row = run.rows.find(({ ms }) => ms !== undefined)!;
      expect(await saved.locator(`[data-row="${row.id}"]`).innerText()).toContain(
        duration(row.ms!.posenc!),
      );
    }
    expect(await saved.innerText()).not.toMatch(/undefined|NaN|null|\[object/);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('stands in the page as it is built, without scripts', async () => {
    const { page } = await site.open(address('bench', 'zh'), { javaScriptEnabled: false });
    expect(await page.locator('[data-row]').count()).toBeGreaterThan(0);
    await page.context().close();
  });
});

describe('a run in the page', () => {
  it('needs no more than a strict policy allows, and leaves the page alive', async () => {
    const { page, faults } = await openBench(strictSite, GROUP);
    await start(page);
    await expect.poll(() => statusOf(page), { timeout: RUN_MS }).toMatch(/rows measured/);
    const button = page.locator('.header-tools button').nth(1);
    const before = Date.now();
    await button.click();
    expect(Date.now() - before).toBeLessThan(RUN_MS / 10);
    await expect.poll(() => statusOf(page), { timeout: RUN_MS }).toBe('Done.');
    const rows = page.locator('.bench-run [data-row]');
    expect(await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-row')))).toEqual(
      ['table-rope', 'table-sinusoidal'],
    );
    expect(await rows.first().innerText()).toMatch(
      /plain JavaScript\s+[\d.]+ [µm]s takes [\d.]+ ×/,
    );
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('stops at once, and starts again', async () => {
    const { page } = await openBench(site, 'forward,decode');
    await start(page);
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => statusOf(page)).toMatch(/^Stopped after 0 of \d+ rows/);
    expect(await page.locator('.bench-run input[type=checkbox]').first().isEnabled()).toBe(true);
    await start(page);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.context().close();
  });

  it.each(languages)('says why it cannot go on (%s)', async (lang) => {
    const { page } = await openBench(withoutWasm, GROUP, {}, lang);
    await start(page);
    await expect
      .poll(() => page.locator('.bench-note.failed').textContent())
      .toMatch(/CSP|WebAssembly/);
    expect(await page.locator('.bench-controls button').isEnabled()).toBe(true);
    await page.context().close();
  });

  it('asks for at least one group', async () => {
    const { page } = await openBench(site, GROUP);
    await page.locator(`input[value=${GROUP}]`).uncheck();
    expect(await page.locator('.bench-controls button').isDisabled()).toBe(true);
    expect(await statusOf(page)).toContain('at least one');
    await page.context().close();
  });
});

describe.each(['light', 'dark'] as const)('with results, %s', (colorScheme) => {
  it.each(languages)('it fits a phone and is accessible (%s)', async (lang) => {
    const { page, faults } = await openBench(site, GROUP, { colorScheme, viewport: PHONE }, lang);
    await start(page);
    await page.locator('.bench-run [data-row]').first().waitFor({ timeout: RUN_MS });
    expect(await sidewaysScroll(page)).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

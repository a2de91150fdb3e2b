/** The page Lab: models that learn in workers, and runs that outlive the page. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
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

/** A run of some seconds that learns. */
const SMALL = 'pe:sinusoidal.alibi,high:4,width:32,steps:150,rate:0.005';
/** Tests with a run to its end may take so long on a slow machine. */
const SLOW_MS = 240_000;
/** One that nobody waits for. */
const LONG = 'pe:t5,high:4,width:16,batch:4,steps:100000';
const RUN_MS = 90_000;
const soon = { timeout: RUN_MS };

const site = useSite();
const strictSite = useSite({ 'Content-Security-Policy': strictPolicy("'self' blob:") });
const withoutWasm = useSite({
  'Content-Security-Policy': withoutWasmPolicy("'self' blob:"),
});

async function openLab(at: Site, chosen: string, options: OpenOptions = {}, lang: Language = 'en') {
  const opened = await at.open(`${address('lab', lang)}#lab=${chosen}`, options);
  await opened.page.locator('.lab.live').waitFor();
  return opened;
}

/** The buttons: start, pause or resume; one step; cancel. */
const buttonOf = (page: Page, which: 0 | 1 | 2) => page.locator('.lab-controls button').nth(which);
const stateOf = (page: Page, encoding: string) =>
  page.locator(`[data-learner=${encoding}]`).getAttribute('data-state');
const stepOf = async (page: Page, encoding: string): Promise<number> =>
  Number(
    /step (\d+)/.exec(await page.locator(`[data-learner=${encoding}]`).innerText())?.[1] ?? NaN,
  );
const keptStepOf = async (page: Page, encoding: string): Promise<number> =>
  Number(/(\d+)\//.exec(await page.locator(`[data-run=${encoding}]`).innerText())?.[1] ?? NaN);

async function reach(page: Page, encoding: string, state: string): Promise<void> {
  await expect.poll(() => stateOf(page, encoding), soon).toBe(state);
}

/** Starts the long run and waits until it has been kept. */
async function startAndKeep(page: Page): Promise<void> {
  await buttonOf(page, 0).click();
  await page.locator('[data-run=t5]').waitFor(soon);
  await expect.poll(() => keptStepOf(page, 't5'), soon).toBeGreaterThan(0);
}

describe('a run', { timeout: SLOW_MS }, () => {
  it('learns, shows what it learns, and needs no more than a strict policy allows', async () => {
    const { page, faults } = await openLab(strictSite, SMALL);
    await buttonOf(page, 0).click();
    for (const encoding of ['sinusoidal', 'alibi']) {
      await reach(page, encoding, 'done');
      const text = await page.locator(`[data-learner=${encoding}]`).innerText();
      expect(Number(/Loss ([\d.]+)/.exec(text)![1])).toBeLessThan(1.5);
    }
    const accuracy = page.locator('[data-chart=accuracy]');
    expect(await accuracy.locator('svg').getAttribute('aria-label')).toMatch(
      /Right answers at size 4 \(trained\) → 8: Sinusoidal \d+% → \d+%, ALiBi \d+% → \d+%\./,
    );
    await accuracy.locator('summary').click();
    const first = accuracy.locator('tbody tr').first();
    expect(await first.locator('th').innerText()).toBe('2');
    expect(Number(await first.locator('td').first().innerText())).toBeGreaterThan(0.5);

    await page.locator('#lab-look').selectOption('alibi');
    const bias = page.locator('[data-chart=bias] svg');
    await expect
      .poll(() => bias.getAttribute('aria-label'), soon)
      .toMatch(/ALiBi at step 150, layer 1: at distance \d+ the heads add −\d/);
    await page.locator('#lab-layer').selectOption({ value: '1' });
    await expect
      .poll(() => page.locator('[data-chart=attention] svg').getAttribute('aria-label'), soon)
      .toMatch(/layer 2, head 1: the last token looks most at token \d+/);

    for (const [button, file] of [
      ['[data-chart=loss] button:nth-of-type(1)', 'posenc-lab-loss.png'],
      ['[data-chart=loss] button:nth-of-type(2)', 'posenc-lab-loss.svg'],
      ['[data-chart=loss] button:nth-of-type(3)', 'posenc-lab-loss.csv'],
      ['[data-learner=alibi] button', 'config.json'],
      ['.lab-kept > .lab-tools button', 'posenc-lab.csv'],
    ] as const) {
      const download = page.waitForEvent('download');
      await page.locator(button).first().click();
      expect((await download).suggestedFilename()).toBe(file);
    }
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('pauses, steps, goes on and is cancelled at once', async () => {
    const { page, faults } = await openLab(site, LONG);
    await buttonOf(page, 1).click();
    await reach(page, 't5', 'paused');
    expect(await stepOf(page, 't5')).toBe(1);
    await buttonOf(page, 1).click();
    await expect.poll(() => stepOf(page, 't5'), soon).toBe(2);
    await reach(page, 't5', 'paused');
    await buttonOf(page, 0).click();
    await expect.poll(() => stepOf(page, 't5'), soon).toBeGreaterThan(4);
    await buttonOf(page, 0).click();
    await reach(page, 't5', 'paused');
    const held = await stepOf(page, 't5');
    await page.waitForTimeout(300);
    expect(await stepOf(page, 't5')).toBe(held);
    await buttonOf(page, 0).click();
    await expect.poll(() => stepOf(page, 't5'), soon).toBeGreaterThan(held);
    // From the press to what is seen, in the page's own time.
    const took = await page.evaluate(async () => {
      const began = performance.now();
      document.querySelectorAll<HTMLElement>('.lab-controls button')[2]!.click();
      while (!document.querySelector('[data-state=cancelled]')) {
        await new Promise((resolve) => setTimeout(resolve));
      }
      return performance.now() - began;
    });
    expect(took).toBeLessThan(1000);
    await expect.poll(() => page.workers().length, soon).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('goes on after a reload', async () => {
    const { page, faults } = await openLab(site, LONG);
    await startAndKeep(page);
    await page.reload();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Weights of T5 bias · 0' }).click();
    expect((await download).suggestedFilename()).toBe('config.json');
    await page.locator('.lab-unfinished button').click();
    const kept = await keptStepOf(page, 't5');
    expect(kept).toBeGreaterThan(0);
    await reach(page, 't5', 'running');
    await expect.poll(() => stepOf(page, 't5'), soon).toBeGreaterThan(kept);
    await buttonOf(page, 2).click();
    await page.locator('[data-run=t5] button').last().click();
    await expect.poll(() => page.locator('[data-run]').count(), soon).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('goes on after its worker has died', async () => {
    const { page } = await openLab(site, LONG);
    await startAndKeep(page);
    await page.workers()[0]!.evaluate(() => {
      setTimeout(() => {
        throw new Error('killed by a test');
      });
    });
    await reach(page, 't5', 'broken');
    const learner = page.locator('[data-learner=t5]');
    expect(await learner.locator('[role=alert]').innerText()).toMatch(/killed by a test/);
    const kept = await keptStepOf(page, 't5');
    await learner.getByRole('button', { name: 'Resume from what was kept' }).click();
    await reach(page, 't5', 'running');
    await expect.poll(() => stepOf(page, 't5'), soon).toBeGreaterThan(kept);
    await page.context().close();
  });
});

describe('trouble', { timeout: SLOW_MS }, () => {
  it.each(languages)('without WebAssembly is told (%s)', async (lang) => {
    const { page } = await openLab(withoutWasm, LONG, {}, lang);
    await buttonOf(page, 0).click();
    await reach(page, 't5', 'broken');
    expect(await page.locator('[data-learner=t5] [role=alert]').innerText()).toMatch(
      /wasm-unsafe-eval/,
    );
    await page.context().close();
  });

  it('with storage is told, and breaks nothing', async () => {
    const { page, faults } = await openLab(site, SMALL, {
      script: () => {
        Object.defineProperty(globalThis, 'indexedDB', {
          get() {
            throw new DOMException('denied', 'SecurityError');
          },
        });
      },
    });
    await expect
      .poll(() => page.locator('.lab-kept .lab-fault').textContent(), soon)
      .toMatch(/does not let the page keep data.*denied/);
    await buttonOf(page, 1).click();
    await reach(page, 'alibi', 'paused');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('with a text is told', async () => {
    const { page } = await openLab(site, 'task:text,pe:alibi,high:16,steps:3,width:16');
    await page.locator('#lab-text').fill('too short');
    await buttonOf(page, 0).click();
    await reach(page, 'alibi', 'broken');
    expect(await page.locator('[role=alert]').innerText()).toMatch(/text is too short/);
    await page.locator('#lab-text').fill('To be, or not to be: that is the question. '.repeat(20));
    await buttonOf(page, 0).click();
    await reach(page, 'alibi', 'done');
    expect(await page.locator('[data-chart=accuracy] h3').innerText()).toMatch(/next characters/);
    expect(page.url()).not.toMatch(/question/);
    await page.context().close();
  });
});

describe('choices', () => {
  it('live in the address', async () => {
    const { page } = await openLab(site, SMALL);
    expect(await page.locator('#lab-steps').inputValue()).toBe('150');
    await page.locator('#lab-task').selectOption('sort');
    await page.locator('#lab-seed').fill('12');
    await page.locator('#lab-high').fill('99999');
    await page.locator('#lab-high').blur();
    expect(await page.locator('#lab-high').inputValue()).toBe('512');
    await page.locator('input[value=fire]').check();
    expect(new URL(page.url()).hash).toBe(
      '#lab=task:sort,high:512,pe:sinusoidal.alibi.fire,seed:12,steps:150,width:32,rate:0.005',
    );
    await page.locator('a.language').click();
    await page.locator('.lab.live').waitFor();
    expect(new URL(page.url()).pathname).toBe('/lab.html');
    expect(await page.locator('#lab-seed').inputValue()).toBe('12');
    expect(await page.locator('input[value=fire]').isChecked()).toBe(true);
    expect(await page.locator('input[value=rope]').isChecked()).toBe(false);
    await page.context().close();
  });

  it('of nonsense are ignored; one encoding is needed', async () => {
    const { page, faults } = await openLab(site, 'task:x,steps:-5,width:1e9,heads:3,pe:');
    expect(await page.locator('#lab-task').inputValue()).toBe('copy');
    expect(await page.locator('#lab-steps').inputValue()).toBe('1');
    expect(await buttonOf(page, 0).isDisabled()).toBe(true);
    expect(await page.locator('.lab > [role=status]').innerText()).toMatch(/at least one/);
    await page.locator('input[value=rope]').focus();
    await page.keyboard.press('Space');
    expect(await buttonOf(page, 0).isEnabled()).toBe(true);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe.each(['light', 'dark'] as const)(
  'with results, %s',
  { timeout: SLOW_MS },
  (colorScheme) => {
    it.each(languages)('it fits a phone and is accessible (%s)', async (lang) => {
      const chosen = 'pe:t5.alibi,high:3,width:16,batch:4,steps:4';
      const options = { colorScheme, viewport: PHONE, reducedMotion: 'reduce' } as const;
      const { page, faults } = await openLab(site, chosen, options, lang);
      await buttonOf(page, 0).click();
      for (const encoding of ['t5', 'alibi']) await reach(page, encoding, 'done');
      await page.locator('[data-chart=bias]').waitFor(soon);
      await page.locator('[data-run=alibi]').waitFor(soon);
      for (const summary of await page.locator('.lab summary').all()) await summary.click();
      expect(await sidewaysScroll(page)).toBe(0);
      expect(await seriousFindings(page)).toEqual([]);
      await page.setViewportSize({ width: 1280, height: 800 });
      expect(await sidewaysScroll(page)).toBe(0);
      expect(await seriousFindings(page)).toEqual([]);
      expect(faults).toEqual([]);
      await page.context().close();
    });
  },
);

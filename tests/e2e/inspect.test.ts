/** The page Inspect: the numbers of `inspect`, comparison, copying, files, links, phones, broken input. */
import { inspect } from 'posenc';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { planFacts } from '../../web/site/.vitepress/theme/inspect-facts.js';
import { presets } from '../../web/site/presets/index.js';
import { ggufFile } from '../api/gguf-file.js';
import {
  address,
  languages,
  seriousFindings,
  sidewaysScroll,
  useSite,
  type Language,
  type OpenOptions,
} from './site.js';

const site = useSite();
const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] };
const own = '{"model_type":"bloom","hidden_size":64,"n_layer":3,"n_head":12,"seq_length":256}';

async function openInspect(hash = '', options: OpenOptions = {}, lang: Language = 'en') {
  const opened = await site.open(address('inspect', lang) + hash, options);
  if (options.javaScriptEnabled !== false) await opened.page.locator('.inspect.live').waitFor();
  return opened;
}

const planOf = (id: string) => {
  const { config, length } = presets.find((preset) => preset.id === id)!;
  return inspect(config, length === undefined ? {} : { length });
};

/** Without the last digits: engines differ in the last bit of a power. */
const rounded = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'number' ? Number(each.toPrecision(13)) : each,
    ),
  );

/** Presses a button by the keyboard and gives what it copied. */
async function copy(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name }).first().focus();
  await page.keyboard.press('Enter');
  const notice = page.locator('.inspect-notice').filter({ hasText: 'Copied' });
  await notice.first().waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

/** Lets a file fall on the text of a config. */
async function drop(page: Page, name: string, bytes: Buffer, padding = 0): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([fileName, base64, zeros]) => {
      const content = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([content, new Uint8Array(zeros)], fileName));
      return data;
    },
    [name, bytes.toString('base64'), padding] as const,
  );
  await page.locator('.inspect-source').first().dispatchEvent('drop', { dataTransfer: transfer });
}

describe('the plan', () => {
  it.each(presets)('of $id is that of inspect', async ({ id, title }) => {
    const { page, faults } = await openInspect(`#model=${id}`, clipboard);
    const plan = planOf(id);
    const summary = page.locator('.facts-summary');
    const values = planFacts(plan, 'en').map(([, value]) => value);
    await expect.poll(() => summary.locator('dd').allTextContents()).toEqual(values);
    expect(await page.locator('#inspect-preset option:checked').textContent()).toBe(title);
    const copied = JSON.parse(await copy(page, 'Copy the plan')) as unknown;
    expect(rounded(copied)).toEqual(rounded(plan));
    expect(await page.locator('.layer-group').count()).toBe(plan.layerGroups.length);
    const charts = plan.layerGroups.filter(({ wavelengths }) => wavelengths.length > 0);
    expect(await page.locator('.inspect-chart svg[role=img]').count()).toBe(charts.length);
    const text = await page.locator('.inspect').innerText();
    expect(text).not.toMatch(/undefined|NaN|null|\[object/);
    for (const { incompletePairs, wavelengths } of charts)
      if (incompletePairs)
        expect(text).toContain(`${incompletePairs} of ${wavelengths.length} pairs`);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('stands in the page as it is built, without scripts', async () => {
    const { page } = await openInspect('', { javaScriptEnabled: false });
    const text = await page.locator('.inspect').innerText();
    expect(text).toContain('29 of 64 pairs never completed a turn in training');
    expect(await page.locator('.inspect-chart circle').count()).toBeGreaterThan(64);
    await page.context().close();
  });

  it.each([360, 1280])('moves nothing while the page loads, %i px wide', async (width) => {
    const { page } = await openInspect('', {
      viewport: { width, height: 800 },
      script: () => {
        const kept = window as unknown as { shift: number };
        kept.shift = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries())
            kept.shift += (entry as unknown as { value: number }).value;
        }).observe({ type: 'layout-shift', buffered: true });
      },
    });
    await page.waitForTimeout(600);
    const shift = await page.evaluate(() => (window as unknown as { shift: number }).shift);
    expect(shift).toBeLessThan(0.02);
    await page.context().close();
  });

  it('needs neither WebAssembly nor the library for GGUF files', async () => {
    const asked: string[] = [];
    const { page } = await openInspect('', {
      prepare: (opened) => void opened.on('request', (request) => asked.push(request.url())),
    });
    await page.locator('.layer-group').first().waitFor();
    const before = asked.length;
    expect(asked.filter((url) => /wasm|simd|relaxed/.test(url))).toEqual([]);
    await drop(page, 'model.gguf', ggufFile({ 'general.architecture': 'llama' }));
    const input = page.locator('#inspect-config');
    await expect.poll(() => input.inputValue()).toContain('general.architecture');
    expect(asked.slice(before).filter((url) => url.endsWith('.js')).length).toBeGreaterThan(0);
    await page.context().close();
  });
});

describe('one pair', () => {
  it('is pointed at by keys and by the pointer', async () => {
    const { page } = await openInspect();
    const slider = page.getByRole('slider', { name: 'Pair pointed at' });
    await slider.focus();
    await page.keyboard.press('End');
    const said = page.locator('.inspect-readout');
    await expect.poll(() => said.textContent()).toMatch(/^Pair 63: .*2559196 before scaling, × 8/);
    expect(await slider.getAttribute('aria-valuetext')).toBe(await said.textContent());
    const box = (await page.locator('.inspect-chart').boundingBox())!;
    await page.mouse.move(box.x + 68, box.y + 100);
    await expect.poll(() => said.textContent()).toMatch(/^Pair 0: 1 rad per position/);
    await page.context().close();
  });

  it('has its row in the table', async () => {
    const { page } = await openInspect();
    await page.getByText('The numbers').click();
    const row = page.locator('.layer-group tbody tr').nth(63).locator('th, td');
    const cells = await row.allTextContents();
    expect(cells.map((cell) => cell.trim()).slice(0, 7)).toEqual([
      ...['63', '3.069e-7', '20473564', '2559196', '8', 'interpolated', '0.3%'],
    ]);
    await page.context().close();
  });
});

describe('copying', () => {
  it('gives frequencies and the table in full precision', async () => {
    const { page } = await openInspect('', clipboard);
    const { inverseFrequencies } = planOf(presets[0]!.id).layerGroups[0]!;
    const copied = JSON.parse(await copy(page, 'Copy frequencies')) as number[];
    expect(rounded(copied)).toEqual(rounded(inverseFrequencies));
    const lines = (await copy(page, 'Copy table')).trim().split('\n').slice(1);
    expect(lines.map((line) => Number(line.split(',')[1]))).toEqual(copied);
    await page.context().close();
  });

  it('says so where the browser refuses', async () => {
    const { page } = await openInspect('', {
      script: () => {
        navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
      },
    });
    await page.getByRole('button', { name: 'Copy frequencies' }).click();
    const notice = page.locator('.inspect-notice.failed');
    await expect.poll(() => notice.textContent()).toContain('does not allow');
    await page.context().close();
  });
});

describe('another config', () => {
  it('stands beside the first, what differs marked, and its curve in the chart', async () => {
    const { page, faults } = await openInspect();
    await page.locator('#inspect-with').selectOption('qwen3-8b');
    const marked = page.locator('.compare-table .differs');
    await expect.poll(() => marked.count()).toBeGreaterThan(3);
    expect(await marked.first().innerText()).toMatch(/Model type.*llama.*qwen3/s);
    const total = await page.locator('.compare-table').first().locator('tbody td').count();
    expect(await page.locator('.compare > p').textContent()).toContain(
      `${await marked.count()} of ${total / 2} rows`,
    );
    expect(await page.locator('.chart-legend').first().innerText()).toContain('Qwen3-8B');
    const fill = 'rect[fill="var(--px-series-7)"]';
    expect(await page.locator('.inspect-chart').first().locator(fill).count()).toBe(64);

    await page.locator('#inspect-with').selectOption('llama-3.1-8b');
    await expect.poll(() => page.locator('.compare > p').textContent()).toContain('same plan');
    await page.locator('#inspect-with').selectOption('own');
    await page.locator('#inspect-other').fill(own);
    await expect.poll(() => page.locator('.compare').innerText()).toContain('bloom');
    await page.locator('#inspect-other').fill('{"model_type":');
    await expect.poll(() => page.locator('.px-failure').textContent()).toContain('cut off');
    await page.locator('#inspect-with').selectOption('');
    await expect.poll(() => page.locator('.compare, #inspect-other').count()).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe('files', () => {
  it('a config.json can be dropped and chosen', async () => {
    const { page, faults } = await openInspect();
    const summary = page.locator('.facts-summary');
    await drop(page, 'config.json', Buffer.from(own));
    await expect.poll(() => summary.textContent()).toContain('bloom');
    expect(await page.locator('#inspect-preset').inputValue()).toBe('own');
    await page.locator('.inspect-file input').setInputFiles({
      ...{ name: 'config.json', mimeType: 'application/json' },
      buffer: Buffer.from(own.replace('256', '512')),
    });
    await expect.poll(() => summary.textContent()).toContain('512');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  const header = {
    'general.architecture': 'qwen2',
    ...{ 'qwen2.block_count': 28, 'qwen2.context_length': 131072 },
    ...{ 'qwen2.embedding_length': 3584, 'qwen2.attention.head_count': 28 },
    ...{ 'qwen2.attention.head_count_kv': 4, 'qwen2.rope.freq_base': 1000000 },
    ...{ 'qwen2.rope.scaling.type': 'yarn', 'qwen2.rope.scaling.factor': 4 },
    'qwen2.rope.scaling.original_context_length': 32768,
  };

  it('of a GGUF only the beginning is read', async () => {
    const { page, faults } = await openInspect('', {
      ...clipboard,
      script: () => {
        const kept = window as unknown as { farthest: number };
        kept.farthest = 0;
        File.prototype.slice = function (this: File, start?: number, end = this.size) {
          kept.farthest = Math.max(kept.farthest, end);
          return Blob.prototype.slice.call(this, start, end);
        };
        File.prototype.text = () => Promise.reject(new Error('reads the whole file'));
      },
    });
    await drop(page, 'model.gguf', ggufFile(header), 16_000_000);
    await expect.poll(() => page.locator('.facts-summary').textContent()).toContain('32768');
    const plan = JSON.parse(await copy(page, 'Copy the plan')) as ReturnType<typeof inspect>;
    expect(rounded(plan.layerGroups)).toEqual(rounded(inspect(header).layerGroups));
    const farthest = await page.evaluate(
      () => (window as unknown as { farthest: number }).farthest,
    );
    expect(farthest).toBeLessThanOrEqual(2_000_000);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['broken.gguf', Buffer.from('no header'), 'header of this GGUF'],
    ['broken.gguf', Buffer.from('GGUF\u0003'), 'header of this GGUF'],
    ['weights.safetensors', Buffer.alloc(9 * 2 ** 20), 'too large'],
  ])('%s is refused in words', async (name, bytes, words) => {
    const { page, faults } = await openInspect();
    await drop(page, name, bytes);
    await expect.poll(() => page.locator('.px-failure').textContent()).toContain(words);
    await page.locator('#inspect-preset').selectOption('bloom');
    await expect.poll(() => page.locator('.px-failure').count()).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe('links', () => {
  it('open the same view, in the other language too', async () => {
    const { page } = await openInspect();
    await page.locator('#inspect-preset').selectOption('gemma-3-4b');
    await page.locator('#inspect-with').selectOption('bloom');
    await page.locator('#inspect-length').fill('65536');
    const hash = '#model=gemma-3-4b&length=65536&with=bloom';
    await expect.poll(() => new URL(page.url()).hash).toBe(hash);
    await page.locator('a.language').click();
    await page.waitForURL(`**/inspect.html${hash}`);
    await expect.poll(() => page.locator('#inspect-length').inputValue()).toBe('65536');
    expect(await page.locator('#inspect-with').inputValue()).toBe('bloom');
    await expect.poll(() => page.locator('.facts-summary').textContent()).toContain('gemma3_text');
    await page.context().close();
  });

  it('never hold a config of one’s own', async () => {
    const { page } = await openInspect('#model=bloom');
    await page.locator('#inspect-config').fill(own);
    await expect.poll(() => new URL(page.url()).hash).toBe('');
    await page.context().close();
  });

  it.each([
    '#model=none&with=%&length=99999999999',
    '#length=0',
    '#model=&with=',
    '#how-it-decides',
  ])('survives %s', async (hash) => {
    const { page, faults } = await openInspect(hash);
    await page.waitForTimeout(300);
    expect(await page.locator('.inspect').innerText()).not.toMatch(/undefined|NaN/);
    await page.locator('#inspect-preset').selectOption('qwen3-8b');
    await expect.poll(() => page.locator('.facts-summary').textContent()).toContain('qwen3');
    expect(faults.filter((fault) => !fault.includes('URI malformed'))).toEqual([]);
    await page.context().close();
  });
});

describe('broken input', () => {
  it('is explained, and the page recovers', async () => {
    const { page, faults } = await openInspect();
    const text = page.locator('#inspect-config');
    for (const [config, word] of [
      ['<!doctype html><p>404', 'HTML'],
      ['{"model_type": "llama",', 'cut off'],
      ['{"model_type": "llama", "hidden_size": -1}', 'hidden_size'],
      ['{"__proto__": {"hidden_size": 1e308}}', 'config'],
    ] as const) {
      await text.fill(config);
      await expect.poll(() => page.locator('.px-failure').textContent()).toContain(word);
    }
    await text.fill(own);
    await page.locator('#inspect-length').fill('many');
    await expect.poll(() => page.locator('.px-failure').textContent()).toContain('length');
    await page.locator('#inspect-preset').selectOption('bloom');
    await page.locator('.layer-group').waitFor();
    expect(await page.locator('.px-failure').count()).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe.each(['light', 'dark'] as const)('in full, %s', (colorScheme) => {
  it.each(languages)('fits a phone and is accessible (%s)', async (lang) => {
    const hash = '#model=phi-3-mini-128k&with=llama-3.1-8b';
    const { page, faults } = await openInspect(hash, { colorScheme }, lang);
    await page.locator('.compare').waitFor();
    await page.locator('.compare summary').click();
    await page.locator('.layer-group summary').last().click();
    for (const width of [1440, 768, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await page.waitForTimeout(100);
      expect(await sidewaysScroll(page)).toBe(0);
    }
    expect(await seriousFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

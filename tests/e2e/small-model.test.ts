/** The page Small model: a model trained in it, its positions swapped, and a genuine checkpoint dropped on it. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeSafetensors } from 'posenc';
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

const TRAIN_MS = 120_000;
/** A test that trains. */
const LONG = 240_000;

const site = useSite();
const strictSite = useSite({ 'Content-Security-Policy': strictPolicy() });
const withoutWasm = useSite({
  'Content-Security-Policy': withoutWasmPolicy(),
});

async function openSmall(at: Site, hash = '', options: OpenOptions = {}, lang: Language = 'en') {
  const opened = await at.open(address('model', lang) + hash, options);
  await opened.page.locator('.small.live').waitFor();
  return opened;
}

/** Trains to the end, or until the model knows a little, and then takes it as it is. */
async function trainHere(page: Page, percent = 100): Promise<void> {
  await page.locator('.small-pick .px-action').click();
  if (percent < 100) {
    const bar = page.locator('.small-pick progress');
    const share = () => bar.evaluate((each) => (each as HTMLProgressElement).value);
    await expect.poll(share, { timeout: TRAIN_MS, interval: 50 }).toBeGreaterThan(percent / 100);
    await page.locator('.small-pick button', { hasText: /Stop|停/ }).click();
  }
  await page.locator('#small-prompt').waitFor({ timeout: TRAIN_MS });
}

const part = (page: Page, number: number) => page.locator('.small-part').nth(number);
const press = (page: Page, number: number) => part(page, number).locator('.px-action').click();
const chips = (page: Page) => page.locator('.small-chip');

/** Writes, and waits for the probabilities. */
async function write(page: Page): Promise<string[]> {
  await press(page, 0);
  await page.locator('.small-detail li').first().waitFor();
  return chips(page).allTextContents();
}

/** Drops files on the page. */
async function drop(page: Page, files: readonly { name: string; bytes: Uint8Array }[]) {
  const given = files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString('base64')]);
  const transfer = await page.evaluateHandle((list) => {
    const data = new DataTransfer();
    for (const [name, base64] of list) {
      const content = Uint8Array.from(atob(base64!), (letter) => letter.charCodeAt(0));
      data.items.add(new File([content], name!));
    }
    return data;
  }, given);
  await page.locator('.small-pick').dispatchEvent('drop', { dataTransfer: transfer });
}

describe('a model trained here', () => {
  it(
    'needs no more than a strict policy allows: writes, looks, swaps, makes mistakes',
    async () => {
      const { page, faults } = await openSmall(strictSite, '#tokens=24&temperature=0');
      await trainHere(page);
      expect(await page.locator('.small-facts').innerText()).toMatch(/rope.*64 tokens/s);

      // Known by heart.
      const written = await write(page);
      expect(written.join('').replaceAll('␣', ' ').trim()).toMatch(/^star, how I wonder/);
      await chips(page).nth(2).hover();
      await expect
        .poll(() => page.locator('.small-detail p').textContent())
        .toMatch(/^“a”: probability \d+\s%, rank 1$/);
      await chips(page).nth(2).focus();
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => page.locator('.small-detail p').textContent()).toMatch(/^“r”/);
      expect(await page.locator('.small-detail li').count()).toBe(5);

      // Where a head looks, and what makes a score.
      await page.locator('#small-layer').selectOption({ value: '1' });
      await page.locator('#small-head').selectOption({ value: '2' });
      const map = page.locator('.small-map svg');
      await expect.poll(() => map.getAttribute('aria-label')).toMatch(/layer 2, head 3 over \d+/);
      await page.locator('#small-query').focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowRight');
      await expect
        .poll(() => page.locator('.small-sentence').nth(1).textContent())
        .toMatch(/content [−\d.]+, turning [−\d.]+, bias 0.00, together [−\d.]+, weight \d/);
      await page.locator('.small-table summary').first().click();
      expect(await page.locator('.small-table').first().locator('tbody tr').count()).toBe(24 + 25);

      // Other positions.
      await press(page, 2);
      await page.locator('.small-ways-list li').nth(4).waitFor();
      const numbers = page.locator('.small-ways-list li');
      const of = async (way: string) =>
        (await numbers.filter({ hasText: way }).locator('dd').allTextContents()).map(Number);
      const [own, nope, window] = [await of('own'), await of('NoPE'), await of('window')];
      expect(own[0]).toBeLessThan(1.5);
      expect(own[1]).toBeGreaterThan(1.5 * own[0]!);
      expect(nope[0]).toBeGreaterThan(5 * own[0]!);
      expect(window[1]).toBeLessThan(own[1]!);
      await page.locator('#small-way').selectOption('nope');
      expect(await write(page)).not.toEqual(written);

      // Mistakes.
      for (const name of ['restart at 0', 'Renumbered']) {
        await page.getByRole('switch', { name }).click();
      }
      const costs = part(page, 3).locator('.small-sentence');
      await expect.poll(() => costs.count()).toBe(2);
      for (const text of await costs.allTextContents()) {
        const [right, wrong] = /loss per token ([\d.]+) → ([\d.]+)/
          .exec(text)!
          .slice(1)
          .map(Number);
        expect(wrong).toBeGreaterThan(right! + 0.3);
      }
      expect(await page.locator('.small').innerText()).not.toMatch(/undefined|NaN|null|\[object/);
      expect(faults).toEqual([]);
      await page.context().close();
    },
    LONG,
  );

  it('stops writing at once, and starts again', { timeout: LONG }, async () => {
    const { page } = await openSmall(site, '#tokens=512&seed=5');
    await trainHere(page, 3);
    await press(page, 0);
    await chips(page).first().waitFor();
    const took = await page.evaluate(async () => {
      const section = document.querySelectorAll('.small-part')[0]!;
      const stop = [...section.querySelectorAll('button')].find((b) =>
        b.textContent.includes('Stop'),
      )!;
      const before = performance.now();
      stop.click();
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const count = document.querySelectorAll('.small-chip').length;
      const waited = performance.now() - before;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { waited, more: document.querySelectorAll('.small-chip').length - count };
    });
    expect(took.waited).toBeLessThan(100);
    expect(took.more).toBe(0);
    await expect
      .poll(() => part(page, 0).locator('[role=status]').textContent())
      .toMatch(/Stopped after \d+ tokens/);
    await page.locator('#small-tokens').fill('5');
    await page.locator('#small-tokens').blur();
    await write(page);
    expect(await chips(page).count()).toBe(5);
    await page.context().close();
  });

  it(
    'keeps what is chosen in the address, in the other language too',
    { timeout: LONG },
    async () => {
      const hash = '#model=train-en&temperature=0.3&way=yarn&factor=8&head=3&ways=own,alibi';
      const { page } = await openSmall(site, hash);
      await trainHere(page, 2);
      expect(await page.locator('#small-way').inputValue()).toBe('yarn');
      expect(await page.locator('#small-head').inputValue()).toBe('3');
      await page.locator('#small-seed').fill('7');
      await page.locator('#small-seed').blur();
      await expect.poll(() => page.url()).toContain('seed=7');
      await page.locator('a.language').click();
      await page.waitForURL('**/model.html#*seed=7*');
      await page.locator('.small.live').waitFor();
      expect(new URL(page.url()).pathname).toBe('/model.html');
      await page.context().close();
    },
  );
});

const folder = fileURLToPath(new URL('../../../shared/conformance/stories260k/', import.meta.url));
const file = (name: string) => ({ name, bytes: new Uint8Array(readFileSync(folder + name)) });

/** Prompt and ids of a greedy continuation. */
function greedy(name: string): { prompt: string; ids: number[] } {
  const { attributes, inputs, outputs } = JSON.parse(
    readFileSync(`${folder}${name}.json`, 'utf8'),
  ) as {
    attributes: { prompt_text: string };
    inputs: Tensor[];
    outputs: Tensor[];
  };
  const tensor = [...inputs, ...outputs].find((each) => each.name === 'generated_ids')!;
  const { buffer } = Uint8Array.from(readFileSync(`${folder}${name}.bin`));
  const ids = [...new BigInt64Array(buffer, tensor.offset, tensor.shape[0])].map(Number);
  return { prompt: attributes.prompt_text, ids };
}
interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly offset: number;
}

describe.skipIf(!existsSync(folder))('stories260K (needs ../shared)', () => {
  it.each([
    ['llama2.c', ['stories260K.bin', 'tok512.bin']],
    ['safetensors', ['config.json', 'model.safetensors', 'tok512.bin']],
  ])('goes on id for id from %s', { timeout: LONG }, async (_, names) => {
    const { page, faults } = await openSmall(site, '#temperature=0&tokens=64');
    await drop(page, names.map(file));
    await page.locator('#small-prompt').waitFor();
    expect(await page.locator('.small-facts').innerText()).toMatch(/llama.*512 tokens.*5 layers/s);
    for (const name of ['greedy_0', 'greedy_1']) {
      const { prompt, ids } = greedy(name);
      await page.locator('#small-prompt').fill(prompt);
      await write(page);
      const shown = await chips(page).evaluateAll((all) =>
        all.map((chip) => Number((chip as HTMLElement).dataset.id)),
      );
      expect(shown).toEqual(ids);
    }
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

const llama = {
  ...{ model_type: 'llama', hidden_size: 16, intermediate_size: 32, vocab_size: 8 },
  ...{ num_hidden_layers: 1, num_attention_heads: 2, max_position_embeddings: 32 },
};
const json = (name: string, value: unknown) => ({
  name,
  bytes: Buffer.from(JSON.stringify(value)),
});
const weights = (name: string) => ({
  name,
  bytes: writeSafetensors({ [name]: { shape: [2], data: new Float32Array(2) } }),
});
const tokenizer = json('tokenizer.json', {
  ...{ version: '1.0', added_tokens: [], normalizer: null, post_processor: null },
  ...{ pre_tokenizer: { type: 'Whitespace' }, decoder: null },
  model: { type: 'WordLevel', vocab: { a: 0, b: 1, '[UNK]': 2 }, unk_token: '[UNK]' },
});
const named = (name: string, { bytes }: { bytes: Uint8Array }) => ({ name, bytes });

describe('files that do not work', () => {
  const part = named('model.safetensors', weights('x'));
  it.each([
    ['nothing of a model', [json('notes.json', {})], /No weights|没有权重/],
    ['weights alone', [part], /config\.json/],
    ['no tokenizer', [json('config.json', llama), part], /tokenizer\.json/],
    [
      'a cut file',
      [
        json('config.json', llama),
        tokenizer,
        named('model.safetensors', { bytes: Buffer.from('PK not a model') }),
      ],
      /broken|坏了/,
    ],
    [
      'another family',
      [json('config.json', { ...llama, model_type: 'mamba' }), tokenizer, part],
      /model_type.*gpt2/s,
    ],
    [
      'missing tensors',
      [json('config.json', llama), tokenizer, part],
      /model\.embed_tokens|embed_tokens/,
    ],
  ])('%s: says so in both languages, and goes on', async (_, files, words) => {
    for (const lang of languages) {
      const { page, faults } = await openSmall(site, '', {}, lang);
      await drop(page, files);
      await expect.poll(() => page.locator('.px-failure').textContent()).toMatch(words);
      expect(await page.locator('.small-pick .px-action').isEnabled()).toBe(true);
      expect(faults).toEqual([]);
      await page.context().close();
    }
  });

  it.each(languages)('says why WebAssembly does not start (%s)', async (lang) => {
    const { page } = await openSmall(withoutWasm, '', {}, lang);
    await page.locator('.small-pick .px-action').click();
    await expect.poll(() => page.locator('.px-failure').textContent()).toMatch(/CSP/);
    await page.context().close();
  });

  it('a character that was not learned is named', { timeout: LONG }, async () => {
    const { page } = await openSmall(site);
    await trainHere(page, 2);
    await page.locator('#small-prompt').fill('Twinkle ☃');
    await press(page, 0);
    await expect.poll(() => part0(page)).toMatch(/only the characters.*☃/s);
    await page.context().close();
  });
  const part0 = (page: Page) =>
    page.locator('.small-part').first().locator('.px-failure').textContent();
});

describe.each(['light', 'dark'] as const)('in full, %s', (colorScheme) => {
  it.each(languages)('fits a phone and is accessible (%s)', { timeout: LONG }, async (lang) => {
    const hash = `#model=train-${lang}&tokens=24&mistakes=restart,evict,renumber&ways=own,yarn`;
    const options = { colorScheme, viewport: PHONE, reducedMotion: 'reduce' } as const;
    const { page, faults } = await openSmall(site, hash, options, lang);
    await trainHere(page, 5);
    await write(page);
    await press(page, 2);
    await page.locator('.small-ways-list li').nth(1).waitFor();
    for (const summary of await page.locator('.small summary').all()) await summary.click();
    for (const width of [1280, 768, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await page.waitForTimeout(100);
      expect(await sidewaysScroll(page)).toBe(0);
    }
    expect(await seriousFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

/** The built site in a real browser: what all tests of this folder share. */
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { serve } from '../../scripts/lib/serve.mjs';
import { findChromium } from '../../scripts/lib/system.mjs';
import { groups } from '../../scripts/reference/groups.mjs';
import { chapters, tools } from '../../web/site/.vitepress/chapters.js';
import { figures } from '../../web/figures/index.js';

export const languages = ['zh', 'en'] as const;
export type Language = (typeof languages)[number];

/** Address of a page by file name. */
export const address = (path: string, lang: Language): string =>
  `${lang === 'zh' ? '/' : '/en/'}${path === 'index' ? '' : `${path}.html`}`;

/** Every page by file name. */
export const pages = [
  'index',
  ...chapters.map(({ path }) => path),
  ...tools.map(({ path }) => path),
];

/** Every page in both languages. */
export const addresses = languages.flatMap((lang) => pages.map((path) => address(path, lang)));

/** The pages of the API, in English alone. */
export const apiAddresses = groups.map(({ path }) => address(`api/${path}`, 'en'));

/** A strict content security policy; `images` says where pictures may come from. */
export const strictPolicy = (images = "'self'"): string =>
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
  `img-src ${images}; font-src 'self'; connect-src 'self'; base-uri 'none'`;

/** That policy without WebAssembly. */
export const withoutWasmPolicy = (images?: string): string =>
  strictPolicy(images).replace(" 'wasm-unsafe-eval'", '');

export const PHONE = { width: 360, height: 740 };

/** Every figure with the page of its own. */
export const figurePages = chapters.map(({ path, figure }) => ({
  path,
  figure,
  key: figures[figure].key,
}));

const folder = fileURLToPath(new URL('../../build/site', import.meta.url));

export interface OpenOptions extends BrowserContextOptions {
  /** Runs before any script of the page. */
  readonly script?: () => void;
  /** Prepares the page before it is opened. */
  readonly prepare?: (page: Page) => Promise<void> | void;
}

export interface OpenPage {
  readonly page: Page;
  /** Errors of scripts and console, failed requests, and requests to other origins. */
  readonly faults: string[];
}

export interface Site {
  /** Opens a page in a fresh profile; it is closed after the test file. */
  open(path: string, options?: OpenOptions): Promise<OpenPage>;
}

/** Serves the built site to a browser for the tests of one file. */
export function useSite(headers: Record<string, string> = {}): Site {
  let browser: Browser;
  let origin: string;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const server = await serve(folder, { headers });
    close = server.close;
    origin = server.address.replace(/\/$/, '');
    const executablePath = findChromium();
    browser = await chromium.launch({
      ...(executablePath !== undefined && { executablePath }),
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    });
  });
  afterAll(async () => {
    await browser.close();
    await close();
  });
  return {
    async open(path, { script, prepare, ...options } = {}) {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        ...options,
      });
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => {
        if (!['error', 'warning'].includes(message.type())) return;
        const { url } = message.location();
        const missing = message.text().startsWith('Failed to load resource');
        faults.push(missing ? `${message.text()}: ${url}` : message.text());
      });
      page.on('request', (request) => {
        const url = new URL(request.url());
        if (url.protocol.startsWith('http') && url.origin !== origin)
          faults.push(`asks another origin: ${url}`);
      });
      page.on('response', (response) => {
        if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
      });
      if (script) await page.addInitScript(script);
      if (prepare) await prepare(page);
      await page.goto(origin + path, { waitUntil: 'load' });
      return { page, faults };
    },
  };
}

/** Scrolls through a page, so that every figure on it starts, and waits until all are live. */
export async function startFigures(page: Page): Promise<void> {
  const slots = await page.locator('.figure-slot').all();
  for (const slot of slots) {
    await slot.scrollIntoViewIfNeeded();
    await slot.locator('.px-actions').waitFor();
  }
}

/** How far the page can be scrolled sideways, in pixels. */
export const sidewaysScroll = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Serious and critical findings of axe, as short texts. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run({ resultTypes: ['violations'] }),
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

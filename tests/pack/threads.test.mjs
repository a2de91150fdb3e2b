/** `posenc/threads` in the browser: with threads on isolated pages, on one thread elsewhere. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build as esbuild } from 'esbuild';
import { chromium } from 'playwright-core';
import { build as vite } from 'vite';
import { afterAll, describe, expect, test } from 'vitest';
import { serve } from '../../scripts/lib/serve.mjs';
import { findChromium } from '../../scripts/lib/system.mjs';
import { install } from './install.ts';

const folder = await install();
const app = join(folder, 'app.js');
// Says how many threads there were, and whether the numbers are those of one.
await writeFile(
  app,
  `import { load } from 'posenc/threads';
   async function run(options) {
     const posenc = await load({ variant: 'simd', threads: 3, ...options });
     const one = await load({ variant: 'simd', threads: 1 });
     const x = one.random(1).normal(6 * 500 * 16);
     const shape = { heads: 6, queries: 500, headDim: 16 };
     const outputs = [posenc, one].map((pe) => {
       const encoding = pe.encoding('rope', { headDim: 16 });
       return pe.attention({ query: x, key: x, value: x, shape, encoding, causal: true }).output;
     });
     const same = outputs[0].every((number, i) => number === outputs[1][i]);
     const { threads } = posenc.info;
     posenc.dispose();
     return 'result ' + threads + (same ? ' same' : ' other');
   }
   const say = globalThis.document ? (text) => console.log(text) : postMessage;
   run(globalThis.wanted).then(say, (error) => say('result ' + error));`,
);

/** Each writes NAME/app.js. */
const bundlers = {
  esbuild: () =>
    esbuild({
      entryPoints: { app },
      bundle: true,
      format: 'esm',
      splitting: true,
      outdir: join(folder, 'esbuild'),
    }),
  vite: () =>
    vite({
      root: folder,
      configFile: false,
      logLevel: 'silent',
      base: './',
      build: {
        outDir: 'vite',
        rollupOptions: { input: app, output: { entryFileNames: 'app.js' } },
      },
    }),
  /** No bundler: the browser's own modules. */
  plain: async () => {
    await mkdir(join(folder, 'plain'));
    await symlink(join(folder, 'node_modules/posenc/dist'), join(folder, 'plain/posenc'));
    const code = await readFile(app, 'utf8');
    await writeFile(
      join(folder, 'plain/app.js'),
      code.replace("'posenc/threads'", "'./posenc/threads.js'"),
    );
  },
};
for (const [name, build] of Object.entries(bundlers)) {
  await build();
  const page = (before) =>
    `<!doctype html><title>${name}</title>${before}<script type="module" src="app.js"></script>`;
  await writeFile(join(folder, name, 'index.html'), page(''));
  await writeFile(join(folder, name, 'before.js'), 'wanted = { workerUrl: "../worker.js" };');
  await writeFile(join(folder, name, 'url.html'), page('<script src="before.js"></script>'));
  await writeFile(
    join(folder, name, 'worker.html'),
    `<!doctype html><title>${name}</title><script src="start.js"></script>`,
  );
  await writeFile(
    join(folder, name, 'start.js'),
    `new Worker('app.js', { type: 'module' }).onmessage = ({ data }) => console.log(data);`,
  );
}
await symlink(
  join(folder, 'node_modules/posenc/dist/threads-worker.js'),
  join(folder, 'worker.js'),
);

const isolated = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};
const policy = (workers) => ({
  'Content-Security-Policy': `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src ${workers}`,
});

const executablePath = findChromium();

describe.skipIf(executablePath === undefined)('in Chromium', async () => {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  afterAll(() => browser.close());

  /** Opens a page; the first line it logs that starts with `result`. */
  async function open(path, headers) {
    const server = await serve(folder, { headers });
    const page = await browser.newPage();
    try {
      const [said] = await Promise.all([
        page.waitForEvent('console', {
          predicate: (message) => message.text().startsWith('result'),
        }),
        page.goto(new URL(path, server.address).href),
      ]);
      return said.text();
    } finally {
      await page.close();
      await server.close();
    }
  }

  test.each([
    ['plain', 'index.html', "'self'", 3],
    ['vite', 'index.html', "'self'", 3],
    // Does not copy the worker's script: a policy must allow its text, or its address be given.
    ['esbuild', 'index.html', 'blob:', 3],
    ['esbuild', 'index.html', "'self'", 1],
    ['esbuild', 'url.html', "'self'", 3],
    ['plain', 'index.html', "'none'", 1],
    ['plain', 'worker.html', "'self'", 3],
  ])(
    'an isolated page: %s, %s, workers from %s: threads %i',
    async (name, page, workers, threads) => {
      const said = await open(`${name}/${page}`, { ...isolated, ...policy(workers) });
      expect(said).toBe(`result ${threads} same`);
    },
  );

  test('a page that is not isolated', async () => {
    expect(await open('plain/index.html', policy("'self'"))).toBe('result 1 same');
    expect(await open('plain/index.html', {})).toBe('result 1 same');
  });
});

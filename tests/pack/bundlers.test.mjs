/** Applications that bundle the package run in Node and, under a strict policy, in the browser. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build as esbuild } from 'esbuild';
import { chromium } from 'playwright-core';
import { build as vite } from 'vite';
import { afterAll, describe, expect, test } from 'vitest';
import { serve } from '../../scripts/lib/serve.mjs';
import { findChromium } from '../../scripts/lib/system.mjs';
import { install, runIn } from './install.ts';

const folder = await install();
const app = join(folder, 'app.js');
await writeFile(
  app,
  `import { load } from 'posenc';
   load().then(
     (posenc) => {
       const rope = posenc.encoding('rope', { headDim: 2 });
       const turned = rope.rotate(Float32Array.of(1, 0), { shape: [2], positions: 1 });
       console.log('result ' + Array.from(turned, (x) => x.toFixed(4)).join());
     },
     (error) => console.log('result ' + error.message),
   );`,
);
const result = 'result 0.5403,0.8415';

const bundle = (name, options) => () =>
  esbuild({
    entryPoints: { app },
    bundle: true,
    minify: true,
    outdir: join(folder, name),
    logLevel: 'silent',
    ...options,
  });

/** Each writes NAME/app.js. */
const bundlers = {
  'esbuild-module': bundle('esbuild-module', { format: 'esm' }),
  'esbuild-chunks': bundle('esbuild-chunks', { format: 'esm', splitting: true }),
  'esbuild-script': bundle('esbuild-script', { format: 'iife' }),
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
    await writeFile(join(folder, 'plain/app.js'), code.replace("'posenc'", "'./posenc/index.js'"));
  },
};

for (const [name, build] of Object.entries(bundlers)) {
  await build();
  const kind = name === 'esbuild-script' ? '' : 'type="module"';
  await writeFile(
    join(folder, `${name}/index.html`),
    `<!doctype html><title>${name}</title><script ${kind} src="app.js"></script>`,
  );
  await writeFile(
    join(folder, `${name}/package.json`),
    JSON.stringify({ type: kind === '' ? 'commonjs' : 'module' }),
  );
}

describe.each(Object.keys(bundlers))('%s', (name) => {
  test('runs in Node', async () => {
    const outcome = await runIn(folder, process.execPath, join(name, 'app.js'));
    expect(outcome).toEqual({ code: 0, stdout: `${result}\n`, stderr: '' });
  });
});

const executablePath = findChromium();

describe.skipIf(executablePath === undefined)('in Chromium under a strict policy', async () => {
  const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'";
  const server = await serve(folder, { headers: { 'Content-Security-Policy': policy } });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  /** Opens a page; the first line it logs that starts with `result`. */
  async function open(path) {
    const page = await browser.newPage();
    try {
      const [said] = await Promise.all([
        page.waitForEvent('console', {
          predicate: (message) => message.text().startsWith('result'),
          timeout: 10_000,
        }),
        page.goto(new URL(path, server.address).href),
      ]);
      return said.text();
    } finally {
      await page.close();
    }
  }

  test.each(Object.keys(bundlers))('%s', async (name) => {
    expect(await open(`${name}/index.html`)).toBe(result);
  });

  test('in a module worker', async () => {
    await writeFile(
      join(folder, 'plain/worker.js'),
      `import { load } from './posenc/index.js';
       load().then(({ info }) => postMessage('result ' + info.variant), postMessage);`,
    );
    await writeFile(
      join(folder, 'plain/start.js'),
      `const worker = new Worker('worker.js', { type: 'module' });
       worker.onmessage = ({ data }) => console.log(String(data));`,
    );
    await writeFile(
      join(folder, 'plain/worker.html'),
      '<!doctype html><title>worker</title><script src="start.js"></script>',
    );
    expect(await open('plain/worker.html')).toBe('result relaxed');
  });
});

/**
 * Builds the package into dist/ and the site into build/site. Without names it makes every step:
 *   npm run build -- wasm-simd wasm-relaxed wasm-lite wasm-threads-simd wasm-threads-relaxed api cli
 *     types reference site
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { buildPreset } from './lib/cmake.mjs';
import { withLock } from './lib/lock.mjs';
import { reachableDeclarations } from './lib/declarations.mjs';
import { isMain, main } from './lib/main.mjs';
import { ROOT, at, readJson, tool } from './lib/project.mjs';
import { RunError, runLoud } from './lib/run.mjs';
import { filesIn, runStep } from './lib/steps.mjs';
import { chunkSource, withCustomSection } from './lib/wasm.mjs';
import { REFERENCE, writeReference } from './reference.mjs';
import { setUp } from './setup.mjs';

const TARGET = 'es2022';
/** What the API imports when it loads a module. */
const CHUNKS = ['simd', 'relaxed', 'lite', 'threads-simd', 'threads-relaxed'].map(
  (name) => `./${name}.js`,
);
const SCRIPTS = ['scripts/build.mjs', 'package-lock.json'];

async function esbuild(options) {
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    target: TARGET,
    logLevel: 'warning',
    ...options,
  });
}

/** Runs a program of node_modules; its output is passed through. */
async function runTool(name, ...args) {
  const code = await runLoud(tool(name), args, { cwd: ROOT });
  if (code !== 0) throw new RunError(`${name} failed`);
}

/**
 * One build of the kernels: the WebAssembly file, stamped with the version and the variant, and the
 * chunk with the same bytes that the API imports. `define` replaces names in its glue.
 */
const wasmStep = (variant, preset = `wasm-${variant}`, program = 'posenc', define = {}) => ({
  name: `wasm-${variant}`,
  inputs: [
    ...SCRIPTS,
    'package.json',
    'scripts/lib/wasm.mjs',
    `build/${preset}/${program}.js`,
    `build/${preset}/${program}.wasm`,
  ],
  outputs: [`dist/${variant}.js`, `dist/kernels-${variant}.wasm`],
  before: () => buildPreset(preset),
  async action() {
    const folder = `build/${preset}`;
    const { version } = readJson('package.json');
    const module = readFileSync(at(folder, `${program}.wasm`));
    const stamped = withCustomSection(module, 'posenc', `${version} ${variant}`);
    mkdirSync(at('dist'), { recursive: true });
    writeFileSync(at(`dist/kernels-${variant}.wasm`), stamped);
    const chunk = `${folder}/chunk-${variant}.js`;
    writeFileSync(at(chunk), chunkSource(stamped, `./${program}.js`, version));
    await esbuild({
      entryPoints: [chunk],
      outfile: `dist/${variant}.js`,
      minify: true,
      platform: 'neutral',
      // The glue would look for the module beside itself; the bytes are always passed in, and
      // bundlers must not take that for a file to copy.
      define: { 'import.meta.url': 'undefined', ...define },
    });
  },
});

/** Browsers decode no text from shared memory; without TextDecoder the glue does it by hand. */
const noTextDecoder = { TextDecoder: 'undefined' };

const STEPS = [
  wasmStep('simd'),
  wasmStep('relaxed'),
  wasmStep('lite', 'wasm-simd', 'posenc_lite'),
  wasmStep('threads-simd', 'wasm-simd', 'posenc_threads', noTextDecoder),
  wasmStep('threads-relaxed', 'wasm-relaxed', 'posenc_threads', noTextDecoder),
  {
    name: 'api',
    inputs: [...SCRIPTS, 'web/api', 'package.json'],
    outputs: ['index', 'inspect', 'lab', 'threads', 'threads-worker'].map(
      (name) => `dist/${name}.js`,
    ),
    async action() {
      await esbuild({
        entryPoints: ['web/api/thread-worker.ts'],
        outfile: 'dist/threads-worker.js',
        format: 'iife',
        minify: true,
        platform: 'neutral',
      });
      const worker = readFileSync(at('dist/threads-worker.js'), 'utf8');
      const separators = ['array', 'check', 'model/public', 'scaling/index', 'signal'];
      for (const file of filesIn('dist').filter((name) => name.includes('/shared-'))) {
        rmSync(at(file));
      }
      await esbuild({
        // The entries of `separators` part what both others share from the inspector, so that bundlers
        // leave the inspector out of pages that do not inspect; nobody imports them by themselves.
        entryPoints: ['index', 'inspect', 'lab', 'threads', ...separators].map(
          (name) => `web/api/${name}.ts`,
        ),
        outbase: 'web/api',
        outdir: 'dist',
        splitting: true,
        chunkNames: 'shared-[hash]',
        minifySyntax: true,
        minifyWhitespace: true,
        platform: 'neutral',
        external: CHUNKS,
        define: { __POSENC_THREAD_WORKER__: JSON.stringify(worker) },
      });
      for (const name of separators) rmSync(at(`dist/${name}.js`));
    },
  },
  {
    name: 'cli',
    inputs: [...SCRIPTS, 'web/api', 'package.json'],
    outputs: ['dist/cli.js'],
    async action() {
      await esbuild({
        entryPoints: ['web/api/cli.ts'],
        outfile: 'dist/cli.js',
        minifySyntax: true,
        minifyWhitespace: true,
        platform: 'node',
        external: ['./index.js', ...CHUNKS, '@huggingface/gguf'],
        define: { __POSENC_VERSION__: JSON.stringify(readJson('package.json').version) },
      });
      chmodSync(at('dist/cli.js'), 0o755);
    },
  },
  {
    name: 'types',
    inputs: [...SCRIPTS, 'web/api', 'tsconfig.json', 'tsconfig.build.json'],
    outputs: ['dist/index.d.ts'],
    async action() {
      const declarations = () => filesIn('dist').filter((name) => name.endsWith('.d.ts'));
      // Declarations of sources that are gone must not be published.
      for (const file of declarations()) rmSync(at(file));
      await runTool('tsc', '-p', 'tsconfig.build.json');
      const needed = reachableDeclarations(
        ['index', 'inspect', 'lab', 'threads'].map((name) => at(`dist/${name}.d.ts`)),
      );
      for (const file of declarations()) if (!needed.has(at(file))) rmSync(at(file));
    },
  },
  {
    name: 'reference',
    inputs: [
      ...[...SCRIPTS, 'scripts/reference.mjs', 'scripts/reference', 'scripts/lib/book.mjs'],
      ...['web/api', 'tsconfig.json', 'tsconfig.build.json'],
      ...filesIn('web/site', /^(generated|\.vitepress)$/),
      ...['dist/index.js', 'dist/simd.js'],
    ],
    outputs: [
      `${REFERENCE}/encodings.md`,
      `${REFERENCE}/en/encodings.md`,
      `${REFERENCE}/en/api.md`,
    ],
    action: writeReference,
  },
  {
    name: 'site',
    inputs: [...SCRIPTS, 'web', 'dist', 'package.json'],
    outputs: ['build/site/index.html'],
    async action() {
      await runTool('vitepress', 'build', 'web/site', '--outDir', at('build/site.new'));
      rmSync(at('build/site'), { recursive: true, force: true });
      renameSync(at('build/site.new'), at('build/site'));
    },
  },
];

/**
 * Makes steps, in their order; those whose inputs are unchanged are left out.
 * @param {string[]} [names] default: all
 */
export async function build(names = []) {
  const unknown = names.filter((name) => !STEPS.some((step) => step.name === name));
  if (unknown.length > 0) {
    const known = STEPS.map(({ name }) => name).join(', ');
    throw new Error(`no build step ${unknown.join(', ')}; there are: ${known}`);
  }
  await withLock(at('build/build.lock'), async () => {
    for (const step of STEPS) {
      if (names.length > 0 && !names.includes(step.name)) continue;
      const started = Date.now();
      await step.before?.();
      const ran = await runStep(step);
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      console.log(`build ${step.name}: ${ran ? `${seconds} s` : 'unchanged'}`);
    }
  });
}

if (isMain(import.meta.url)) {
  await main(async () => {
    await setUp();
    await build(process.argv.slice(2));
  });
}

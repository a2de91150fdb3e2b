import { readFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { expect, test } from 'vitest';
import { emptyFolder, pack, root, runIn } from './install.js';

const folder = await emptyFolder();
const packed = await pack(folder);
const paths = packed.files.map(({ path }) => path);
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
  version: string;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
  [field: string]: unknown;
};

const variants = ['simd', 'relaxed', 'lite', 'threads-simd', 'threads-relaxed'];

test('the tarball is small', () => {
  // Each module is in it twice, as a file and in a chunk; those with threads, which pages load instead
  // of the others, once.
  const threads = 350_000;
  expect(packed.size).toBeLessThanOrEqual(850_000 + threads);
});

test('the tarball holds the package and nothing else', () => {
  const needed = [
    ...['CHANGELOG.md', 'LICENSE', 'README.md', 'THIRD-PARTY.md', 'package.json'],
    ...[
      'dist/cli.js',
      'dist/index.d.ts',
      'dist/index.js',
      'dist/relaxed.js',
      'dist/simd.js',
      'dist/lite.js',
    ],
    ...['dist/inspect.d.ts', 'dist/inspect.js'],
    ...['dist/lab.d.ts', 'dist/lab.js'],
    ...['dist/threads.d.ts', 'dist/threads.js', 'dist/threads-worker.js'],
    ...['dist/threads-relaxed.js', 'dist/threads-simd.js'],
    ...['dist/kernels-relaxed.wasm', 'dist/kernels-simd.wasm'],
  ];
  expect(paths).toEqual(expect.arrayContaining(needed));
  const others = paths.filter((path) => !needed.includes(path));
  const allowed = /^dist\/(shared-[A-Z0-9]+\.js|([a-z-]+\/)*[a-z0-9-]+\.d\.ts)$/;
  expect(others.filter((path) => !allowed.test(path))).toEqual([]);
});

test.each([
  ['simd', 150_000],
  ['relaxed', 150_000],
  ['lite', 70_000],
  ['threads-simd', 150_000],
  ['threads-relaxed', 150_000],
])('the %s module has at most %i bytes compressed', async (variant, most) => {
  const wasm = await readFile(join(root, `dist/kernels-${variant}.wasm`));
  expect(gzipSync(wasm, { level: 9 }).length).toBeLessThanOrEqual(most);
});

test('the chunks hold the bytes of the files', async () => {
  for (const variant of variants) {
    const wasm = await readFile(join(root, `dist/kernels-${variant}.wasm`));
    const chunk = await readFile(join(root, `dist/${variant}.js`), 'utf8');
    const [, text = ''] = /"(H4sI[\w+/=]+)"/.exec(chunk) ?? [];
    expect(gunzipSync(Buffer.from(text, 'base64')).equals(wasm)).toBe(true);
  }
});

test('no file needs Node, evaluates text or depends on another package', async () => {
  expect(manifest).not.toHaveProperty('dependencies');
  const { peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  for (const name of Object.keys(peerDependencies)) {
    expect(peerDependenciesMeta[name]).toEqual({ optional: true });
  }
  expect(manifest).not.toHaveProperty('optionalDependencies');
  for (const path of paths.filter((name) => /^dist\/(?!cli).*\.js$/.test(name))) {
    const code = await readFile(join(root, path), 'utf8');
    expect(code).not.toMatch(/\bnew Function\b|\beval\(|\brequire\(|\bnode:/);
    const imports = [...code.matchAll(/\b(?:import\(|from ?|import ?)["']([\w@./-]+)["']/g)];
    for (const [, specifier] of imports) {
      expect(specifier).toMatch(/^\.\/((threads-)?(simd|relaxed)|lite|shared-[A-Z0-9]+)\.js$/);
    }
  }
});

test('the entry without threads has none of their code', async () => {
  const wanted = /SharedArrayBuffer|Atomics|new Worker|worker_threads/;
  const imported = new Set(['index.js']);
  for (const name of imported) {
    const code = await readFile(join(root, 'dist', name), 'utf8');
    expect(code, name).not.toMatch(wanted);
    for (const [, other] of code.matchAll(/["']\.\/([\w-]+\.js)["']/g)) imported.add(other!);
  }
  expect([...imported]).toEqual(expect.arrayContaining(['simd.js', 'relaxed.js', 'lite.js']));
  expect([...imported].filter((name) => name.includes('threads'))).toEqual([]);
  expect(await readFile(join(root, 'dist/threads.js'), 'utf8')).toMatch(wanted);
});

test('the lab is small, for whoever has loaded posenc already', async () => {
  /** Files that an entry imports, with those that these import. */
  const files = async (entry: string): Promise<Map<string, Buffer>> => {
    const found = new Map<string, Buffer>([[entry, await readFile(join(root, 'dist', entry))]]);
    for (const [, code] of found) {
      for (const [, name] of code.toString().matchAll(/["']\.\/(shared-[A-Z0-9]+\.js)["']/g)) {
        if (!found.has(name!)) found.set(name!, await readFile(join(root, 'dist', name!)));
      }
    }
    return found;
  };
  const [lab, index] = [await files('lab.js'), await files('index.js')];
  const size = (parts: Iterable<Buffer>) =>
    gzipSync(Buffer.concat([...parts]), { level: 9 }).length;
  const own = [...lab].filter(([name]) => !index.has(name)).map(([, code]) => code);
  expect(own.length).toBeGreaterThan(0);
  expect(size(own)).toBeLessThanOrEqual(12_000);
  expect(size(lab.values())).toBeLessThanOrEqual(115_000);
});

test('publint finds nothing', async () => {
  const { messages } = await publint({ pkgDir: root, strict: true, pack: 'npm' });
  expect(messages.map((message) => formatMessage(message, manifest))).toEqual([]);
});

test('are-the-types-wrong finds nothing', async () => {
  const attw = join(root, 'node_modules/.bin/attw');
  const tarball = join(folder, packed.filename);
  const untyped = ['./kernels-simd.wasm', './kernels-relaxed.wasm', './threads-worker.js'];
  const { code, stdout } = await runIn(
    folder,
    attw,
    ...[tarball, '--profile', 'esm-only', '--no-color', '--no-emoji'],
    ...['--exclude-entrypoints', ...untyped],
  );
  expect(code, stdout).toBe(0);
});

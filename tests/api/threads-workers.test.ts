/** The life of the workers of `posenc/threads` in Node: memory, errors, helpers, their end. */
import { execFile } from 'node:child_process';
import { readFile, writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { load, PosencError, type Tensor } from 'posenc/threads';
import type { Posenc } from 'posenc';
import { headDim, samples } from './samples.js';
import { errorOf, numbers, posenc } from './posenc.js';
import { attend, bits, expectSameBits, large, limitTime } from './threads-cases.js';

limitTime();
const two = await load({ variant: 'simd', threads: 2 });
const three = await load({ variant: 'simd', threads: 3 });
afterAll(() => {
  two.dispose();
  three.dispose();
});

const dist = new URL('../../dist/', import.meta.url);

describe('memory', () => {
  test('that a helper makes grow is there for the page', async () => {
    using pe = await load({ variant: 'simd', threads: 4 });
    const [queries, keys] = [256, 32768];
    const encoding = (pe: Posenc) => pe.encoding('rope', { headDim: 64 });
    // Longer than the keys that every thread turns for itself: they are taken while threads work.
    const { memoryBytes } = pe.info;
    using query = pe.tensor(numbers(queries * 64), [1, 1, queries, 64]);
    using key = pe.tensor(numbers(keys * 64), [1, 1, keys, 64]);
    using output = pe.zeros([1, 1, queries, 64]);
    const before = pe.info.memoryBytes;
    expect(before).toBeGreaterThanOrEqual(memoryBytes);
    pe.attention({ query, key, value: key, encoding: encoding(pe), causal: true, out: output });
    expect(pe.info.memoryBytes).toBeGreaterThan(before + 2 * keys * 64 * 4);
    const shape = { heads: 1, queries, keys, headDim: 64 };
    const [q, k] = [query.read(), key.read()];
    const expected = posenc.attention({
      ...{ query: q, key: k, value: k },
      ...{ shape, encoding: encoding(posenc), causal: true },
    });
    expect(bits(output.read()).equals(bits(expected.output))).toBe(true);
  });

  test('stays as it is in 1 000 calls', () => {
    const shape = { heads: 4, queries: 96, headDim: 32 };
    const make = (pe: Posenc) => pe.encoding('alibi', { heads: 4 });
    attend(three, shape, {}, make);
    const { memoryBytes } = three.info;
    for (let i = 0; i < 1000; ++i) attend(three, shape, {}, make);
    expect(three.info.memoryBytes).toBe(memoryBytes);
    expect(three.info.liveTensors).toBe(0);
  });
});

describe('errors', () => {
  afterEach(() => vi.restoreAllMocks());

  test('of work that no thread can do', () => {
    const shape = { batch: 4, heads: 2, queries: 200, headDim };
    const keyPositions = Array.from({ length: 800 }, (_, i) => (i < 600 ? i % 200 : 800 - i));
    const make = (pe: Posenc) => pe.encoding('cope', samples.cope);
    const errors = [posenc, two, three].map((pe) =>
      errorOf(() => attend(pe, shape, { keyPositions }, make)),
    );
    expect(new Set(errors.map(({ message }) => message)).size).toBe(1);
    expectSameBits(attend(two, large), attend(posenc, large));
  });

  test('of memory: a call works or says that there is none, and the next one works', async () => {
    const { Memory } = WebAssembly;
    vi.spyOn(WebAssembly, 'Memory').mockImplementation(function (wanted) {
      return new Memory({ ...wanted, maximum: 512 }); // 32 MiB
    });
    using pe = await load({ variant: 'simd', threads: 5 });
    const shape = { heads: 5, queries: 1024, headDim: 64 };
    const make = (pe: Posenc) => pe.encoding('rope', { headDim: 64 });
    const expected = attend(posenc, shape, {}, make);
    const taken: Tensor[] = [];
    const take = (megabytes: number) => {
      try {
        for (;;) taken.push(pe.zeros([megabytes * 2 ** 18]));
      } catch (error) {
        expect(error).toMatchObject({ code: 'memory' });
      }
    };
    take(4);
    take(0.5);
    // From full, room is made by half a megabyte after another; threads run out at different places.
    for (let i = 0; i < 24; ++i) {
      try {
        expectSameBits(attend(pe, shape, {}, make), expected);
      } catch (error) {
        expect(error).toBeInstanceOf(PosencError);
        expect(error).toMatchObject({ code: 'memory' });
      }
      taken.pop()?.dispose();
      pe.zeros([2 ** 17]).dispose();
    }
    expectSameBits(attend(pe, shape, {}, make), expected);
    expect(pe.info.threads).toBe(5);
  });
});

describe('a helper', () => {
  const folder = mkdtemp(join(tmpdir(), 'posenc-threads-'));
  afterAll(async () => rm(await folder, { recursive: true }));
  afterEach(() => vi.unstubAllGlobals());

  /** The URL of the worker's script after a change. */
  async function changedWorker(change: (script: string) => string): Promise<URL> {
    const script = await readFile(new URL('threads-worker.js', dist), 'utf8');
    const changed = change(script);
    expect(changed).not.toBe(script);
    const path = join(await folder, `worker-${Math.random()}.cjs`);
    await writeFile(path, changed);
    return pathToFileURL(path);
  }

  test('may come from a file', async () => {
    const workerUrl = new URL('threads-worker.js', dist);
    const pe = await load({ variant: 'simd', threads: 2, workerUrl });
    expect(pe.info.threads).toBe(2);
    expectSameBits(attend(pe, large), attend(posenc, large));
    pe.dispose();
  });

  test('that ends in the middle of its work leaves it to the others', async () => {
    // Its stack lies below all memory.
    const workerUrl = await changedWorker((script) =>
      script.replace(/(setStack,)\w+/, (_, start) => `${start}16`),
    );
    const pe = await load({ variant: 'simd', threads: 2, workerUrl });
    expect(pe.info.threads).toBe(2);
    const expected = attend(posenc, large);
    for (let i = 0; i < 50 && pe.info.threads > 1; ++i) expectSameBits(attend(pe, large), expected);
    expect(pe.info.threads).toBe(1);
    expectSameBits(attend(pe, large), expected);
    pe.dispose();
  });

  test('that does not start leaves one thread', async () => {
    const workerUrl = await changedWorker(() => 'throw new Error("no")');
    const pe = await load({ variant: 'simd', threads: 2, workerUrl });
    expect(pe.info.threads).toBe(1);
    expectSameBits(attend(pe, large), attend(posenc, large));
    const gone = await load({ threads: 2, workerUrl: new URL('gone.js', workerUrl) });
    expect(gone.info.threads).toBe(1);
  });

  test.each([
    ['crossOriginIsolated', false],
    ['SharedArrayBuffer', undefined],
  ])('is not asked for where %s is %s', async (name, value) => {
    vi.stubGlobal(name, value);
    const pe = await load({ variant: 'simd', threads: 7 });
    expect(pe.info.threads).toBe(1);
    expect(pe.info).toBe(posenc.info);
  });
});

describe('dispose', () => {
  test('ends the threads; the module goes on with one, and load starts another', async () => {
    const pe = await load({ variant: 'simd', threads: 6 });
    using tensor = pe.tensor(numbers(8), [8]);
    pe.dispose();
    pe.dispose();
    expect(pe.info.threads).toBe(1);
    expect(tensor.read()).toEqual(numbers(8));
    expectSameBits(attend(pe, large), attend(posenc, large));
    const next = await load({ variant: 'simd', threads: 6 });
    expect(next.info.threads).toBe(6);
    pe.dispose();
    expect(next.info.threads).toBe(6);
    next[Symbol.dispose]();
    expect(next.info.threads).toBe(1);
  });

  test('is not needed for a process to end', async () => {
    const program = `
      import { load } from ${JSON.stringify(new URL('threads.js', dist).href)};
      const { info } = await load({ variant: 'simd', threads: 3 });
      console.log(info.threads);`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { timeout: 20_000 },
    );
    expect(stdout).toBe('3\n');
  });
});

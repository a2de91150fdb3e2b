/** `posenc/threads` in Node: the bits of one thread, errors, memory, and the end of helpers. */
import { execFile } from 'node:child_process';
import { readFile, writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import * as single from 'posenc';
import * as threads from 'posenc/threads';
import type {
  AttentionInputs,
  AttentionResult,
  AttentionShape,
  EncodingInput,
  EncodingName,
  Posenc,
  PositionOptions,
} from 'posenc';
import { headDim, heads, samples, tokens } from './samples.js';
import { errorOf, numbers, posenc, rejection } from './posenc.js';

const { load, PosencError } = threads;

const two = await load({ variant: 'simd', threads: 2 });
const three = await load({ variant: 'simd', threads: 3 });
afterAll(() => {
  two.dispose();
  three.dispose();
});

const dist = new URL('../../dist/', import.meta.url);

/** Work of more than the few million operations from which on threads share it. */
const large: AttentionShape = {
  batch: 2,
  heads: 6,
  kvHeads: 2,
  queries: 300,
  keys: 310,
  headDim: 16,
};

function inputs({
  batch = 1,
  heads,
  kvHeads = heads,
  queries,
  keys = queries,
  headDim,
}: AttentionShape) {
  return {
    query: numbers(batch * heads * queries * headDim, 1),
    key: numbers(batch * kvHeads * keys * headDim, 2),
    value: numbers(batch * kvHeads * keys * headDim, 3),
  };
}

type Options = Omit<AttentionInputs, 'query' | 'key' | 'value' | 'shape' | 'encoding' | 'out'>;

function attend(
  pe: Posenc,
  shape: AttentionShape,
  options: Options = {},
  make?: (pe: Posenc) => AttentionInputs['encoding'],
) {
  const encoding = make?.(pe);
  return pe.attention({ ...inputs(shape), shape, ...options, ...(encoding && { encoding }) });
}

const bits = (numbers: Float32Array) => Buffer.from(numbers.buffer, 0, numbers.byteLength);

function expectSameBits(actual: AttentionResult, expected: AttentionResult): void {
  expect(Object.keys(actual)).toEqual(Object.keys(expected));
  for (const [name, numbers] of Object.entries(expected) as [
    keyof AttentionResult,
    Float32Array,
  ][]) {
    expect(bits(actual[name] as Float32Array).equals(bits(numbers)), name).toBe(true);
  }
}

describe('load', () => {
  test('tells how many threads there are', () => {
    expect([two.info.threads, three.info.threads, posenc.info.threads]).toEqual([2, 3, 1]);
    expect(two.info).toMatchObject({
      version: posenc.info.version,
      variant: 'simd',
      liveTensors: 0,
    });
  });

  test('takes as many as there are processors', async () => {
    const pe = await load({ variant: 'simd' });
    const { availableParallelism } = await import('node:os');
    expect(pe.info.threads).toBe(Math.min(availableParallelism(), 16));
    pe.dispose();
  });

  test('calls with equal options share one module', async () => {
    const again = await load({ variant: 'simd', threads: 2 });
    expect(again.info).toBe(two.info);
    expect(three.info).not.toBe(two.info);
    again.dispose();
    again.dispose();
    expect(two.info.threads).toBe(2);
  });

  test('one thread is the module of the other entry', async () => {
    const one = await load({ variant: 'simd', threads: 1 });
    expect(one.info).toBe(posenc.info);
    one.dispose();
    expect(one.random(1).uniform(1)).toHaveLength(1);
  });

  test('the entry has all that the other one has', () => {
    const { load: _, ...others } = single;
    expect(threads).toMatchObject(others);
    expect(Object.keys(threads).sort()).toEqual(Object.keys(single).sort());
  });

  const cases: [what: string, options: unknown, code: string, message: string][] = [
    ['no threads', { threads: 0 }, 'range', 'threads is 0, needs an integer from 1 to 16'],
    ['too many threads', { threads: 17 }, 'range', 'threads is 17'],
    ['half a thread', { threads: 1.5 }, 'range', 'threads is 1.5'],
    ['threads that are no number', { threads: '2' }, 'argument', 'threads is "2"'],
    ['the small build', { variant: 'lite' }, 'option', 'needs "auto", "simd" or "relaxed"'],
    ['an unknown option', { thread: 2 }, 'option', 'did you mean threads?'],
    ['no URL', { workerUrl: 5 }, 'argument', 'workerUrl is 5, needs a URL'],
    ['no signal', { signal: true }, 'argument', 'signal is true'],
    ['a signal that has fired', { signal: AbortSignal.abort() }, 'aborted', 'load was aborted'],
  ];
  test.each(cases)('%s is refused', async (_, options, code, message) => {
    const error = await rejection(load(options as threads.ThreadsOptions));
    expect(error.message).toContain(message);
    expect(error.code).toBe(code);
  });

  test('a signal stops it while helpers start', async () => {
    const controller = new AbortController();
    const loading = load({ variant: 'simd', threads: 4, signal: controller.signal });
    controller.abort();
    expect((await rejection(loading)).code).toBe('aborted');
  });
});

describe('the same bits as one thread', () => {
  // Samples are of 6 tokens, too few to share: tables of positions go into a batch, the others are long.
  const long: PositionOptions & AttentionShape = { batch: 3, heads, queries: 280, headDim };
  const short = { batch: 2000, heads, queries: tokens, headDim };
  const tables: EncodingName[] = ['tupe', 'selective_rope', 'fox', 'swin', 'swin_cpb'];
  const names = (Object.keys(samples) as EncodingName[]).filter((name) => {
    const { hooks } = posenc.encoding(name, samples[name] as EncodingInput<typeof name>);
    return hooks.length === 0 || hooks.some((hook) => hook !== 'embed');
  });

  test.each(names)('%s', (name) => {
    const shape = tables.includes(name) ? short : long;
    const make = (pe: Posenc) => pe.encoding(name, samples[name] as EncodingInput<typeof name>);
    for (const causal of [false, true]) {
      const expected = attend(posenc, shape, { causal }, make);
      for (const pe of [two, three]) expectSameBits(attend(pe, shape, { causal }, make), expected);
    }
  });

  const { batch, heads: all, queries, keys } = large as Required<AttentionShape>;
  const every = (count: number, n: number) =>
    Uint8Array.from({ length: count }, (_, i) => (i % n ? 1 : 0));
  const masks: [name: string, options: Options][] = [
    ['nothing', {}],
    ['causal', { causal: true }],
    ['a window', { causal: true, window: 40, sinks: 3 }],
    ['chunks', { chunk: 64 }],
    ['padding of each entry', { keyMask: every(batch * keys, 5) }],
    ['a mask of pairs', { mask: every(queries * keys, 3) }],
    ['logits of sinks', { sinkLogits: numbers(all) }],
    ['softcap and scale', { softcap: 5, scale: 0.3 }],
    ['all stages', { causal: true, return: ['scores', 'capped', 'biased', 'logits', 'weights'] }],
  ];
  test.each(masks)('%s', (_, options) => {
    const expected = attend(posenc, large, options);
    for (const pe of [two, three]) expectSameBits(attend(pe, large, options), expected);
  });

  const shapes: [name: string, shape: AttentionShape][] = [
    ['one block of one head', { heads: 1, queries: 60, keys: 2000, headDim: 64 }],
    ['two blocks for three threads', { heads: 1, queries: 65, keys: 2000, headDim: 64 }],
    ['one head', { heads: 1, queries: 1000, headDim: 64 }],
    ['one query of many heads', { heads: 32, kvHeads: 8, queries: 1, keys: 3000, headDim: 32 }],
    ['too small to share', { heads: 4, queries: 30, headDim: 8 }],
    ['wide values', { heads: 3, queries: 200, headDim: 24, valueDim: 24 }],
  ];
  test.each(shapes)('%s', (_, shape) => {
    const make = (pe: Posenc) => pe.encoding('rope', { headDim: shape.headDim });
    const expected = attend(posenc, shape, { causal: true }, make);
    for (const pe of [two, three]) {
      expectSameBits(attend(pe, shape, { causal: true }, make), expected);
    }
  });

  test('every time', () => {
    const expected = attend(posenc, large);
    for (let i = 0; i < 20; ++i) expectSameBits(attend(three, large), expected);
  });
});

test('memory that a helper makes grow is there for the page', async () => {
  const pe = await load({ variant: 'simd', threads: 4 });
  const before = pe.info.memoryBytes;
  const shape = { heads: 4, queries: 2048, keys: 8192, headDim: 64 };
  const make = (pe: Posenc) => pe.encoding('rope', { headDim: shape.headDim });
  expectSameBits(
    attend(pe, shape, { causal: true }, make),
    attend(posenc, shape, { causal: true }, make),
  );
  expect(pe.info.memoryBytes).toBeGreaterThan(before);
  using tensor = pe.tensor(numbers(2 ** 20), [2 ** 20]);
  expect(bits(tensor.read()).equals(bits(numbers(2 ** 20)))).toBe(true);
  pe.dispose();
});

test('1 000 calls leave the memory as it is', () => {
  const shape = { heads: 4, queries: 96, headDim: 32 };
  const make = (pe: Posenc) => pe.encoding('alibi', { heads: 4 });
  attend(three, shape, {}, make);
  const { memoryBytes } = three.info;
  for (let i = 0; i < 1000; ++i) attend(three, shape, {}, make);
  expect(three.info.memoryBytes).toBe(memoryBytes);
  expect(three.info.liveTensors).toBe(0);
}, 120_000);

describe('errors', () => {
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
    const pe = await load({ variant: 'simd', threads: 5 });
    const shape = { heads: 5, queries: 1024, headDim: 64 };
    const make = (pe: Posenc) => pe.encoding('rope', { headDim: 64 });
    const expected = attend(posenc, shape, {}, make);
    const taken: threads.Tensor[] = [];
    const take = (megabytes: number) => {
      try {
        for (;;) taken.push(pe.zeros([megabytes * 2 ** 18]));
      } catch (error) {
        expect(error).toMatchObject({ code: 'memory' });
      }
    };
    take(64);
    take(1);
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
    pe.dispose();
  }, 120_000);
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

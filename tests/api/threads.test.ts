/** `posenc/threads` in Node: what it loads, and the bits of one thread. */
import { afterAll, describe, expect, test } from 'vitest';
import * as single from 'posenc';
import * as threads from 'posenc/threads';
import type {
  AttentionInputs,
  AttentionShape,
  EncodingName,
  Posenc,
  PositionOptions,
} from 'posenc';
import { headDim, heads, samples, tokens } from './samples.js';
import { numbers, posenc, rejection } from './posenc.js';
import { attend, bits, expectSameBits, large, limitTime, type Options } from './threads-cases.js';

const { load } = threads;

limitTime();
const two = await load({ variant: 'simd', threads: 2 });
const three = await load({ variant: 'simd', threads: 3 });
afterAll(() => {
  two.dispose();
  three.dispose();
});

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
    const { hooks } = posenc.encoding(name, samples[name]);
    return hooks.length === 0 || hooks.some((hook) => hook !== 'embed');
  });

  test.each(names)('%s', (name) => {
    const shape = tables.includes(name) ? short : long;
    const make = (pe: Posenc) => pe.encoding(name, samples[name]);
    for (const causal of [false, true]) {
      const expected = attend(posenc, shape, { causal }, make);
      for (const pe of [two, three]) expectSameBits(attend(pe, shape, { causal }, make), expected);
    }
  });

  const { batch, heads: all, queries, keys } = large;
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

  const several: [name: string, make: (pe: Posenc) => AttentionInputs['encoding']][] = [
    [
      'RoPE and ALiBi',
      (pe) => [pe.encoding('rope', { headDim: 16 }), pe.encoding('alibi', { heads: 6 })],
    ],
    [
      'RoPE and log n',
      (pe) => [pe.encoding('rope', { headDim: 16 }), pe.encoding('log_n', samples.log_n)],
    ],
  ];
  test.each(several)('%s', (_, make) => {
    const options = { causal: true, window: 200 };
    const expected = attend(posenc, large, options, make);
    for (const pe of [two, three]) expectSameBits(attend(pe, large, options, make), expected);
  });

  test('a cache: a long prompt, then token by token', () => {
    const [kvHeads, width, prompt, steps] = [4, 32, 1500, 4];
    const x = numbers(2 * kvHeads * (prompt + steps) * width);
    const answers = [posenc, two, three].map((pe) => {
      const encoding = pe.encoding('rope', { headDim: width });
      const shape = { layers: 1, batch: 2, kvHeads, headDim: width, capacity: prompt + steps };
      const cache = pe.kvCache({ ...shape, encoding });
      const some = (first: number, count: number) => {
        const tokens = x.subarray(
          2 * kvHeads * width * first,
          2 * kvHeads * width * (first + count),
        );
        return cache.attend(0, { query: tokens, key: tokens, value: tokens }).output;
      };
      const outputs = [some(0, prompt)];
      for (let step = 0; step < steps; ++step) outputs.push(some(prompt + step, 1));
      cache.dispose();
      return outputs;
    });
    for (const outputs of answers.slice(1)) {
      outputs.forEach((output, i) => {
        expect(bits(output).equals(bits(answers[0]![i]!)), `call ${i}`).toBe(true);
      });
    }
  });

  test('gradients and the names of other libraries', () => {
    const [q, shape] = [numbers(4 * 200 * 16), { heads: 4, queries: 200, headDim: 16 }];
    const results = [posenc, two].map((pe) => {
      const encoding = pe.encoding('rope', { headDim: 16 });
      const given = { query: q, key: q, value: q, shape, encoding };
      const forward = pe.attention({ ...given, return: ['statistics'] });
      const { query } = pe.attentionBackward({ ...given, ...forward, gradient: forward.output });
      return [forward.output, query];
    });
    results[0]!.forEach((numbers, i) => {
      expect(bits(results[1]![i]!).equals(bits(numbers))).toBe(true);
    });
  });
});

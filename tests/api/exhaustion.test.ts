/** With the module's 2 GiB all taken, calls work or say that there is no memory; nothing aborts. */
import { expect, test } from 'vitest';
import { PosencError } from 'posenc';
import { numbers, posenc } from './posenc.js';

const width = 1024;
const rows = posenc.encoding('sinusoidal', { width });
class Done extends Error {}

/**
 * Takes all memory without touching it, then runs `then`: `embed` has made room for its result when
 * it reads the first position, and here that position takes the next, smaller piece.
 */
function whileFull(then: () => void, tokens = 2 ** 17): void {
  const positions = new Proxy(Array<number>(tokens).fill(0), {
    get(target, name, receiver) {
      if (name === '0') whileFull(then, tokens);
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  try {
    rows.embed(positions);
  } catch (error) {
    if (!(error instanceof PosencError)) throw error;
    expect(error.code).toBe('memory');
    if (tokens > 1) whileFull(then, tokens / 2);
    else then();
    throw new Done();
  }
}

test('full memory is an error, not the end', () => {
  const x = numbers(256);
  const rope = posenc.encoding('rope', { headDim: 64 });
  const shape = { heads: 1, queries: 4, headDim: 64 };
  using tensor = posenc.tensor(x, [1, 1, 4, 64]);
  using angles = posenc.tensor(numbers(6000), [6000]);
  const selective = posenc.encoding('selective_rope', { headDim: 64, rotaryDim: 8, angles });
  const scaled = posenc.encoding('sinusoidal', { width, scale: Float32Array.of(1) });
  const t5 = posenc.encoding('t5', { heads: 1, table: numbers(32) });
  const dape = posenc.encoding('dape', {
    heads: 1,
    width: 2,
    ...{ firstWeight: numbers(4), firstBias: numbers(2) },
    ...{ lastWeight: numbers(2), lastBias: numbers(1) },
  });
  using cache = posenc.kvCache({ kvHeads: 1, headDim: 64, capacity: 4, encoding: rope });
  const token = x.subarray(0, 64);
  const calls = {
    encoding: () => posenc.encoding('rope', { headDim: 64 }),
    'large encoding': () => posenc.encoding('sinusoidal', { width: 65536 }),
    'bad encoding': () => posenc.encoding('rope', { headDim: 64, rotaryDim: 7 }),
    rotate: () => rope.rotate(x, { shape: [4, 64] }),
    table: () => rope.table(0, { tokens: 4 }),
    bias: () => posenc.encoding('alibi', { heads: 2 }).bias({ queries: 3 }),
    attention: () => posenc.attention({ query: x, key: x, value: x, shape, encoding: rope }),
    attentionBackward: () =>
      posenc.attentionBackward({ query: x, key: x, value: x, shape, encoding: t5, gradient: x }),
    'attentionBackward, dape': () =>
      posenc.attentionBackward({ query: x, key: x, value: x, shape, encoding: dape, gradient: x }),
    rotateGradient: () => selective.rotateGradient(x, x, { shape: [4, 64] }),
    embedGradient: () => scaled.embedGradient(new Float32Array(width), 0, { tokens: 1 }),
    cache: () => posenc.kvCache({ kvHeads: 1, headDim: 64, capacity: 4096 }).dispose(),
    decode: () => {
      cache.attend(0, { query: token, key: token, value: token });
      cache.shift(1);
      cache.truncate(0);
    },
    fork: () => cache.fork().dispose(),
    save: () => cache.restore(cache.save()),
    random: () => posenc.random(1).uniform(100_000),
    read: () => tensor.read(),
  };
  type Outcome = [name: string, outcome: string, result?: unknown];
  const outcomes = (): Outcome[] =>
    Object.entries(calls).map(([name, call]): Outcome => {
      try {
        return [name, 'works', call()];
      } catch (error) {
        return [name, error instanceof PosencError ? error.code : String(error)];
      }
    });
  let full: Outcome[] = [];
  expect(() => whileFull(() => (full = outcomes()))).toThrow(Done);
  expect(posenc.info.memoryBytes).toBe(2 ** 31);
  for (const [name, outcome] of full) {
    const allowed = name === 'bad encoding' ? ['range'] : ['works', 'memory'];
    expect(allowed, name).toContain(outcome);
  }
  expect(Object.fromEntries(full)).toMatchObject({
    random: 'memory',
    cache: 'memory',
    read: 'works',
  });
  const after = outcomes();
  for (const [name, outcome] of after) {
    expect(outcome, name).toBe(name === 'bad encoding' ? 'range' : 'works');
  }
  // What works without memory gives what it gives with it, and not part of it.
  full.forEach(([name, outcome, result], i) => {
    if (outcome === 'works' && name !== 'random') expect(result, name).toEqual(after[i]![2]);
  });
});

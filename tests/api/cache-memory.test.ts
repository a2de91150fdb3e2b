/** Caches use the module's memory once, and stay right when it grows or ends. */
import { describe, expect, test } from 'vitest';
import { errorOf, expectNear, numbers, posenc } from './posenc.js';

const headDim = 16;
const rope = posenc.encoding('rope', { headDim });
const one = { kvHeads: 1, headDim, encoding: rope };

describe('memory', () => {
  test('stays flat over 10,000 tokens', () => {
    using cache = posenc.kvCache({ ...one, layers: 2, capacity: 20, window: 12, sinks: 4 });
    using other = posenc.kvCache({ ...one, capacity: 20 });
    const x = numbers(headDim);
    using tensor = posenc.tensor(x, [1, 1, 1, headDim]);
    const decode = () => {
      cache.attend(0, { query: x, key: x, value: x });
      cache.attend(1, { query: tensor, key: tensor, value: tensor, out: tensor });
      tensor.write(x);
    };
    const edit = () => {
      other.attend(0, { query: x, key: x, value: x, return: ['weights'] });
      errorOf(() => other.attend(0, { query: x, key: x, value: x, positions: [0.5] }));
      errorOf(() => other.evict([99]));
      other.shift(1);
      other.restore(other.save());
      other.fork().dispose();
      posenc.kvCache({ ...one, capacity: 2 }).dispose();
      other.truncate(0);
    };
    const steps = (count: number) => {
      for (let i = 0; i < count; i++) {
        decode();
        if (i % 20 === 0) edit();
      }
    };
    steps(100);
    const { memoryBytes, liveTensors, liveCaches } = posenc.info;
    steps(10_000);
    expect(posenc.info).toMatchObject({ memoryBytes, liveTensors, liveCaches });
    expect(cache.next({ layer: 1 })).toBe(10_100);
  });

  test('may grow between and during calls', () => {
    using cache = posenc.kvCache({ ...one, capacity: 2 ** 16 + 8 });
    const x = numbers(8 * headDim, 1);
    cache.attend(0, { query: x, key: x, value: x });
    const before = posenc.info.memoryBytes;
    const many = numbers(2 ** 16 * headDim, 2);
    const positions = Int32Array.from({ length: 2 ** 16 }, (_, i) => i);
    cache.append(0, { key: many, value: many, positions });
    expect(posenc.info.memoryBytes).toBeGreaterThan(before);
    expect(cache.length()).toBe(2 ** 16 + 8);
    const bytes = cache.save();
    cache.truncate(8);
    expect([...cache.positions()]).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    cache.restore(bytes);
    cache.evict(Array.from({ length: 2 ** 16 - 8 }, (_, i) => i + 8));
    cache.truncate(15);
    const y = numbers(headDim, 3);
    const { output } = cache.attend(0, { query: y, key: y, value: y, positions: [2 ** 17] });
    const key = Float32Array.from([...x, ...many.subarray(-8 * headDim, -headDim), ...y]);
    const first = 2 ** 16 - 8;
    const keyPositions = [
      ...Array(8).keys(),
      ...Array.from({ length: 7 }, (_, i) => first + i),
      2 ** 17,
    ];
    const expected = posenc.attention({
      ...{ query: y, key, value: key, encoding: rope, causal: true, keyPositions },
      ...{ queryPositions: [2 ** 17], shape: { heads: 1, queries: 1, keys: 16, headDim } },
    });
    expectNear(output, expected.output);
  });

  test('that is not there is refused, and given back', () => {
    const { liveCaches } = posenc.info;
    const huge = { ...one, capacity: 2 ** 24 };
    const first = posenc.kvCache({ ...huge, capacity: 2 ** 23 }); // 1 GiB
    for (const call of [() => posenc.kvCache(huge), () => first.fork()]) {
      const error = errorOf(call);
      expect(error).toMatchObject({ code: 'memory', argument: 'the cache' });
      expect(error.message).toContain('no memory for the cache');
    }
    first.dispose();
    expect(posenc.info.liveCaches).toBe(liveCaches);
    using second = posenc.kvCache({ ...one, capacity: 2 ** 23 });
    expect(second.length()).toBe(0);
  });
});

import { describe, expect, test } from 'vitest';
import { errorOf, numbers, posenc } from './posenc.js';

describe('tensor', () => {
  test('keeps what was written', () => {
    const data = numbers(24);
    using tensor = posenc.tensor(data, [2, 3, 4]);
    expect(tensor.shape).toEqual([2, 3, 4]);
    expect(tensor.size).toBe(24);
    expect(tensor.read()).toEqual(data);
    const out = new Float32Array(24);
    expect(tensor.read(out)).toBe(out);
    expect(out).toEqual(data);
    tensor.write(new Float32Array(24).fill(7));
    expect(tensor.read()).toEqual(new Float32Array(24).fill(7));
  });

  test('hands out copies', () => {
    using tensor = posenc.zeros([3]);
    tensor.read().fill(1);
    expect(tensor.read()).toEqual(new Float32Array(3));
    expect(Object.isFrozen(tensor.shape)).toBe(true);
  });

  test('zeros are zeros, also where something else was', () => {
    posenc.tensor(numbers(1000), [1000]).dispose();
    using tensor = posenc.zeros([1000]);
    expect(tensor.read()).toEqual(new Float32Array(1000));
  });

  test('is counted until it is disposed, once', () => {
    const before = posenc.info.liveTensors;
    const tensor = posenc.zeros([5]);
    expect(posenc.info.liveTensors).toBe(before + 1);
    expect(tensor.disposed).toBe(false);
    tensor.dispose();
    tensor.dispose();
    tensor[Symbol.dispose]();
    expect(tensor.disposed).toBe(true);
    expect(posenc.info.liveTensors).toBe(before);
  });

  test('a failed one is not counted', () => {
    const before = posenc.info.liveTensors;
    expect(errorOf(() => posenc.zeros([2 ** 29])).code).toBe('memory');
    expect(posenc.info.liveTensors).toBe(before);
  });

  test('cannot be used after it is disposed', () => {
    const tensor = posenc.zeros([1, 4]);
    tensor.dispose();
    const rope = posenc.encoding('rope', { headDim: 4 });
    for (const call of [
      () => tensor.read(),
      () => tensor.write(new Float32Array(4)),
      () => rope.rotate(tensor),
      () => rope.rotate(new Float32Array(4), { shape: [1, 4], out: tensor }),
    ]) {
      expect(errorOf(call).code).toBe('disposed');
    }
  });
});

describe('memory', () => {
  const rope = posenc.encoding('rope', { headDim: 64 });

  test('stays flat over 10,000 calls', () => {
    const shape = { heads: 2, queries: 16, headDim: 64 };
    const x = numbers(2 * 16 * 64);
    using tensor = posenc.tensor(x, [1, 2, 16, 64]);
    const call = () => {
      posenc.attention({ query: x, key: x, value: x, shape, encoding: rope, causal: true });
      posenc.attention({ query: tensor, key: tensor, value: tensor, encoding: rope, out: tensor });
      rope.rotate(x, { shape: [2, 16, 64], positions: [...Array(16).keys()] });
      errorOf(() => rope.rotate(x, { shape: [2, 16, 64], positions: [1.5] }));
      tensor.write(x);
      posenc.zeros([100]).dispose();
    };
    call();
    const { memoryBytes, liveTensors } = posenc.info;
    for (let i = 0; i < 10_000; i++) call();
    expect(posenc.info).toMatchObject({ memoryBytes, liveTensors });
  });

  test('may grow between and during calls', () => {
    using early = posenc.tensor(numbers(1000), [1000]);
    const before = posenc.info.memoryBytes;
    const count = before / 4;
    const big = numbers(count);
    expect(posenc.info.memoryBytes).toBeGreaterThan(before);
    expect(early.read()).toEqual(numbers(1000));
    const shape = [count / 64, 64];
    const turned = rope.rotate(big, { shape });
    expect(rope.rotate(turned.subarray(0, 64), { shape: [1, 64], inverse: true })).toEqual(
      big.subarray(0, 64),
    );
  });

  test('that is not there is refused in the middle of a call, and given back', () => {
    const tokens = 2 ** 14;
    const x = numbers(tokens);
    const call = () =>
      posenc.attention({
        ...{ query: x, key: x, value: x, shape: { heads: 1, queries: tokens, headDim: 1 } },
        return: ['scores', 'weights'], // 1 GiB each
      });
    const error = errorOf(call);
    expect(error.code).toBe('memory');
    expect(error.message).toContain(`no memory for weights: ${2 ** 30} bytes`);
    const { memoryBytes } = posenc.info;
    expect(errorOf(call).code).toBe('memory');
    expect(posenc.info.memoryBytes).toBe(memoryBytes);
    using tensor = posenc.zeros([2 ** 20]);
    expect(tensor.read()).toHaveLength(2 ** 20);
  });
});

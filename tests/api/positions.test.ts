/** Lists of positions: padding, packing, caches, images, and those drawn for training. */
import { describe, expect, test } from 'vitest';
import {
  abacusPositions,
  mropePositions,
  packedPositions,
  posePositions,
  positionsFromMask,
  randomizedPositions,
  shapePositions,
  streamingPositions,
} from 'posenc';
import type { MropePart } from 'posenc';
import { golden } from './golden-tables.js';
import { expectNear, numbers, posenc } from './posenc.js';

describe('positionsFromMask', () => {
  test.each([
    ['GPT-NeoX under left padding', [0, 0, 1, 1], {}, [0, 0, 0, 1], [2]],
    ['right padding: decoding goes on at 2, not 3', [1, 1, 0], {}, [0, 1, 0], [2]],
    ['OPT starts at row 2', [1, 1, 1], { start: 2 }, [2, 3, 4], [5]],
    ['RoBERTa, padding_idx 1', [1, 1, 0], { start: 2, paddingPosition: 1 }, [2, 3, 1], [4]],
    ['a hole does not count', [1, 0, 1], { paddingPosition: -1 }, [0, -1, 1], [2]],
    ['nothing but padding', [0, 0], { start: 7 }, [7, 7], [7]],
    [
      'lengths 3 and 5 decode at 3 and 5, not both at 5',
      [0, 0, 1, 1, 1, 1, 1, 1, 1, 1],
      { batch: 2 },
      [0, 0, 0, 1, 2, 0, 1, 2, 3, 4],
      [3, 5],
    ],
  ])('%s', (_, mask, options, positions, next) => {
    const expected = { positions: Int32Array.from(positions), next: Int32Array.from(next) };
    expect(positionsFromMask(mask, options)).toEqual(expected);
    expect(positionsFromMask(mask.map(Boolean), options)).toEqual(expected);
    expect(positionsFromMask(Uint8Array.from(mask), options)).toEqual(expected);
  });

  test('ALiBi under padding: keys weigh by their place among the real ones', () => {
    const { positions } = positionsFromMask([0, 0, 1, 1, 1]);
    const slope = 2 ** -8;
    const bias = posenc
      .encoding('alibi', { heads: 1 })
      .bias({ queryPositions: [2], keyPositions: positions });
    expectNear(
      bias.map((x) => x / slope + 2),
      [0, 0, 0, 1, 2],
    );
  });

  test('a padded row gives what the unpadded row gives', () => {
    const [heads, headDim, real, padding] = [2, 8, 5, 3];
    const encoding = posenc.encoding('rope', { headDim });
    const short = numbers(heads * real * headDim);
    const run = (x: Float32Array, tokens: number, mask: number[]) => {
      const { positions } = positionsFromMask(mask);
      const at = { queryPositions: positions, keyPositions: positions, keyMask: mask };
      const shape = { heads, queries: tokens, headDim };
      return posenc.attention({ query: x, key: x, value: x, shape, encoding, causal: true, ...at })
        .output;
    };
    const expected = run(short, real, Array<number>(real).fill(1));
    for (const before of [0, 1, padding]) {
      const tokens = real + padding;
      const long = numbers(heads * tokens * headDim, 9);
      const mask = Array.from({ length: tokens }, (_, t) => +(t >= before && t < before + real));
      for (let h = 0; h < heads; h++) {
        const row = short.subarray(h * real * headDim, (h + 1) * real * headDim);
        long.set(row, (h * tokens + before) * headDim);
      }
      const output = run(long, tokens, mask);
      for (let h = 0; h < heads; h++) {
        const start = (h * tokens + before) * headDim;
        expectNear(
          output.subarray(start, start + real * headDim),
          expected.subarray(h * real * headDim, (h + 1) * real * headDim),
        );
      }
    }
  });
});

test('packed documents of 3 and 2 tokens start anew (--reset-position-ids)', () => {
  expect(packedPositions([3, 2])).toEqual({
    positions: Int32Array.of(0, 1, 2, 0, 1),
    segments: Int32Array.of(0, 0, 0, 1, 1),
  });
  expect(packedPositions([1, 0, 2]).segments).toEqual(Int32Array.of(0, 2, 2));
});

describe('streamingPositions', () => {
  test.each([
    ['SinkCache: the new key and its query stand at 4', [2, 3, 11], [0, 1, 8, 9, 10]],
    ['the example of StreamingLLM', [4, 4, 10], [0, 1, 2, 3, 6, 7, 8, 9]],
    ['a text that fits', [4, 4, 5], [0, 1, 2, 3, 4]],
    ['no sinks', [0, 2, 9], [7, 8]],
  ])('%s', (_, [sinks = 0, recent = 0, tokens = 0], kept) => {
    const positions = kept.map((_, i) => i);
    expect(streamingPositions({ sinks, recent, tokens })).toEqual({
      kept: Int32Array.from(kept),
      positions: Int32Array.from(positions),
    });
  });
});

describe('mropePositions', () => {
  /** [time, row, column] per token → three lists. */
  const axes = (positions: Int32Array) =>
    [0, 1, 2].map((axis) => Array.from(positions).filter((_, i) => i % 3 === axis));

  /** The parts of a row, from the kinds of its tokens and the grids of its images. */
  function partsOf(kinds: readonly number[], grids: number[][], merge: number) {
    const parts: MropePart[] = [];
    let paddingBefore = 0;
    for (let i = 0; i < kinds.length;) {
      if (kinds[i] === 2) {
        const [frames, rows, columns] = grids.shift() as [number, number, number];
        parts.push({ grid: [frames, rows, columns] });
        i += (frames * rows * columns) / merge ** 2;
        continue;
      }
      if (kinds[i] === 0) paddingBefore++;
      else parts.push({ text: 1 });
      i++;
    }
    return { parts, paddingBefore };
  }

  test.each(golden('mrope').cases.filter(({ tensors }) => tensors.kinds))('$name', (given) => {
    const { kinds, places, deltas } = given.tensors;
    const [rows = 0, tokens = 0] = kinds!.shape;
    const merge = given.numbers.merge!;
    const grids = chunks(given.tensors.grids!.values, 3);
    for (let row = 0; row < rows; row++) {
      const ofRow = kinds!.values.slice(row * tokens, (row + 1) * tokens);
      const { parts, paddingBefore } = partsOf(ofRow, grids, merge);
      const { positions, ropeDelta } = mropePositions(parts, { merge, paddingBefore });
      const expected = chunks(places!.values, 3).slice(row * tokens + paddingBefore);
      const real = chunks(Array.from(positions), 3).slice(paddingBefore);
      expect(real).toEqual(expected.slice(0, real.length));
      expect(ropeDelta).toBe(deltas!.values[row]);
    }
  });

  test('text alone is 0, 1, 2 … on all axes, and goes on behind it', () => {
    const { positions, ropeDelta } = mropePositions([{ text: 3 }, { text: 0 }, { text: 1 }]);
    expect(Array.from(positions)).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]);
    expect(ropeDelta).toBe(0);
  });

  test('a video counts frames, by time where it has a step', () => {
    const video = (timeStep?: number): number[] => {
      const step = timeStep === undefined ? {} : { timeStep };
      const parts: MropePart[] = [{ text: 1 }, { grid: [3, 2, 4], ...step }, { text: 1 }];
      return axes(mropePositions(parts).positions)[0]!;
    };
    expect(video()).toEqual([0, 1, 1, 2, 2, 3, 3, 4]);
    expect(video(2.5)).toEqual([0, 1, 1, 3, 3, 6, 6, 7]);
    expect(video(0)).toEqual([0, 1, 1, 1, 1, 1, 1, 3]);
  });

  test('merge and paddingAfter', () => {
    const image: MropePart[] = [{ grid: [1, 2, 3] }];
    const result = mropePositions(image, { merge: 1, paddingAfter: 1 });
    expect(axes(result.positions)).toEqual([
      [0, 0, 0, 0, 0, 0, 0],
      [0, 0, 0, 1, 1, 1, 0],
      [0, 1, 2, 0, 1, 2, 0],
    ]);
    expect(result).toMatchObject({ tokens: 7, next: 3, ropeDelta: -4 });
  });
});

/** A list in pieces of `size`. */
function chunks(list: readonly number[], size: number): number[][] {
  return Array.from({ length: list.length / size }, (_, i) => list.slice(i * size, (i + 1) * size));
}

const seeds = Array.from({ length: 400 }, (_, seed) => seed);

/** How often each of 0 … below − 1 occurs. */
function histogram(values: Iterable<number>, below: number): number[] {
  const counts = Array<number>(below).fill(0);
  for (const value of values) counts[value]! += 1;
  return counts;
}

describe('positions drawn for training', () => {
  test('repeat with the seed and differ without', () => {
    const options = { seed: 2 ** 53 - 1, tokens: 20 };
    const calls = [
      (seed: number) => posePositions({ ...options, seed, target: 10000 }),
      (seed: number) => randomizedPositions({ ...options, seed, length: 10000 }),
      (seed: number) => shapePositions({ ...options, seed, maxShift: 10000 }),
    ];
    for (const call of calls) {
      expect(call(2 ** 53 - 1)).toEqual(call(2 ** 53 - 1));
      for (const other of [0, 1, 2 ** 32]) expect(call(other)).not.toEqual(call(2 ** 53 - 1));
    }
  });

  test('come from sfc32, seeded by the two halves of the seed', () => {
    const mask = 0xffffffffn;
    const seed = 0x12345_6789abcdn;
    let [a, b, c, counter] = [0n, seed & mask, seed >> 32n, 1n];
    const next = (): bigint => {
      const sum = (a + b + counter++) & mask;
      a = b ^ (b >> 9n);
      b = (c + (c << 3n)) & mask;
      c = (((c << 21n) | (c >> 11n)) + sum) & mask;
      return sum;
    };
    for (let i = 0; i < 12; i++) next();
    const [shift] = shapePositions({ seed: Number(seed), tokens: 1, maxShift: 2 ** 16 - 1 });
    expect(shift).toBe(Number(next() % 2n ** 16n));
  });

  test('PoSE: steps of 1, one skip per cut, within the target, all of it covered', () => {
    const [tokens, target] = [16, 64];
    const lasts = new Set<number>();
    const cuts = new Set<number>();
    for (const seed of seeds) {
      const positions = posePositions({ seed, tokens, target });
      expect(positions[0]).toBe(0);
      const jumps = Array.from(positions.slice(1), (p, i) => p - positions[i]! - 1);
      expect(jumps.every((jump) => jump >= 0)).toBe(true);
      const cut = jumps.findIndex((jump) => jump > 0);
      expect(jumps.filter((jump) => jump > 0).length).toBeLessThan(2);
      if (cut >= 0) cuts.add(cut);
      expect(positions.at(-1)).toBeLessThan(target);
      lasts.add(positions.at(-1)!);
    }
    expect(Math.max(...lasts)).toBe(target - 1);
    expect(Math.min(...lasts)).toBe(tokens - 1);
    expect(cuts.size).toBe(tokens - 1);
    const one = posePositions({ seed: 1, tokens: 4, target: 100, chunks: 1 });
    expect(one).toEqual(Int32Array.of(0, 1, 2, 3));
    const all = posePositions({ seed: 1, tokens: 4, target: 4, chunks: 4 });
    expect(all).toEqual(Int32Array.of(0, 1, 2, 3));
  });

  test('randomised: ascending, different, every position equally likely', () => {
    const drawn = seeds.flatMap((seed) => [...randomizedPositions({ seed, tokens: 3, length: 8 })]);
    for (let i = 0; i < drawn.length; i += 3) {
      expect(drawn[i]).toBeLessThan(drawn[i + 1]!);
      expect(drawn[i + 1]).toBeLessThan(drawn[i + 2]!);
    }
    // 400 draws of 3 out of 8: 150 each, standard deviation 9.7.
    for (const times of histogram(drawn, 8)) expect(Math.abs(times - 150)).toBeLessThan(45);
    const all = randomizedPositions({ seed: 5, tokens: 6, length: 6 });
    expect(all).toEqual(Int32Array.of(0, 1, 2, 3, 4, 5));
  });

  test('SHAPE: one shift for the row, uniform', () => {
    const shifts = seeds.map((seed) => {
      const [first = -1, ...others] = shapePositions({ seed, tokens: 4, maxShift: 4 });
      expect(others).toEqual([first + 1, first + 2, first + 3]);
      return first;
    });
    // 80 each, standard deviation 8.
    for (const times of histogram(shifts, 5)) expect(Math.abs(times - 80)).toBeLessThan(36);
  });

  test('Abacus: digits count inside their number, in each row anew', () => {
    const isDigit = Array.from('12+345=75', (token) => /\d/.test(token));
    expect(Array.from(abacusPositions(isDigit))).toEqual([1, 2, 0, 1, 2, 3, 0, 1, 2]);
    expect(Array.from(abacusPositions([1, 1, 1, 1], { batch: 2 }))).toEqual([1, 2, 1, 2]);
    const offsets = seeds.map((seed) => {
      const [first = NaN, second, gap] = abacusPositions([1, 1, 0], { maxOffset: 3, seed });
      expect([second, gap]).toEqual([first + 1, 0]);
      return first - 1;
    });
    for (const times of histogram(offsets, 4)) expect(Math.abs(times - 100)).toBeLessThan(40);
  });
});

/** Reports of others about positions under padding (numbers as in the shared list), as tests named after the symptom. */
import { describe, expect, it } from 'vitest';
import { mropePositions, positionsFromMask, type Encoding } from 'posenc';
import { errorOf, expectNear, numbers, posenc } from './posenc.js';
import { sinusoid } from './reference.js';

const [heads, headDim] = [2, 8];

/** [heads, tokens, headDim] of tokens of one row, padding (wild numbers) where the mask is 0. */
function padded(real: Float32Array, mask: readonly number[], seed: number): Float32Array {
  const tokens = mask.length;
  const out = numbers(heads * tokens * headDim, seed).map((x) => 100 * x);
  const count = real.length / heads / headDim;
  for (let h = 0; h < heads; h++) {
    let from = h * count;
    for (let t = 0; t < tokens; t++) {
      if (mask[t] === 0) continue;
      const row = real.subarray(from * headDim, ++from * headDim);
      out.set(row, (h * tokens + t) * headDim);
    }
  }
  return out;
}

/** Causal attention of a row of tokens with itself; the outputs of real tokens only, [heads, real, headDim]. */
function attendRow(
  x: Float32Array,
  mask: readonly number[],
  encoding: Encoding,
  positions: Int32Array,
  options: { axes?: number; keyMask?: readonly number[] } = {},
): number[] {
  const tokens = mask.length;
  const { output } = posenc.attention({
    ...{ query: x, key: x, value: x, encoding, causal: true, keyMask: mask, ...options },
    ...{ queryPositions: positions, keyPositions: positions },
    shape: { heads, queries: tokens, headDim },
  });
  return Array.from(output).filter((_, i) => mask[Math.floor(i / headDim) % tokens] === 1);
}

const unpadded = (count: number) => Array<number>(count).fill(1);
const counted = (count: number) => Int32Array.from({ length: count }, (_, i) => i);
const difference = (a: readonly number[], b: readonly number[]) =>
  a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i]!)), 0);

describe('padding on the left', () => {
  it('14: GPT-NeoX: outputs of a padded row differ from those of the row alone', () => {
    const rope = posenc.encoding('rope', { headDim, rotaryDim: 2 });
    const mask = [0, 0, 1, 1];
    const { positions } = positionsFromMask(mask);
    expect(Array.from(positions.slice(2))).toEqual([0, 1]);
    const real = numbers(heads * 2 * headDim);
    const alone = attendRow(real, unpadded(2), rope, counted(2));
    expectNear(attendRow(padded(real, mask, 2), mask, rope, positions), alone);
  });

  it('15: every row decoded at the position of the longest one', () => {
    const mask = [0, 0, 1, 1, 1, 1, 1, 1, 1, 1];
    const { positions, next } = positionsFromMask(mask, { batch: 2 });
    expect(Array.from(next)).toEqual([3, 5]);
    const rope = posenc.encoding('rope', { headDim });
    const row = numbers(heads * 3 * headDim, 3);
    const keys = Float32Array.from([
      ...padded(row, mask.slice(0, 5), 4),
      ...numbers(heads * 5 * headDim, 5),
    ]);
    const query = numbers(2 * heads * headDim, 6);
    const decode = (queryPositions: Int32Array | number[]) =>
      posenc.attention({
        ...{ query, key: keys, value: keys, encoding: rope, causal: true },
        ...{ queryPositions, keyPositions: positions, keyMask: mask },
        shape: { batch: 2, heads, queries: 1, keys: 5, headDim },
      }).output;
    const alone = posenc.attention({
      ...{ query: query.subarray(0, heads * headDim), key: row, value: row, encoding: rope },
      ...{ queryPositions: [3], causal: true },
      shape: { heads, queries: 1, keys: 3, headDim },
    }).output;
    const short = (output: Float32Array) => output.subarray(0, heads * headDim);
    expectNear(short(decode(next)), alone);
    expect(difference([...short(decode([5, 5]))], [...alone])).toBeGreaterThan(1e-2);
  });

  describe('17: does padding change what RoPE gives?', () => {
    const rope = posenc.encoding('rope', { headDim });
    const real = numbers(heads * 5 * headDim, 7);
    const mask = [...Array<number>(7).fill(0), ...unpadded(5)];
    const row = padded(real, mask, 8);
    const alone = attendRow(real, unpadded(5), rope, counted(5));

    it('not where padding is masked, though tokens stand 7 later', () => {
      expect(difference(attendRow(row, mask, rope, counted(12)), alone)).toBeLessThan(1e-5);
    });

    it('it does where padding is not masked', () => {
      const seen = attendRow(row, mask, rope, counted(12), { keyMask: unpadded(12) });
      expect(difference(seen, alone)).toBeGreaterThan(0.1);
    });

    it('it does with an absolute encoding, unless positions count real tokens alone', () => {
      const sinusoidal = posenc.encoding('sinusoidal', { width: headDim });
      const [shifted, own] = [counted(12), positionsFromMask(mask).positions];
      expectNear(sinusoidal.embed(own).subarray(7 * headDim), sinusoidal.embed(counted(5)));
      const rows = sinusoidal.embed(shifted).subarray(7 * headDim);
      expectNear(rows, sinusoid([7, 8, 9, 10, 11], headDim));
      expect(difference([...rows], [...sinusoidal.embed(counted(5))])).toBeGreaterThan(0.5);
    });
  });
});

describe('18: positions derived from the mask repair some models and damage others', () => {
  it('GPT-2 with one pad on the left: every row of the table is the next one', () => {
    const table = numbers(16 * headDim, 9);
    const learned = posenc.encoding('learned', { width: headDim, table });
    const mask = [0, 1, 1, 1];
    const derived = learned.embed(positionsFromMask(mask).positions).subarray(headDim);
    expect(derived).toEqual(table.subarray(0, 3 * headDim));
    expect(learned.embed(counted(4)).subarray(headDim)).not.toEqual(derived);
  });

  it('M-RoPE: derived positions lose the image, which text alone does not show', () => {
    const mrope = posenc.encoding('mrope', { headDim, sections: [2, 1, 1] });
    const [image, text] = [[{ text: 2 }, { grid: [1, 4, 4] as const }, { text: 1 }], [{ text: 7 }]];
    const outputs = (parts: typeof image | typeof text, before: number, derive: boolean) => {
      const { positions, tokens } = mropePositions(parts, { paddingBefore: before });
      const mask = [...Array<number>(before).fill(0), ...unpadded(tokens - before)];
      const x = padded(numbers(heads * (tokens - before) * headDim, 10), mask, 11);
      const lines = Array.from(positionsFromMask(mask).positions, (p) => [p, p, p]).flat();
      return attendRow(x, mask, mrope, derive ? Int32Array.from(lines) : positions);
    };
    expectNear(outputs(text, 2, true), outputs(text, 0, false));
    expectNear(outputs(image, 2, false), outputs(image, 0, false));
    const damage = difference(outputs(image, 2, true), outputs(image, 0, false));
    expect(damage).toBeGreaterThan(1e-2);
  });
});

describe('padding on the right', () => {
  it('19: decoding went on behind the padding: 2 comes next, not 3', () => {
    const { positions, next } = positionsFromMask([1, 1, 0]);
    expect([Array.from(positions.slice(0, 2)), Array.from(next)]).toEqual([[0, 1], [2]]);
    const rope = posenc.encoding('rope', { headDim });
    const real = numbers(heads * 3 * headDim, 12);
    const alone = attendRow(real, unpadded(3), rope, counted(3));
    // The cache holds the padding between the prompt and the new token.
    const mask = [1, 1, 0, 1];
    const row = padded(real, mask, 13);
    const going = attendRow(row, mask, rope, Int32Array.of(...positions, next[0]!));
    expectNear(going, alone);
    expect(difference(attendRow(row, mask, rope, counted(4)), alone)).toBeGreaterThan(1e-2);
  });

  it('19: Whisper, 28 pads before 112 tokens: these stand at 0 … 111', () => {
    const mask = [...Array<number>(28).fill(0), ...unpadded(112)];
    expect(positionsFromMask(mask).positions.slice(28)).toEqual(counted(112));
  });
});

describe('padding and tables', () => {
  it('20: BLOOM: ALiBi counted padding', () => {
    const { positions } = positionsFromMask([0, 0, 1, 1, 1]);
    // One head of slope 1/2: the bias of keys over that of key 0, for every query.
    const alibi = posenc.encoding('alibi', { heads: 8 });
    for (const query of [2, 3, 10]) {
      const [slope, row] = [0.5, alibi.bias({ queryPositions: [query], keyPositions: positions })];
      const over = Array.from(row.subarray(0, 5), (x) => (x + slope * query) / slope);
      expect(over).toEqual([0, 0, 0, 1, 2]);
    }
  });

  it('21: RoBERTa: [5, 6, PAD] with padding_idx 1 stand at rows 2, 3, 1', () => {
    const { positions } = positionsFromMask([1, 1, 0], { start: 2, paddingPosition: 1 });
    expect(Array.from(positions)).toEqual([2, 3, 1]);
  });

  it.each([
    [1, 512],
    [3, 510],
  ])('21: a table of 514 rows with padding_idx %i holds %i tokens', (paddingIndex, usable) => {
    const table = Float32Array.from({ length: 514 }, (_, row) => row);
    const learned = posenc.encoding('learned', { width: 1, table, offset: paddingIndex + 1 });
    const rows = learned.embed(0, { tokens: usable });
    expect([rows[0], rows.at(-1)]).toEqual([paddingIndex + 1, 513]);
    expect(learned.embed([-1])[0]).toBe(paddingIndex);
    const error = errorOf(() => learned.embed([usable]));
    expect(error).toMatchObject({ code: 'range', argument: 'positions[0]' });
    expect(error.allowed).toMatch(new RegExp(`to ${usable - 1}$`));
  });

  it('22: OPT: the first three tokens read rows 2, 3, 4', () => {
    const table = Float32Array.from({ length: 10 }, (_, row) => row);
    const { positions } = positionsFromMask([1, 1, 1]);
    const offset = posenc.encoding('learned', { width: 1, table, offset: 2 });
    expect(Array.from(offset.embed(positions))).toEqual([2, 3, 4]);
    const start = positionsFromMask([1, 1, 1], { start: 2 }).positions;
    expect(Array.from(posenc.encoding('learned', { width: 1, table }).embed(start))).toEqual([
      2, 3, 4,
    ]);
  });
});

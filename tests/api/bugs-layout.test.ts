/** Reports of others about pairs, terms and packed rows (numbers as in the shared list), as tests named after the symptom. */
import { describe, expect, it } from 'vitest';
import { convertProjection, detectLayout, packedPositions } from 'posenc';
import { errorOf, expectNear, numbers, posenc } from './posenc.js';
import { turn } from './reference.js';

const [x, atOne] = [Float32Array.of(1, 2, 3, 4), { shape: [1, 4], positions: [1] }];
const rotated = {
  interleaved: [-1.14264, 1.92208, 2.95985, 4.0298],
  half: [-1.98411, 1.9599, 2.46238, 4.0198],
};

describe('the layout of pairs', () => {
  it.each([
    ['1: TinyLlama, 32 heads and 4 kv heads of 64', 32, 4, 64],
    ['2: Llama-2-70B, 64 heads and 8 kv heads', 64, 8, 128],
  ])('%s, turned to gibberish after conversion', (_, heads, kvHeads, headDim) => {
    const [query, key] = [numbers(heads * headDim, 1), numbers(kvHeads * headDim, 2)];
    const shape = { heads, kvHeads, queries: 1, headDim };
    const to = { from: 'interleaved', to: 'half', headDim } as const;
    const scoresOf = (query: Float32Array, key: Float32Array, layout: 'half' | 'interleaved') =>
      posenc.attention({
        ...{ query, key, value: key, shape, queryPositions: 11, keyPositions: 4 },
        ...{ encoding: posenc.encoding('rope', { headDim, layout }), return: ['scores'] },
      }).scores!;
    const expected = scoresOf(query, key, 'interleaved');
    const converted = convertProjection(query, { ...to, heads });
    const right = scoresOf(converted, convertProjection(key, { ...to, heads: kvHeads }), 'half');
    right.forEach((score, h) => expect(Math.abs(score - expected[h]!)).toBeLessThan(1e-5));
    // The report: rows of keys moved as if there were `heads` of them, each narrower.
    const narrow = { ...to, heads, headDim: (headDim * kvHeads) / heads };
    const wrong = scoresOf(converted, convertProjection(key, narrow), 'half');
    expect(Math.max(...wrong.map((score, h) => Math.abs(score - expected[h]!)))).toBeGreaterThan(1);
  });

  it.each(['interleaved', 'half'] as const)(
    '4: %s models were run in the other layout',
    (layout) => {
      const rope = posenc.encoding('rope', { headDim: 4, layout });
      const turned = rope.rotate(x, atOne);
      turned.forEach((value, i) => expect(value).toBeCloseTo(rotated[layout][i]!, 5));
      // The layout is part of the encoding, and shows in the numbers.
      expect(posenc.encoding('rope', rope.options).options.layout).toBe(layout);
      expect(detectLayout({ headDim: 4, x, rotated: turned, positions: [1] }).layout).toBe(layout);
    },
  );

  it.each([
    ['prefill', 16, 16],
    ['one token, 16 in the cache', 1, 17],
    ['one token, 64 in the cache', 1, 65],
    ['four tokens, 20 in the cache', 4, 24],
  ])('5: interleaved rotation was dropped inside attention: %s', (_, queries, keys) => {
    const [heads, kvHeads, headDim] = [4, 2, 16];
    const query = numbers(heads * queries * headDim, 3);
    const key = numbers(kvHeads * keys * headDim, 4);
    const shape = { heads, kvHeads, queries, keys, headDim };
    const rope = posenc.encoding('rope', { headDim, layout: 'interleaved' });
    const inputs = { value: key, shape, causal: true };
    const turnAll = (rows: Float32Array, tokens: number, first: number) =>
      Float32Array.from({ length: rows.length / headDim }, (_, row) => row).reduce((out, row) => {
        const vector = rows.subarray(row * headDim, (row + 1) * headDim);
        out.set(turn(vector, first + (row % tokens), { layout: 'interleaved' }), row * headDim);
        return out;
      }, new Float32Array(rows.length));
    const expected = posenc.attention({
      ...inputs,
      query: turnAll(query, queries, keys - queries),
      key: turnAll(key, keys, 0),
    }).output;
    const { output } = posenc.attention({ ...inputs, query, key, encoding: rope });
    output.forEach((value, i) => expect(Math.abs(value - expected[i]!)).toBeLessThan(1e-6));
  });

  it('6: interleaved layout and partial width were ignored: dimensions 4 to 7 must not move', () => {
    const rope = posenc.encoding('rope', { headDim: 8, rotaryDim: 4, layout: 'interleaved' });
    const rows = numbers(3 * 8, 5);
    const turned = rope.rotate(rows, { shape: [3, 8], positions: [1, 100, 7] });
    for (let row = 0; row < 24; row += 8) {
      expect(turned.subarray(row + 4, row + 8)).toEqual(rows.subarray(row + 4, row + 8));
    }
    expectNear(turned.subarray(0, 4), turn(rows.subarray(0, 4), 1, { layout: 'interleaved' }));
  });
});

describe('terms of DeBERTa', () => {
  const [heads, headDim, tokens, reach] = [2, 8, 5, 4];
  const table = (seed: number) => numbers(heads * 2 * reach * headDim, seed);
  const [keys, queries] = [table(6), table(7)];
  const content = numbers(heads * tokens * headDim, 8);
  const shape = { heads, queries: tokens, headDim };
  const sizes = { heads, headDim, maxDistance: reach };
  const scoresOf = (options: { c2p: boolean; p2c: boolean; p2p: boolean }) =>
    posenc.attention({
      ...{ query: content, key: content, value: content, shape, scale: 1, return: ['scores'] },
      encoding: posenc.encoding('deberta', { ...sizes, keys, queries, ...options }),
    }).scores!;
  const none = { c2p: false, p2c: false, p2p: false };
  const c2c = scoresOf(none);

  it('12: p2p was computed but never used, and crashed without c2p', () => {
    // Relative query times relative key of query − key, whatever the content.
    const row = (m: number, n: number) => Math.min(Math.max(m - n, -reach), reach - 1) + reach;
    const dot = (h: number, row: number) => {
      const start = (h * 2 * reach + row) * headDim;
      const relativeKey = keys.subarray(start, start + headDim);
      return relativeKey.reduce((sum, k, d) => sum + k * queries[start + d]!, 0);
    };
    const p2p = scoresOf({ ...none, p2p: true });
    const expected = Array.from(c2c, (score, i) => {
      const [h, m, n] = [Math.floor(i / tokens ** 2), Math.floor(i / tokens) % tokens, i % tokens];
      return score + dot(h, row(m, n));
    });
    expectNear(p2p, expected);
  });

  it('12: each term can be switched on alone, and they add up', () => {
    const names = ['c2p', 'p2c', 'p2p'] as const;
    const alone = names.map((name) => scoresOf({ ...none, [name]: true }));
    const all = scoresOf({ c2p: true, p2c: true, p2p: true });
    for (const scores of alone) expect(scores).not.toEqual(c2c);
    expectNear(
      all.map((score, i) => score + 2 * c2c[i]!),
      all.map((_, i) => alone.reduce((sum, scores) => sum + scores[i]!, 0)),
    );
  });

  it('12: a term without its table is refused by name', () => {
    const p2p = { ...sizes, keys, c2p: false, p2c: false, p2p: true };
    expect(errorOf(() => posenc.encoding('deberta', p2p)).argument).toBe('queries');
  });
});

describe('packed documents', () => {
  it('13: --reset-position-ids was ignored by RoPE', () => {
    const { positions, segments } = packedPositions([3, 2]);
    expect(Array.from(positions)).toEqual([0, 1, 2, 0, 1]);
    const headDim = 8;
    const rope = posenc.encoding('rope', { headDim });
    const rows = numbers(5 * headDim, 9);
    const turned = rope.rotate(rows, { shape: [5, headDim], positions });
    expectNear(turned.subarray(3 * headDim, 4 * headDim), rows.subarray(3 * headDim, 4 * headDim));
    const alone = rope.rotate(rows.subarray(3 * headDim), { shape: [2, headDim] });
    expect(turned.subarray(3 * headDim)).toEqual(alone);
    // Attention of the second document, the first one masked, is that of the document alone.
    const document = rows.subarray(3 * headDim);
    const attend = (query: Float32Array, keys: Float32Array, places: object) =>
      posenc.attention({
        ...{ query, key: keys, value: keys, encoding: rope, causal: true, ...places },
        shape: { heads: 1, queries: 2, keys: keys.length / headDim, headDim },
      }).output;
    const packed = attend(document, rows, {
      queryPositions: positions.slice(3),
      keyPositions: positions,
      keyMask: Array.from(segments, (segment) => segment === 1),
    });
    expectNear(packed, attend(document, document, {}));
  });
});

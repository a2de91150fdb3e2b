/**
 * Prefill, token by token, in chunks, padded, packed, beside others, evicted, taken back, copied, saved:
 * the outputs are the same, for every encoding and however keys wait.
 */
import { describe, expect, test } from 'vitest';
import { streamingPositions, type EncodingName, type KvCache, type KvCacheOptions } from 'posenc';
import {
  acting,
  byToken,
  decode,
  expectSame,
  inputs,
  kvHeads,
  make,
  padding,
  place,
  prefill,
  range,
  relative,
  rows,
  turning,
  valueDim,
  type Outputs,
} from './cache-rows.js';
import { errorOf, posenc } from './posenc.js';
import { headDim, heads, tokens } from './samples.js';

/** One encoding whose keys wait one way. */
interface Law {
  readonly name: EncodingName;
  readonly store: 'turned' | 'raw';
  readonly cache: (options?: Partial<KvCacheOptions>) => KvCache;
}

const all = range(0, tokens);
const each = all.map((token) => [token]);
const [early, late] = [range(0, 3), range(3, tokens)];

/** Padding among the tokens of a row. */
const padded: [string, number[][]][] = [
  ['on the left', [[padding, padding, ...all]]],
  ['on the right', [[...all, padding, padding, padding]]],
  ['in between', [[0, padding, 1, 2, padding], [padding], [padding, 3, 4], [5, padding]]],
];

/** Two sequences get chunks of tokens together; the outputs of both. */
function together(cache: KvCache, name: EncodingName, chunks: (readonly [number[], number[]])[]) {
  const fresh = (): Outputs => new Map();
  const outputs: [Outputs, Outputs] = [fresh(), fresh()];
  for (const pair of chunks) {
    const both = pair.map((chunk) => inputs(name, chunk));
    const joined = (of: (one: (typeof both)[number]) => ArrayLike<unknown>) =>
      both.flatMap((one) => Array.from(of(one)));
    const floats = (side: 'query' | 'key' | 'value') =>
      Float32Array.from(joined((one) => one[side] as Float32Array) as number[]);
    const { output } = cache.attend(0, {
      ...{ query: floats('query'), key: floats('key'), value: floats('value') },
      ...(both[0]!.positions !== undefined && {
        positions: joined((one) => one.positions as number[]) as number[],
      }),
      keyMask: pair.flat().map((token) => token !== padding),
    });
    for (const [entry, chunk] of pair.entries()) {
      for (const [token, row] of byToken(output, chunk, entry)) outputs[entry]!.set(token, row);
      outputs[entry]!.delete(padding);
    }
  }
  return outputs;
}

const ways: [string, (law: Law) => void][] = [
  [
    'prefill',
    ({ name, cache }) => {
      using one = cache();
      expectSame(decode(one, name, [all]), prefill(name));
    },
  ],
  [
    'token by token',
    ({ name, cache }) => {
      using one = cache();
      expectSame(decode(one, name, each), prefill(name));
      expect(one.length()).toBe(tokens);
    },
  ],
  [
    'in chunks',
    ({ name, cache }) => {
      for (const cut of [1, 3, 5]) {
        using one = cache();
        expectSame(decode(one, name, [range(0, cut), range(cut, tokens)]), prefill(name));
      }
    },
  ],
  [
    'keys first, queries of the last tokens later',
    ({ name, cache }) => {
      using one = cache();
      const { query: _, ...early } = inputs(name, range(0, 4));
      one.append(0, early);
      expectSame(decode(one, name, [[4, 5]]), prefill(name, {}, [4, 5]));
    },
  ],
  ...padded.map(([where, chunks]): (typeof ways)[number] => [
    `padded ${where}`,
    ({ name, cache }) => {
      using one = cache();
      expectSame(decode(one, name, chunks), prefill(name));
      expect(one.length()).toBe(tokens);
    },
  ]),
  [
    'beside a longer sequence',
    ({ name, cache }) => {
      using one = cache({ batch: 2 });
      const outputs = together(one, name, [
        [
          [padding, 0, 1],
          [0, 1, 2],
        ],
        [[2], [3]],
        [[padding], [4]],
        [
          [3, 4, 5],
          [5, padding, padding],
        ],
      ]);
      for (const some of outputs) expectSame(some, prefill(name));
      expect([one.length(), one.length({ sequence: 1 })]).toEqual([tokens, tokens]);
    },
  ],
  [
    'one sequence of several at a time',
    ({ name, cache }) => {
      using one = cache({ batch: 3, layers: 2 });
      decode(one, name, [early], { sequence: 0 });
      expectSame(
        decode(one, name, [early, ...late.map((t) => [t])], { sequence: 2 }),
        prefill(name),
      );
      expect(range(0, 3).map((sequence) => one.length({ sequence }))).toEqual([3, 0, tokens]);
      expect(one.length({ layer: 1, sequence: 2 })).toBe(0);
    },
  ],
  [
    'packed into one row',
    ({ name, cache }) => {
      // Documents of tokens 0 … 2 and 3 … 5; each begins anew. CoPE counts gates, in order.
      const second = name === 'cope' ? late : early;
      const positions = [...early, ...second].flatMap((token) => place(name, token));
      const packed = prefill(name, {
        ...{ queryPositions: positions, keyPositions: positions },
        ...{ querySegments: [0, 0, 0, 1, 1, 1], keySegments: [0, 0, 0, 1, 1, 1] },
      });
      using one = cache({ batch: 2 });
      const first = decode(one, name, [[0, 1], [2]], { sequence: 0 });
      const others = late.map((token, i) => {
        const at = place(name, i);
        return decode(one, name, [[token]], {
          sequence: 1,
          ...(at.length > 1 && { positions: at }),
        });
      });
      expectSame(new Map([...first, ...others.flatMap((outputs) => [...outputs])]), packed);
    },
  ],
  [
    'in a window',
    ({ name, cache }) => {
      const expected = prefill(name, { window: 3 });
      for (const capacity of [3, 4, tokens]) {
        for (const chunks of [[all], each, [range(0, 4), [4, 5]]]) {
          using one = cache({ window: 3, capacity });
          expectSame(decode(one, name, chunks), expected);
          expect(one.length()).toBeLessThanOrEqual(capacity);
        }
      }
    },
  ],
  [
    'in a window, with sinks',
    ({ name, cache }) => {
      const expected = prefill(name, { window: 2, sinks: 2 });
      for (const capacity of [4, 5]) {
        for (const chunks of [[all], each, [range(0, 4), [4, 5]]]) {
          using one = cache({ window: 2, sinks: 2, capacity });
          expectSame(decode(one, name, chunks), expected);
          expect([...one.positions()].slice(0, 1)).toEqual([0]);
        }
      }
    },
  ],
  [
    'with keys evicted',
    ({ name, cache }) => {
      using one = cache();
      decode(one, name, [range(0, 4)]);
      one.evict([2, 1]);
      const kept = prefill(name, { keyMask: [1, 0, 0, 1, 1, 1] }, [4, 5]);
      expectSame(decode(one, name, [[4], [5]]), kept);
      expect([...one.positions()]).toEqual([0, 3, 4, 5].flatMap((token) => place(name, token)));
    },
  ],
  [
    'with tokens taken back',
    ({ name, cache }) => {
      using one = cache();
      decode(one, name, [early, [4, 0]]); // Two wrong guesses.
      one.truncate(3);
      expectSame(decode(one, name, [late]), prefill(name, {}, late));
      expect(one.length()).toBe(tokens);
    },
  ],
  [
    'in a fork',
    ({ name, cache }) => {
      using one = cache();
      const first = decode(one, name, [early]);
      using two = one.fork();
      decode(one, name, [[5], [4]], place(name, 0).length > 1 ? { positions: place(name, 3) } : {});
      one.clear();
      expectSame(new Map([...first, ...decode(two, name, [late])]), prefill(name));
    },
  ],
  [
    'in a copy of a sequence',
    ({ name, cache }) => {
      using one = cache({ batch: 2 });
      const first = decode(one, name, [early], { sequence: 1 });
      one.copySequence(1, 0);
      one.clear({ sequence: 1 });
      const second = decode(one, name, [late], { sequence: 0 });
      expectSame(new Map([...first, ...second]), prefill(name));
    },
  ],
  [
    'saved and restored',
    ({ name, cache }) => {
      using one = cache({ batch: 2, layers: 2 });
      const first = decode(one, name, [early], { sequence: 1 });
      const bytes = one.save();
      using two = cache({ batch: 2, layers: 2, capacity: 2 * tokens });
      two.restore(bytes);
      expect(two.save()).toEqual(bytes);
      const second = decode(two, name, [[3], [4, 5]], { sequence: 1 });
      expectSame(new Map([...first, ...second]), prefill(name));
    },
  ],
];

describe.each(acting)('%s', (name) => {
  const encoding = make(name);
  const options = { kvHeads, headDim, valueDim, capacity: tokens, encoding };

  describe.each(turning.includes(name) ? (['raw', 'turned'] as const) : (['raw'] as const))(
    'keys that wait %s',
    (store) => {
      const cache = (change: Partial<KvCacheOptions> = {}) => {
        const made = posenc.kvCache({ ...options, store, ...change });
        expect(made.store).toBe(store);
        return made;
      };
      test.each(ways)('%s', (_, check) => check({ name, store, cache }));

      test.runIf(relative.includes(name))('shifted, they are as if all had come later', () => {
        using one = cache();
        const first = decode(one, name, [early]);
        one.shift(1000);
        expect([...one.positions()]).toEqual([1000, 1001, 1002]);
        const second = decode(one, name, [[3], [4, 5]]);
        expectSame(new Map([...first, ...second]), prefill(name));
      });
    },
  );

  test.runIf(!turning.includes(name))('cannot wait turned', () => {
    const error = errorOf(() => posenc.kvCache({ ...options, store: 'turned' }));
    expect(error).toMatchObject({ code: 'unsupported', argument: 'store' });
  });

  test.runIf(relative.includes(name))('positions that are slots', () => {
    // Each token sees the first two and the last two, at positions 0, 1, 2, 3 (StreamingLLM).
    const [sinks, window] = [2, 2];
    const expected: Outputs = new Map();
    for (const token of all) {
      const { kept, positions } = streamingPositions({ sinks, recent: window, tokens: token + 1 });
      const at = { keyPositions: positions, queryPositions: positions.slice(-1) };
      for (const [t, row] of prefill(name, at, [token], [...kept])) expected.set(t, row);
    }
    for (const capacity of [4, tokens]) {
      for (const chunks of [[all], each, [early, late]]) {
        using one = posenc.kvCache({ ...options, capacity, window, sinks, positions: 'slots' });
        expectSame(decode(one, name, chunks), expected);
        expect([...one.positions()]).toEqual([0, 1, 2, 3]);
        expect(one.next()).toBe(4);
      }
    }
  });

  test.runIf(!relative.includes(name))('tokens cannot change their positions', () => {
    using one = posenc.kvCache(options);
    decode(one, name, [early]);
    expect(errorOf(() => one.shift(-1))).toMatchObject({ code: 'unsupported', argument: 'shift' });
    const error = errorOf(() => posenc.kvCache({ ...options, positions: 'slots' }));
    expect(error).toMatchObject({ code: 'unsupported', argument: 'positions' });
    expect(one.positions().length).toBe(3 * place(name, 0).length);
  });
});

test('the lists of this test speak of encodings that there are', () => {
  expect(acting).toEqual(expect.arrayContaining([...turning, ...relative]));
  expect(acting.length).toBeGreaterThan(25);
  expect(rows('query', [0])).toHaveLength(heads * headDim);
});

/** Whatever is passed for whichever argument: a result or a PosencError, and a module that still works. */
import { describe, expect, test } from 'vitest';
import * as package_ from 'posenc';
import { PosencError } from 'posenc';
import { js, type Untyped } from './bad-input/fixtures.js';
import { numbers, posenc } from './posenc.js';

const loop: unknown[] = [];
loop.push(loop);

const junk: Record<string, unknown> = {
  ...{ undefined, null: null, true: true, '-0': -0, NaN, Infinity },
  ...{ '2^31': 2 ** 31, '2^53': 2 ** 53, '-1e308': -1e308, '1n': 1n, symbol: Symbol('x') },
  ...{ 'empty text': '', text: '__proto__', object: {}, function: () => 1, date: new Date(NaN) },
  ...{
    'no prototype': Object.create(null) as unknown,
    array: [],
    nested: [[1]],
    loop,
    sparse: Array(4),
  },
  ...{ 'long array': Array(1000).fill(1), strings: ['1', '2'], buffer: new ArrayBuffer(8) },
  ...{ float64: new Float64Array(4), bigint64: new BigInt64Array(4), uint8: new Uint8Array(4) },
  ...{ empty: new Float32Array(0), view: new DataView(new ArrayBuffer(8)), map: new Map() },
  ...{ encoding: posenc.encoding('nope'), module: posenc },
  ...{ prototype: { __proto__: { heads: 1 } }, valueOf: { valueOf: () => 3 } },
};

const x = numbers(16);
const tensor = js.zeros([1, 1, 2, 8]);
const rope = js.encoding('rope', { headDim: 8 });
const shape = { batch: 1, heads: 1, kvHeads: 1, queries: 2, keys: 2, headDim: 8, valueDim: 8 };
const inputs = {
  ...{ query: x, key: x, value: x, shape, encoding: rope, causal: true, window: 2, softcap: 1 },
  ...{ scale: 1, axes: 1, queryPositions: 0, keyPositions: 0, keyMask: [1, 1], return: [], out: x },
};
const rotation = { shape: [2, 8], positions: 0, axes: 1, side: 'key', inverse: true, out: x };

/** Calls with one argument replaced: by its place, or by its name in the options. */
const calls: Record<string, [call: (...args: unknown[]) => unknown, args: unknown[]]> = {
  encoding: [
    js.encoding,
    [
      'rope',
      {
        headDim: 8,
        rotaryDim: 8,
        base: 10,
        layout: 'half',
        frequencies: [1, 2, 3, 4],
        attentionFactor: 2,
      },
    ],
  ],
  sinusoidal: [
    js.encoding,
    ['sinusoidal', { width: 4, base: 10, layout: 'halves', denominator: 'd/2', order: 'sin-cos' }],
  ],
  attention: [js.attention, [inputs]],
  shape: [(given) => js.attention({ ...inputs, shape: given }), [shape]],
  tensor: [(...args) => js.tensor(...args).dispose(), [x, [2, 8]]],
  zeros: [(...args) => js.zeros(...args).dispose(), [[2, 8]]],
  read: [(...args) => tensor.read(...args), [x]],
  write: [(...args) => tensor.write(...args), [x]],
  random: [js.random, [1]],
  uniform: [(...args) => js.random(1).uniform(...args), [1]],
  embed: [
    (...args) => js.encoding('sinusoidal', { width: 8 }).embed(...args),
    [0, { tokens: 2, axes: 1, out: x }],
  ],
  rotate: [(...args) => rope.rotate(...args), [x, rotation]],
  table: [(...args) => rope.table(...args), [0, { tokens: 2, axes: 1, side: 'query' }]],
  bias: [
    (...args) => js.encoding('alibi', { heads: 1 }).bias(...args),
    [{ queryPositions: 0, keyPositions: 0, axes: 1, queries: 2, keys: 2 }],
  ],
};

/** Functions of the package that need no module. */
const pure = package_ as unknown as Record<string, (...args: unknown[]) => unknown>;
const drawn = { seed: 1, tokens: 4 };
const head = { headDim: 4, rotaryDim: 4 };
const vectors = { ...head, base: 10, attentionFactor: 1, tolerance: 1 };
Object.assign(calls, {
  positionsFromMask: [pure.positionsFromMask, [[1, 0], { batch: 1, start: 1, paddingPosition: 0 }]],
  packedPositions: [pure.packedPositions, [[2, 1]]],
  streamingPositions: [pure.streamingPositions, [{ sinks: 1, recent: 2, tokens: 9 }]],
  mropePositions: [
    pure.mropePositions,
    [[{ text: 2 }], { merge: 2, paddingBefore: 1, paddingAfter: 1 }],
  ],
  'parts of mropePositions': [
    (part: unknown) => pure.mropePositions!([part]),
    [{ grid: [1, 2, 2], timeStep: 1 }],
  ],
  'grid of mropePositions': [(...grid: unknown[]) => pure.mropePositions!([{ grid }]), [1, 2, 2]],
  selfExtend: [pure.selfExtend, [{ window: 4, group: 2 }]],
  leakyReRope: [pure.leakyReRope, [{ window: 4, factor: 2 }]],
  dualChunk: [pure.dualChunk, [{ chunk: 4, farthest: 5 }]],
  distance: [package_.reRope({ window: 4 }).distance, [3, 2]],
  posePositions: [pure.posePositions, [{ ...drawn, target: 9, chunks: 2 }]],
  randomizedPositions: [pure.randomizedPositions, [{ ...drawn, length: 9 }]],
  shapePositions: [pure.shapePositions, [{ ...drawn, maxShift: 9 }]],
  abacusPositions: [pure.abacusPositions, [[1, 0], { batch: 1, maxOffset: 3, seed: 1 }]],
  convertLayout: [pure.convertLayout, [x, { ...head, from: 'half', to: 'interleaved' }]],
  convertProjection: [
    pure.convertProjection,
    [x, { ...head, from: 'half', to: 'interleaved', heads: 2, inFeatures: 2 }],
  ],
  detectLayout: [
    pure.detectLayout,
    [
      {
        ...vectors,
        inverseFrequencies: [1, 2],
        x: [1, 2, 3, 4],
        rotated: [1, 2, 3, 4],
        positions: [0],
      },
    ],
  ],
  'detectLayout by scores': [
    pure.detectLayout,
    [
      {
        ...{ ...vectors, query: [1, 2, 3, 4], key: [1, 2, 3, 4], scores: [30], scale: 1 },
        ...{ queryPositions: [0], keyPositions: [0] },
      },
    ],
  ],
});

/** Every call with one argument or one option replaced by `value`. */
function* replaced(args: unknown[], value: unknown): Generator<[place: string, args: unknown[]]> {
  for (const [i, given] of args.entries()) {
    yield [String(i), args.with(i, value)];
    if (Object.getPrototypeOf(given) !== Object.prototype) continue;
    for (const name of Object.keys(given as object)) {
      yield [name, args.with(i, { ...(given as object), [name]: value })];
    }
  }
}

describe.each(Object.entries(calls))('%s', (_, [call, args]) => {
  test('works', () => {
    call(...args);
  });

  test.each(Object.entries(junk))('takes or refuses %s', (_name, value) => {
    const { liveTensors } = posenc.info;
    for (const [place, changed] of replaced(args, value)) {
      try {
        call(...changed);
      } catch (error) {
        if (!(error instanceof PosencError)) expect.fail(`${place}: ${String(error)}`);
      }
    }
    expect(posenc.info.liveTensors).toBe(liveTensors);
    const fresh: Untyped = rope.rotate(Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0), {
      shape: [8],
      positions: 1,
    });
    expect(Array.from(fresh as unknown as Float32Array, (v) => v.toFixed(4)).join()).toBe(
      '0.5403,0.0000,0.0000,0.0000,0.8415,0.0000,0.0000,0.0000',
    );
  });
});

describe('code of the caller that runs inside a call', () => {
  const y = numbers(16);
  const expected = posenc.encoding('rope', { headDim: 8 }).rotate(y, { shape: [2, 8] });
  /** Positions whose second element runs `code`. */
  const positions = (code: () => void) =>
    new Proxy([0, 1], {
      get(target, name, receiver) {
        if (name === '1') code();
        return Reflect.get(target, name, receiver) as unknown;
      },
    });

  test('may throw', () => {
    const call = () =>
      rope.rotate(y, {
        shape: [2, 8],
        positions: positions(() => {
          throw new RangeError('mine');
        }),
      });
    expect(call).toThrow(new RangeError('mine'));
    expect(rope.rotate(y, { shape: [2, 8] })).toEqual(expected);
  });

  test('may call the module, and make its memory grow', () => {
    let inner: unknown;
    const before = posenc.info.memoryBytes;
    const outer = rope.rotate(y, {
      shape: [2, 8],
      positions: positions(() => {
        const big = posenc.random(1).uniform(before / 4);
        inner = posenc.encoding('rope', { headDim: 8 }).rotate(y, { shape: [2, 8] });
        expect(big).toHaveLength(before / 4);
      }),
    });
    expect(posenc.info.memoryBytes).toBeGreaterThan(before);
    expect(inner).toEqual(expected);
    expect(outer).toEqual(expected);
  });
});

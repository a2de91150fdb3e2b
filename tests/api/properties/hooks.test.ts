/** Laws of embed, rotate, table and bias, for random encodings at random positions. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectNear, numbers, posenc } from '../posenc.js';
import { axesOf, filling, isRelative, made, places, type Made } from './encodings.js';

const tokens = 5;

/** A random encoding with positions of five tokens. */
const placed = (name: Parameters<typeof made>[0]) =>
  made(name).chain((given) => places(given, tokens).map((positions) => ({ given, positions })));

const negative = (positions: readonly number[]) => positions.map((p) => -p);

describe.each(filling('embed'))('%s', (name) => {
  test('rows are those of each position alone, and finite', () => {
    fc.assert(
      fc.property(placed(name), ({ given, positions }) => {
        const { encoding } = given;
        const rows = encoding.embed(positions);
        expect(rows.every(Number.isFinite)).toBe(true);
        const axes = axesOf(given);
        const alone = Array.from({ length: tokens }, (_, t) =>
          Array.from(encoding.embed(positions.slice(t * axes, (t + 1) * axes))),
        );
        expect(Array.from(rows)).toEqual(alone.flat());
      }),
    );
  });
});

/** [heads, tokens, headDim] to turn. */
const vectors = ({ heads, headDim, seed }: Made) => ({
  x: numbers(heads * tokens * headDim, seed),
  shape: [heads, tokens, headDim],
});

describe.each(filling('rotate'))('%s', (name) => {
  test('tokens are turned as each is alone, and stay finite', () => {
    fc.assert(
      fc.property(placed(name), fc.constantFrom('query', 'key'), ({ given, positions }, side) => {
        const { encoding, headDim } = given;
        const heads = side === 'query' ? given.heads : given.kvHeads;
        const { x } = vectors({ ...given, heads });
        const all = encoding.rotate(x, { shape: [heads, tokens, headDim], positions, side });
        expect(all.every(Number.isFinite)).toBe(true);
        const [axes, width] = [axesOf(given), all.length / heads / tokens];
        for (let t = 0; t < tokens; t++) {
          const rows = (data: Float32Array, width: number) =>
            Array.from({ length: heads }, (_, h) => [
              ...data.subarray((h * tokens + t) * width).slice(0, width),
            ]).flat();
          const alone = encoding.rotate(Float32Array.from(rows(x, headDim)), {
            ...{ shape: [heads, 1, headDim], side },
            positions: positions.slice(t * axes, (t + 1) * axes),
          });
          expect(Array.from(alone)).toEqual(rows(all, width));
        }
      }),
    );
  });
});

// Others scale (xPos), sum up (FoPE), widen (PoPE), turn some heads further (RoPE++) or add angles
// up from a table (Selective RoPE).
describe.each(['rope', 'rope_nd', 'mrope', 'hope'] as const)('%s', (name) => {
  /** Whether angles are exactly proportional to positions, and there is no factor. */
  const isPlain = (given: Made): boolean =>
    isRelative(given) &&
    given.encoding.attentionFactor === 1 &&
    (given.options.coordinates ?? 'index') === 'index';

  test('keeps the length of vectors, whatever the position', () => {
    fc.assert(
      fc.property(placed(name), ({ given, positions }) => {
        const { x, shape } = vectors(given);
        const turned = given.encoding.rotate(x, { shape, positions });
        const zeros = positions.map(() => 0);
        const plain = given.encoding.rotate(x, { shape, positions: zeros });
        const length = (data: Float32Array, row: number) =>
          Math.hypot(...data.subarray(row * given.headDim, (row + 1) * given.headDim));
        for (let row = 0; row < given.heads * tokens; row++) {
          expect(length(turned, row) / length(plain, row)).toBeCloseTo(1, 5);
        }
      }),
    );
  });

  test('inverse undoes it, and so does the opposite position', () => {
    fc.assert(
      fc.property(placed(name), ({ given, positions }) => {
        const { encoding } = given;
        const { x, shape } = vectors(given);
        const there = encoding.rotate(x, { shape, positions });
        expectNear(encoding.rotate(there, { shape, positions, inverse: true }), x);
        if (!isPlain(given)) return;
        expectNear(encoding.rotate(there, { shape, positions: negative(positions) }), x);
      }),
    );
  });

  test('turning by a, then by b, is turning by a + b', () => {
    fc.assert(
      fc.property(placed(name), fc.integer({ min: -(2 ** 20), max: 2 ** 20 }), (call, more) => {
        const { given, positions } = call;
        if (!isPlain(given)) return;
        const { encoding } = given;
        const { x, shape } = vectors(given);
        const by = positions.map(() => more);
        const twice = encoding.rotate(encoding.rotate(x, { shape, positions }), {
          ...{ shape, positions: by },
        });
        const sum = positions.map((p) => p + more);
        expectNear(twice, encoding.rotate(x, { shape, positions: sum }));
      }),
    );
  });
});

describe.each(filling('bias'))('%s', (name) => {
  /** Positions of three queries and five keys. */
  const sides = made(name).chain((given) =>
    fc.tuple(fc.constant(given), places(given, 3), places(given, tokens), fc.nat({ max: 2 ** 20 })),
  );

  test('is finite, and each number is that of its query and key alone', () => {
    fc.assert(
      fc.property(sides, ([given, queryPositions, keyPositions]) => {
        const { encoding, heads } = given;
        const bias = encoding.bias({ queryPositions, keyPositions });
        expect(bias.every(Number.isFinite)).toBe(true);
        const axes = axesOf(given);
        const at = (positions: number[], i: number) => positions.slice(i * axes, (i + 1) * axes);
        for (let m = 0; m < 3; m++) {
          for (let n = 0; n < tokens; n++) {
            const alone = encoding.bias({
              queryPositions: at(queryPositions, m),
              keyPositions: at(keyPositions, n),
            });
            const column = Array.from({ length: heads }, (_, h) => bias[(h * 3 + m) * tokens + n]!);
            expectNear(alone, column);
          }
        }
      }),
    );
  });

  test('does not change when all positions shift, if it is relative', () => {
    fc.assert(
      fc.property(sides, ([given, queryPositions, keyPositions, shift]) => {
        if (!isRelative(given)) return;
        const moved = (positions: number[]) => positions.map((p) => p + shift);
        expectNear(
          given.encoding.bias({
            queryPositions: moved(queryPositions),
            keyPositions: moved(keyPositions),
          }),
          given.encoding.bias({ queryPositions, keyPositions }),
        );
      }),
    );
  });
});

test('all encodings with hooks of their own are covered', () => {
  const covered = new Set(filling('embed', 'rotate', 'bias', 'content', 'scale', 'mask'));
  expect(posenc.encodings.filter(({ name }) => !covered.has(name)).map(({ name }) => name)).toEqual(
    ['nope'],
  );
});

/** Laws of attention, for random encodings at random positions, masks, windows and softcaps. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttentionInputs, EncodingName } from 'posenc';
import { expectNear, numbers, posenc } from '../posenc.js';
import { axesOf, isRelative, made, places, type Made } from './encodings.js';

/** A self-attention of tokens in one row: the tokens' numbers, positions and padding, and what hides keys. */
interface Problem {
  readonly given: Made;
  readonly tokens: number;
  readonly positions: readonly number[];
  readonly keyMask: readonly boolean[];
  readonly options: Pick<AttentionInputs, 'causal' | 'window' | 'softcap' | 'scale'>;
}

const hiding = fc.record(
  {
    causal: fc.boolean(),
    window: fc.integer({ min: 1, max: 40 }),
    softcap: fc.double({ min: 0.5, max: 30, noNaN: true }),
    scale: fc.double({ min: -1, max: 1, noNaN: true }),
  },
  { requiredKeys: [] },
);

const problem = (name: EncodingName): fc.Arbitrary<Problem> =>
  fc
    .tuple(made(name), fc.integer({ min: 1, max: 12 }), hiding)
    .chain(([given, tokens, { causal, ...options }]) =>
      fc.record({
        given: fc.constant(given),
        tokens: fc.constant(tokens),
        positions: places(given, tokens),
        keyMask: fc.array(fc.oneof(fc.constant(true), fc.boolean()), {
          ...{ minLength: tokens, maxLength: tokens },
        }),
        options: fc.constant({ ...options, causal: causal ?? name === 'cope' }),
      }),
    );

type Side = 'query' | 'key' | 'value';
type Tensors = Record<Side, Float32Array>;

/** Heads and width of a side. */
function shapeOf({ heads, kvHeads, headDim, valueDim, options }: Made, side: Side) {
  const width = side === 'value' && options.turnsOutputBack !== true ? valueDim : headDim;
  return { heads: side === 'query' ? heads : kvHeads, width };
}

/** Random numbers of all sides, `[heads, tokens, width]`. */
function tensorsOf({ given, tokens }: Problem): Tensors {
  const made = (['query', 'key', 'value'] as const).map((side, i) => {
    const { heads, width } = shapeOf(given, side);
    return [side, numbers(heads * tokens * width, given.seed + 300 * i)] as const;
  });
  return Object.fromEntries(made) as Tensors;
}

/** Some tokens of a side, in an order: `[heads, picked, width]`. Token −1 is one of NaN. */
function pick(p: Problem, x: Tensors, side: Side, picked: readonly number[]): Float32Array {
  const { heads, width } = shapeOf(p.given, side);
  const out = new Float32Array(heads * picked.length * width).fill(NaN);
  for (let h = 0; h < heads; h++) {
    picked.forEach((token, i) => {
      if (token < 0) return;
      const from = (h * p.tokens + token) * width;
      out.set(x[side].subarray(from, from + width), (h * picked.length + i) * width);
    });
  }
  return out;
}

/** The tokens' positions; those of NaN stand where the first does. */
const at = ({ given, positions }: Problem, picked: readonly number[]): number[] => {
  const axes = axesOf(given);
  return picked.flatMap((token) => {
    const from = Math.max(token, 0) * axes;
    return positions.slice(from, from + axes);
  });
};

/** Attention of some tokens to some tokens. */
function attend(p: Problem, x: Tensors, queries: readonly number[], keys: readonly number[]) {
  const { encoding, heads, kvHeads, headDim } = p.given;
  const acts = encoding.hooks.some((hook) => hook !== 'embed');
  return posenc.attention({
    ...{ query: pick(p, x, 'query', queries), key: pick(p, x, 'key', keys) },
    ...{ value: pick(p, x, 'value', keys), ...(acts && { encoding }), ...p.options },
    shape: {
      ...{ heads, kvHeads, queries: queries.length, keys: keys.length, headDim },
      valueDim: shapeOf(p.given, 'value').width,
    },
    axes: axesOf(p.given),
    ...{ queryPositions: at(p, queries), keyPositions: at(p, keys) },
    keyMask: keys.map((key) => key >= 0 && p.keyMask[key]!),
    return: ['scores', 'capped', 'biased', 'logits', 'weights'],
  });
}

const all = ({ tokens }: Problem): number[] => Array.from({ length: tokens }, (_, t) => t);

/** The rows of some queries among `count`, `[heads, rows, width]`. */
function rowsOf(data: Float32Array, count: number, width: number, rows: readonly number[]) {
  const heads = data.length / count / width;
  const out = Array.from({ length: heads }, (_, h) =>
    rows.map((row) => [...data.subarray((h * count + row) * width).slice(0, width)]),
  );
  return out.flat(2);
}

/** The keys that a query sees, by positions, the window and padding. */
function visible(p: Problem, query: number): number[] {
  const { causal } = p.options;
  const window = Number(p.options.window ?? Infinity);
  const [m] = at(p, [query]) as [number];
  return all(p).filter((key) => {
    const [n] = at(p, [key]) as [number];
    return p.keyMask[key]! && !(causal && n > m) && Math.abs(m - n) < window;
  });
}

const acting = posenc.encodings
  .filter(({ hooks }) => hooks.some((hook) => hook !== 'embed') || hooks.length === 0)
  .map(({ name }) => name);

describe.each(acting)('%s', (name) => {
  const isGated = name === 'cope';

  test('prefill is one by one: a query sees the keys that are visible, and nothing else', () => {
    fc.assert(
      fc.property(problem(name), (p) => {
        const x = tensorsOf(p);
        const { width } = shapeOf(p.given, 'value');
        const { output, weights, logits } = attend(p, x, all(p), all(p));
        // Where every key is visible nothing is left to hide.
        const { softcap, scale } = p.options;
        const open = {
          ...p,
          options: {
            ...(softcap !== undefined && { softcap }),
            ...(scale !== undefined && { scale }),
          },
        };
        expect(output.every(Number.isFinite)).toBe(true);
        for (const query of all(p)) {
          const seen = visible(p, query);
          const row = rowsOf(output, p.tokens, width, [query]);
          if (seen.length === 0) {
            const hidden = rowsOf(weights!, p.tokens, p.tokens, [query]);
            expect([...row, ...hidden].every((w) => w === 0)).toBe(true);
            const none = rowsOf(logits!, p.tokens, p.tokens, [query]);
            expect(none.every((logit) => logit === -Infinity)).toBe(true);
          } else {
            expectNear(attend(open, x, [query], seen).output, row);
          }
        }
      }),
    );
  });

  test('chunks, padding of NaN and other orders of keys change nothing', () => {
    fc.assert(
      fc.property(problem(name), fc.nat({ max: 5 }), fc.nat({ max: 5 }), (p, before, after) => {
        const x = tensorsOf(p);
        const { width } = shapeOf(p.given, 'value');
        const expected = attend(p, x, all(p), all(p)).output;
        const chunk = all(p).slice(p.tokens >> 1);
        const part = attend(p, x, chunk, all(p)).output;
        expectNear(part, rowsOf(expected, p.tokens, width, chunk));
        const nan = (count: number) => Array<number>(count).fill(-1);
        const padded = [...nan(before), ...all(p), ...nan(after)];
        const inside = all(p).map((token) => token + before);
        const wide = attend(p, x, padded, padded).output;
        expectNear(rowsOf(wide, padded.length, width, inside), expected);
        if (isGated) return;
        const turned = [...all(p).slice(p.tokens >> 1), ...all(p).slice(0, p.tokens >> 1)];
        expectNear(attend(p, x, all(p), turned.reverse()).output, expected);
      }),
    );
  });

  test('a shift of all positions changes nothing where only differences count', () => {
    fc.assert(
      fc.property(problem(name), fc.integer({ min: -(2 ** 20), max: 2 ** 20 }), (p, far) => {
        if (!isRelative(p.given)) return;
        const shift = name === 'xpos' ? far % 100 : far;
        const there = { ...p, positions: p.positions.map((position) => position + shift) };
        const x = tensorsOf(p);
        const [here, moved] = [p, there].map((one) => attend(one, x, all(p), all(p)));
        // Angles are rounded to float32 where they are turned into cosines and sines.
        const largest = here!.logits!.reduce(
          (most, logit) => (logit === -Infinity ? most : Math.max(most, Math.abs(logit))),
          1,
        );
        const most = here!.output.reduce(
          (max, v, i) => Math.max(max, Math.abs(v - moved!.output[i]!)),
          0,
        );
        expect(most).toBeLessThan(1e-5 * largest);
      }),
    );
  });

  test('the tap after the bias is the one before it plus bias()', () => {
    fc.assert(
      fc.property(problem(name), (p) => {
        const { encoding } = p.given;
        const { capped, biased, logits } = attend(p, tensorsOf(p), all(p), all(p));
        const places = at(p, all(p));
        const bias = encoding.hooks.includes('bias')
          ? encoding.bias({ queryPositions: places, keyPositions: places })
          : new Float32Array(biased!.length);
        expectNear(
          biased!,
          capped!.map((score, i) => score + bias[i]!),
        );
        const seen = (logit: number, i: number) => (logit === -Infinity ? biased![i]! : logit);
        expect(logits!.map(seen)).toEqual(biased);
      }),
    );
  });

  test('rows of a batch do not see each other, and hidden NaN does not leak', () => {
    fc.assert(
      fc.property(problem(name), (p) => {
        const { encoding, heads, kvHeads, headDim } = p.given;
        const axes = axesOf(p.given);
        const x = tensorsOf(p);
        const alone = attend(p, x, all(p), all(p));
        // The neighbour: the same tokens backwards, all of them NaN but the first.
        const other = { ...p, keyMask: p.keyMask.map((_, key) => key === 0) };
        const backwards = [...all(p)].reverse();
        const spoilt = [backwards[0]!, ...Array<number>(p.tokens - 1).fill(-1)];
        const both = (side: Side) => Float32Array.from([...pick(p, x, side, spoilt), ...x[side]]);
        const acts = encoding.hooks.some((hook) => hook !== 'embed');
        // Positions of NaN stand where the first token does: none of the neighbour's keys is one.
        const twice = [...(isGated ? at(p, all(p)) : at(p, spoilt)), ...at(p, all(p))];
        const { output, weights } = posenc.attention({
          ...{ query: both('query'), key: both('key'), value: both('value') },
          ...(acts && { encoding }),
          ...{ ...p.options, axes, queryPositions: twice, keyPositions: twice },
          keyMask: [...other.keyMask, ...p.keyMask],
          shape: {
            ...{ batch: 2, heads, kvHeads, queries: p.tokens, headDim },
            valueDim: shapeOf(p.given, 'value').width,
          },
          return: ['weights'],
        });
        expect(output.slice(output.length / 2)).toEqual(alone.output);
        expect(weights!.slice(weights!.length / 2)).toEqual(alone.weights);
      }),
    );
  });
});

/** Anything in any option: a PosencError, or numbers that are finite. Never another error, never NaN. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PosencError, type EncodingDescription } from 'posenc';
import { numbers, posenc } from '../posenc.js';
import { axesOf, made, places, type Made } from './encodings.js';

/** The result of a call, or undefined where it threw a PosencError that names its argument. */
function tried<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof PosencError)) throw error;
    expect(error.message).not.toMatch(/undefined|\[object/);
    return undefined;
  }
}

const data = (count: number) => (count === 0 ? new Float32Array() : numbers(count, 5));

/** Values of all kinds, and numbers near what is allowed. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything({ maxDepth: 1, withBigInt: true, withTypedArray: true, withNullPrototype: true }),
  fc.double(),
  fc.integer({ min: -3, max: 70 }),
  fc.constantFrom<unknown>(NaN, Infinity, -0, 2 ** 31, 2 ** 53, 1e-320, 1e300, -1, undefined, null),
  fc.integer({ min: 0, max: 300 }).map(data),
  fc.array(fc.double({ min: -10, max: 10 }), { maxLength: 12 }),
);

/** Values in and around the range of an option. */
function near({ parameters }: EncodingDescription, name: string): fc.Arbitrary<unknown> {
  const found = parameters.find((parameter) => parameter.name === name);
  if (found?.choices !== undefined) return fc.constantFrom(...found.choices);
  if (found?.low === undefined || found.high === undefined) return anything;
  // Large ones in few places only, where they need much memory or time.
  const { low, high } = found;
  const most = found.kind === 'integer' ? Math.min(high, low + 300) : high;
  const number = fc.double({ min: low, max: most, noNaN: true });
  const inside = found.kind === 'integer' ? number.map(Math.round) : number;
  return fc.oneof(inside, fc.constantFrom(low, low - 1, high * 2 + 1), anything);
}

/** One to three changed options: of this encoding, or unknown ones. */
const changes = (description: EncodingDescription) => {
  const names = description.parameters.map(({ name }) => name);
  const one = fc
    .constantFrom(...names, 'headDims', 'toString', '__proto__', 'length', 'scaling')
    .chain((name) => near(description, name).map((value) => [name, value] as const));
  return fc.array(one, { minLength: 1, maxLength: 3 });
};

/** All that an encoding does by itself, and in attention. */
function results({ encoding, ...given }: Made, positions: readonly number[]): Float32Array[] {
  const { heads, kvHeads, headDim, valueDim, name } = given;
  const tokens = positions.length / axesOf({ ...given, encoding });
  const acts = encoding.hooks.some((hook) => hook !== 'embed');
  const turns = (encoding.options as { turnsOutputBack?: boolean }).turnsOutputBack === true;
  const width = turns ? headDim : valueDim;
  const x = data(heads * tokens * headDim);
  const calls: Partial<Record<string, () => Float32Array | undefined>> = {
    embed: () => encoding.embed(positions),
    rotate: () => encoding.rotate(x, { shape: [heads, tokens, headDim], positions }),
    bias: () => encoding.bias({ queryPositions: positions, keyPositions: positions }),
    attention: () =>
      posenc.attention({
        ...{
          query: x,
          key: data(kvHeads * tokens * headDim),
          value: data(kvHeads * tokens * width),
        },
        shape: { heads, kvHeads, queries: tokens, headDim, valueDim: width },
        ...{ encoding, causal: true, queryPositions: positions, keyPositions: positions },
      }).output,
  };
  const wanted = [...encoding.hooks, ...(acts || name === 'nope' ? ['attention'] : [])];
  return wanted.flatMap((call) => tried(calls[call] ?? (() => undefined)) ?? []);
}

describe.each(posenc.encodings)('$name', (description) => {
  const { name } = description;

  test('options: a PosencError, or finite numbers', () => {
    const given = made(name).chain((found) =>
      fc.tuple(fc.constant(found), places(found, 4), changes(description)),
    );
    fc.assert(
      fc.property(given, ([found, positions, changed]) => {
        const options = { ...found.options, ...Object.fromEntries(changed) };
        const encoding = tried(() => posenc.encoding(name as 'rope', options as never));
        if (encoding === undefined) return;
        for (const result of results({ ...found, encoding }, positions)) {
          expect(result.every(Number.isFinite)).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('calls', () => {
  const sizes = { heads: 2, kvHeads: 1, queries: 3, keys: 4, headDim: 6 };
  const inputs = {
    ...{ query: data(36), key: data(24), value: data(24), shape: sizes },
    encoding: posenc.encoding('rope', { headDim: 6 }),
    ...{ causal: true, window: 3, softcap: 2, scale: 0.5, axes: 1 },
    ...{
      queryPositions: 1,
      keyPositions: [0, 1, 2, 3],
      keyMask: [1, 1, 0, 1],
      return: ['weights'],
    },
  };
  const one = fc.constantFrom(...Object.keys(inputs), 'out', 'headDim');
  const changed = (names: fc.Arbitrary<string>): fc.Arbitrary<Record<string, unknown>> =>
    fc
      .array(fc.tuple(names, anything), { minLength: 1, maxLength: 3 })
      .map((list) => Object.fromEntries(list) as Record<string, unknown>);

  test('attention: a PosencError, or finite numbers', () => {
    fc.assert(
      fc.property(changed(one), (change) => {
        const result = tried(() => posenc.attention({ ...inputs, ...change } as never));
        if (result === undefined) return;
        const { output, weights } = result as { output: Float32Array; weights?: Float32Array };
        expect(output.every(Number.isFinite)).toBe(true);
        expect((weights ?? output).every(Number.isFinite)).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });

  test('shapes: a PosencError, or finite numbers', () => {
    const names = fc.constantFrom(...Object.keys(sizes), 'batch', 'valueDim', 'tokens');
    fc.assert(
      fc.property(changed(names), (change) => {
        const shape = { ...sizes, ...change };
        const result = tried(() => posenc.attention({ ...inputs, shape } as never));
        expect(result?.output.every(Number.isFinite) ?? true).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('rotate, embed and bias: a PosencError, or finite numbers', () => {
    const rope = posenc.encoding('rope', { headDim: 6 });
    const alibi = posenc.encoding('alibi', { heads: 2 });
    const sinusoidal = posenc.encoding('sinusoidal', { width: 6 });
    const names = fc.constantFrom(
      ...['shape', 'positions', 'axes', 'side', 'inverse', 'out', 'tokens'],
      ...['queryPositions', 'keyPositions', 'queries', 'keys'],
    );
    const small = (count: unknown) => typeof count !== 'number' || !(count > 1e4);
    fc.assert(
      fc.property(changed(names), anything, (change, positions) => {
        const { tokens, queries, keys } = change;
        if (![tokens, queries, keys].every(small)) return;
        const calls: (() => Float32Array)[] = [
          () => rope.rotate(data(36), { shape: [2, 3, 6], ...change }),
          () => rope.table(positions as never, change).cos,
          () => sinusoidal.embed(positions as never, change),
          () => alibi.bias({ queries: 2, ...change }),
        ];
        for (const call of calls) expect(tried(call)?.every(Number.isFinite) ?? true).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

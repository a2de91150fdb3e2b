/** Gradients by trained options: exact where the hook is linear, elsewhere along differences of its results. */
import { describe, expect, test } from 'vitest';
import type { Data, EncodingName, Hook } from 'posenc';
import { errorOf, expectNear, numbers, posenc } from './posenc.js';
import { turn } from './reference.js';
import { headDim, heads, samples, tokens } from './samples.js';

const x = numbers(heads * tokens * headDim);
const shape = [heads, tokens, headDim];

/** A loss Σ weight·result of one hook, and what the encoding says of its gradient. */
interface Call {
  readonly hook: Hook;
  result(encoding: AnyEncoding): Float32Array;
  gradient(encoding: AnyEncoding, weights: Data): Readonly<Record<string, Float32Array>>;
}
type AnyEncoding = ReturnType<typeof made>;

// The methods are those of every encoding; a hook decides which of them may be called.
const made = (name: EncodingName, options: object) =>
  posenc.encoding(name as 'learned', options as never);

const calls: readonly Call[] = [
  {
    hook: 'embed',
    result: (encoding) => encoding.embed(0, { tokens }),
    gradient: (encoding, weights) => encoding.embedGradient(weights, 0, { tokens }),
  },
  ...(['query', 'key'] as const).map((side): Call => ({
    hook: 'rotate',
    result: (encoding) => encoding.rotate(x, { shape, side }),
    gradient: (encoding, weights) => {
      const { x: _, ...trained } = encoding.rotateGradient(weights, x, { shape, side });
      return trained;
    },
  })),
  {
    hook: 'bias',
    result: (encoding) => encoding.bias({ queries: tokens }),
    gradient: (encoding, weights) => encoding.biasGradient(weights, { queries: tokens }),
  },
  {
    hook: 'scale',
    result: (encoding) => encoding.scale(0, { tokens }),
    gradient: (encoding, weights) => encoding.scaleGradient(weights, 0, { tokens }),
  },
];

/** Options whose numbers are trained. */
const trained = (name: EncodingName): string[] => {
  const { parameters } = posenc.encodings.find((encoding) => encoding.name === name)!;
  const given = samples[name] as unknown as Record<string, unknown>;
  const tensors = parameters.filter(({ kind }) => kind === 'tensor').map((one) => one.name);
  return tensors.filter((option) => given[option] !== undefined);
};

const cases = posenc.encodings.flatMap(({ name, hooks }) =>
  calls
    .filter(({ hook }) => hooks.includes(hook) && trained(name).length > 0)
    .map((call, i) => [name, `${call.hook} ${i}`, call] as const),
);

test('enough encodings are trained', () => expect(cases.length).toBeGreaterThanOrEqual(12));

describe.each(cases)('%s, hook %s', (name, _title, call) => {
  const options = samples[name] as unknown as Record<string, Float32Array>;
  const encoding = made(name, options);
  const weights = numbers(call.result(encoding).length).reverse();
  const gradients = call.gradient(encoding, weights);

  test('has an array of the right length for each option that was given', () => {
    expect(Object.keys(gradients).sort()).toEqual(trained(name).sort());
    for (const option of trained(name)) {
      expect(gradients[option]!.length).toBe(options[option]!.length);
      expect(gradients[option]!.every(Number.isFinite)).toBe(true);
    }
  });

  test.each(trained(name))('agrees with differences along %s', (option) => {
    const direction = numbers(options[option]!.length).map((n, i) => (i % 2 ? n : 1 - n));
    const loss = (step: number): number => {
      const moved = options[option]!.map((n, i) => n + step * direction[i]!);
      return dot(call.result(made(name, { ...options, [option]: moved })), weights);
    };
    const step = 1e-3;
    const expected = (loss(step) - loss(-step)) / (2 * step);
    const told = dot(gradients[option]!, direction);
    expect(Math.abs(told - expected)).toBeLessThan(2e-2 + 2e-2 * Math.abs(expected));
  });
});

const dot = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, i) => sum + value * b[i]!, 0);

const turning = posenc.encodings.filter(({ hooks }) => hooks.includes('rotate'));
const sides = ['query', 'key'] as const;

describe.each(turning.flatMap(({ name }) => sides.map((side) => [name, side] as const)))(
  '%s turns the gradient of a %s back',
  (name, side) => {
    const encoding = made(name, samples[name]);
    const rotate = (input: Data) => encoding.rotate(input, { shape, side });
    const weights = numbers(rotate(x).length).reverse();

    test('along differences', () => {
      const direction = numbers(x.length, 2);
      const loss = (step: number) =>
        dot(rotate(x.map((n, i) => n + step * direction[i]!)), weights);
      const expected = (loss(2 ** -6) - loss(-(2 ** -6))) * 2 ** 5;
      const told = dot(encoding.rotateGradient(weights, x, { shape, side }).x, direction);
      expect(Math.abs(told - expected)).toBeLessThan(1e-3 + 1e-3 * Math.abs(expected));
    });

    test('to where it is asked to, be that what it came from', () => {
      const { x: expected } = encoding.rotateGradient(weights, x, { shape, side });
      const out = new Float32Array(x.length);
      expect(encoding.rotateGradient(weights, x, { shape, side, out }).x).toBe(out);
      expect(out).toEqual(expected);
      using input = posenc.tensor(x, shape);
      encoding.rotateGradient(weights, input, { side, out: input });
      expect(input.read()).toEqual(expected);
    });
  },
);

test('the gradient of RoPE turns by the opposite angle, at positions per batch', () => {
  const rope = posenc.encoding('rope', { headDim });
  const positions = [5, -3, 100, 0, 7, 2 ** 20];
  const gradient = numbers(2 * 3 * headDim, 3);
  const { x: back } = rope.rotateGradient(gradient, x.subarray(0, gradient.length), {
    shape: [2, 1, 3, headDim],
    positions,
  });
  const expected = positions.flatMap((position, i) =>
    turn(gradient.subarray(i * headDim, (i + 1) * headDim), -position),
  );
  expectNear(back, expected);
});

test('the gradient by a table is the sum of the rows that were read', () => {
  const learned = posenc.encoding('learned', { width: 2, table: new Float32Array(8) });
  const gradient = Float32Array.of(1, 2, 10, 20, 100, 200);
  expect(learned.embedGradient(gradient, [3, 1, 3])).toEqual({
    table: Float32Array.of(0, 0, 10, 20, 0, 0, 101, 202),
  });
});

test('the gradient by a factor of SSMax is the sum of logarithms', () => {
  const ssmax = posenc.encoding('ssmax', { heads: 2, strengths: Float32Array.of(1, 1) });
  const gradient = Float32Array.of(1, 1, 1, 2, 2, 2);
  const logs = Math.log(1) + Math.log(2) + Math.log(3);
  expectNear(ssmax.scaleGradient(gradient, 0, { tokens: 3 }).strengths!, [logs, 2 * logs]);
});

test('log-n scales are those of Su 2021: ln 32768 / ln 4096 = 1.25', () => {
  const scale = posenc
    .encoding('log_n', { trainedLength: 4096 })
    .scale([0, 4095, 32767], { heads: 2 });
  expectNear(scale, [1, 1, 1.25, 1, 1, 1.25]);
});

describe('bad input', () => {
  const learned = posenc.encoding('learned', { width: 2, table: new Float32Array(8) });
  test('a gradient of the wrong length is named', () => {
    const error = errorOf(() => learned.embedGradient(new Float32Array(3), [0, 1]));
    expect(error).toMatchObject({ code: 'shape', argument: 'gradient' });
    expect(error.message).toContain('2·2 = 4');
  });
  test('a hook that is not filled is named', () => {
    const error = errorOf(() => learned.biasGradient(new Float32Array(1), { queries: 1 }));
    expect(error).toMatchObject({ code: 'unsupported' });
    expect(error.message).toContain('learned does not fill the hook bias');
  });
  test('an unknown option is named', () => {
    const call = () => learned.embedGradient(new Float32Array(2), 0, { token: 1 } as never);
    expect(errorOf(call)).toMatchObject({ code: 'option' });
  });
});

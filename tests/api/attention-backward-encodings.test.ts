/**
 * Gradients of attention with every encoding: by chain of float64 formulas and the gradients of hooks
 * where a hook stands alone, and along differences of attention itself.
 */
import { describe, expect, test } from 'vitest';
import type { AttentionBackwardInputs, Data, Encoding, EncodingName } from 'posenc';
import { expectGradient, numbers, posenc } from './posenc.js';
import { attentionGradients } from './reference-gradients.js';
import { headDim, heads, samples, tokens } from './samples.js';

const shape = { heads, queries: tokens, headDim };
const count = heads * tokens * headDim;
const data = { query: numbers(count, 2), key: numbers(count, 3), value: numbers(count, 4) };
const gradient = numbers(count, 5);
const call = { ...data, shape, causal: true, gradient };

type Options = Readonly<Record<string, unknown>>;
const made = (name: EncodingName, options: Options = samples[name] as unknown as Options) =>
  posenc.encoding(name as 'learned', options as never) as unknown as Encoding;
const trained = (name: EncodingName, options: Options): string[] =>
  posenc.encodings
    .find((encoding) => encoding.name === name)!
    .parameters.filter(
      ({ kind, name: option }) => kind === 'tensor' && options[option] !== undefined,
    )
    .map((parameter) => parameter.name);
const backward = (
  encoding: Encoding | readonly Encoding[],
  more: Partial<AttentionBackwardInputs> = {},
) =>
  posenc.attentionBackward({ ...call, ...more, encoding }) as {
    [Name in 'query' | 'key' | 'value']: Float32Array;
  } & { encodings: Record<string, Record<string, Float32Array>>; scale: number };
const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, x, i) => sum + x * b[i]!, 0);

/** Units of DAPE away from their kinks, at which differences are no gradients. */
const dape = {
  ...samples.dape,
  negativeSlope: 0.5,
  firstWeight: samples.dape.firstWeight as Float32Array,
  firstBias: Float32Array.of(4, -4, 4, -4, 4),
};
dape.firstWeight = dape.firstWeight.map((x) => x / 8);

/** Options of more encodings than the samples: trained ones that these leave out, other forms. */
const more: readonly [title: string, encodings: readonly [EncodingName, Options][]][] = [
  ['rope_nd, trained', [['rope_nd', { headDim, axes: 1, heads, mixed: numbers(heads * 4) }]]],
  ['pope, trained', [['pope', { headDim, heads, phases: numbers(16).map((x) => -Math.abs(x)) }]]],
  ['ssmax, trained', [['ssmax', { heads, strengths: numbers(heads), biases: numbers(heads) }]]],
  [
    'fope, trained',
    [['fope', { headDim, frequencyCount: 4, cosines: numbers(16), sines: numbers(16) }]],
  ],
  [
    'kerple, weights',
    [
      [
        'kerple',
        { heads, weightScale: Float32Array.of(0.2, 0.5), weightPower: Float32Array.of(1, 0.5) },
      ],
    ],
  ],
  [
    'rotated, scaled and biased',
    [
      ['selective_rope', samples.selective_rope as unknown as Options],
      ['ssmax', { heads, strengths: numbers(heads) }],
      ['t5', samples.t5 as unknown as Options],
    ],
  ],
  [
    'dape over t5',
    [
      ['dape', dape],
      ['t5', samples.t5 as unknown as Options],
    ],
  ],
  [
    'dape over weights and biases of kerple, turned',
    [
      ['dape', dape],
      ['rope', { headDim }],
      [
        'kerple',
        {
          heads,
          ...{ r1: Float32Array.of(0.5, 0.2), r2: Float32Array.of(0.3, 1) },
          ...{ weightScale: Float32Array.of(0.2, 0.5), weightPower: Float32Array.of(1, 0.5) },
        },
      ],
    ],
  ],
];
const acting = posenc.encodings
  .filter(({ hooks }) => hooks.length === 0 || hooks.some((hook) => hook !== 'embed'))
  .map(({ name }): (typeof more)[number] => [
    name,
    [[name, (name === 'dape' ? dape : samples[name]) as unknown as Options]],
  ]);

test('all that act inside attention are here', () => expect(acting.length).toBeGreaterThan(25));

describe.each([...acting, ...more])('%s', (_title, encodings) => {
  const all = encodings.map(([name, options]) => made(name, options));
  const {
    query,
    key,
    value,
    encodings: byName,
    scale,
  } = backward(all, {
    return: ['query', 'key', 'value', 'encodings', 'scale'],
    scale: 0.4,
  });

  test('has a gradient for each trained option', () => {
    const names = encodings.map(([name, options]) => [name, trained(name, options).sort()]);
    expect(
      Object.entries(byName).map(([name, gradients]) => [name, Object.keys(gradients).sort()]),
    ).toEqual(names);
    for (const [name, options] of encodings) {
      for (const option of trained(name, options)) {
        expect(byName[name]![option]!.length).toBe(
          (options[option] as Data & { length: number }).length,
        );
      }
    }
  });

  /** Σ gradient·output, in float64, of a call with changes. */
  const loss = (
    changes: Partial<typeof call> & { scale?: number },
    encoding: readonly Encoding[] = all,
  ): number => {
    const { gradient: _, ...forward } = call;
    return dot(posenc.attention({ ...forward, scale: 0.4, ...changes, encoding }).output, gradient);
  };
  /** Compares the gradient along some direction with differences of fourth order. */
  const check = (told: number, moved: (step: number) => number): void => {
    // CoPE interpolates between rows of a table: small steps stay between the same ones.
    const step = encodings[0]![0] === 'cope' ? 2 ** -9 : 2 ** -6;
    const expected =
      (8 * (moved(step) - moved(-step)) - (moved(2 * step) - moved(-2 * step))) / (12 * step);
    expect(Math.abs(told - expected), `${told} for ${expected}`).toBeLessThan(
      1e-3 + 1e-3 * Math.abs(expected),
    );
  };
  const along = (x: Float32Array, direction: Float32Array, step: number): Float32Array =>
    x.map((value, i) => value + step * direction[i]!);

  test.each([
    ['query', query],
    ['key', key],
    ['value', value],
  ] as const)('agrees with differences along %s', (name, told) => {
    const direction = numbers(count, 6);
    check(dot(told, direction), (step) => loss({ [name]: along(data[name], direction, step) }));
  });

  test('agrees with differences along the scale', () =>
    check(scale, (step) => loss({ scale: 0.4 + step })));

  const options = encodings.flatMap(([name, given], i) =>
    trained(name, given).map((option) => [name, option, i] as const),
  );
  test.runIf(options.length > 0)('agrees with differences along trained options', () => {
    for (const [name, option, i] of options) {
      const given = encodings[i]![1][option] as Float32Array;
      const direction = numbers(given.length, 7).map((x) => x / 4);
      check(dot(byName[name]![option]!, direction), (step) => {
        const moved = made(name, { ...encodings[i]![1], [option]: along(given, direction, step) });
        return loss(
          {},
          all.map((one, at) => (at === i ? moved : one)),
        );
      });
    }
  });
});

describe('the chain rule', () => {
  const positions = {
    queryPosition: (_b: number, m: number) => m,
    keyPosition: (_b: number, n: number) => n,
  };
  const plain = {
    batch: 1,
    heads,
    kvHeads: heads,
    queries: tokens,
    keys: tokens,
    headDim,
    valueDim: headDim,
  };

  test.each(posenc.encodings.filter(({ hooks }) => hooks.includes('bias')))(
    'through the biases of $name',
    ({ name }) => {
      const encoding = made(name);
      const axes = name === 'swin' || name === 'swin_cpb' ? 2 : 1;
      const places = Array.from({ length: tokens * axes }, (_, i) =>
        axes === 1 ? i : i % 2 === 0 ? Math.floor(i / 6) : Math.floor((i % 6) / 2),
      );
      const sides = { queryPositions: places, keyPositions: places };
      const bias = encoding.bias(sides);
      const scale = 0.4;
      const right = attentionGradients(
        {
          ...plain,
          ...data,
          ...positions,
          scale,
          added: (_b, h, m, n) => bias[(h * tokens + m) * tokens + n]!,
        },
        gradient,
      );
      const told = backward(encoding, { ...sides, scale, causal: false });
      expectGradient(told.query, right.query);
      expectGradient(told.key, right.key);
      expectGradient(told.value, right.value);
      const expected = encoding.biasGradient(Float32Array.from(right.logits), sides) as Record<
        string,
        Float32Array
      >;
      for (const [option, numbersOf] of Object.entries(expected))
        expectGradient(told.encodings[name]![option]!, numbersOf);
    },
  );

  const turning = posenc.encodings.filter(
    ({ name, hooks }) => hooks.includes('rotate') && !['pope', 'rope_remapped'].includes(name),
  );
  test.each(turning)('through the rotation of $name', ({ name }) => {
    const encoding = made(
      name,
      name === 'rope_nd' ? { headDim, axes: 1, heads, mixed: numbers(heads * 4) } : undefined,
    );
    const turn = (side: 'query' | 'key') =>
      encoding.rotate(data[side], { shape: [heads, tokens, headDim], side });
    const turned = { query: turn('query'), key: turn('key') };
    const right = attentionGradients(
      { ...plain, ...data, ...turned, ...positions, scale: 0.4 },
      gradient,
    );
    const told = backward(encoding, { scale: 0.4, causal: false });
    const sums: Record<string, Float32Array> = {};
    for (const side of ['query', 'key'] as const) {
      const { x, ...byOption } = encoding.rotateGradient(
        Float32Array.from(right[side]),
        data[side],
        {
          shape: [heads, tokens, headDim],
          side,
        },
      ) as { x: Float32Array } & Record<string, Float32Array>;
      expectGradient(told[side], x);
      for (const [option, numbersOf] of Object.entries(byOption)) {
        sums[option] = numbersOf.map((value, i) => value + (sums[option]?.[i] ?? 0));
      }
    }
    expect(Object.keys(told.encodings[name]!)).toEqual(Object.keys(sums));
    for (const [option, sum] of Object.entries(sums))
      expectGradient(told.encodings[name]![option]!, sum);
  });
});

describe('what is hidden, with every encoding', () => {
  test.each(acting)('%s: a hidden key may be NaN', (_title, [first]) => {
    const encoding = made(...first!);
    const keyMask = Array.from({ length: tokens }, (_, n) => n !== 2);
    const clean = backward(encoding, { keyMask });
    const [key, value] = [data.key.slice(), data.value.slice()];
    for (let h = 0; h < heads; h++) {
      for (const x of [key, value])
        x.fill(NaN, (h * tokens + 2) * headDim, (h * tokens + 3) * headDim);
    }
    expect(backward(encoding, { keyMask, key, value })).toEqual(clean);
    expect(clean.key.every(Number.isFinite)).toBe(true);
  });
});

test('gradients of trained options go where they are asked to', () => {
  const encoding = posenc.encoding('t5', { ...samples.t5, heads });
  using table = posenc.zeros([16]);
  table.write(new Float32Array(16).fill(NaN));
  const { encodings } = posenc.attentionBackward({
    ...call,
    encoding,
    return: ['encodings'],
    out: { encodings: { t5: { table } } },
  });
  expect(encodings.t5!.table).toBe(table);
  expect(table.read()).toEqual(backward(encoding).encodings.t5!.table);
});

/** Biases and rotations of other implementations, through the public API. */
import { positionsFromMask, type AttentionInputs, type EncodingName } from 'posenc';
import { describe, expect, test } from 'vitest';
import { floats, golden, integers, tensor, type GoldenCase } from './golden-tables.js';
import { expectNear, posenc } from './posenc.js';

/** An encoding from the columns of a table; what a case does not have is left out. */
function make(name: EncodingName, options: Readonly<Record<string, unknown>>) {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return posenc.encoding(name as 'rope', Object.fromEntries(given) as never);
}

function expectWithin(actual: Float32Array, expected: readonly number[], tolerance: number): void {
  expect(actual.length).toBe(expected.length);
  const worst = actual.reduce((most, x, i) => Math.max(most, Math.abs(x - expected[i]!)), 0);
  expect(worst).toBeLessThanOrEqual(tolerance);
}

/** Scores of two tensors without a scale. */
function plainScores(
  given: GoldenCase,
  [queryName, keyName]: [string, string],
  change: Pick<AttentionInputs, 'encoding' | 'queryPositions' | 'keyPositions'>,
): Float32Array {
  const [batch = 1, heads = 1, queries = 1, headDim = 1] = tensor(given, queryName).shape;
  const [, kvHeads = 1, keys = 1] = tensor(given, keyName).shape;
  const key = floats(given, keyName)!;
  const shape = { batch, heads, kvHeads, queries, keys, headDim };
  const inputs = { query: floats(given, queryName)!, key, value: key, shape, ...change };
  return posenc.attention({ ...inputs, scale: 1, return: ['scores'] }).scores!;
}

/** Rows and columns of the tokens of a window, row by row. */
const windowPositions = ({ height = 1, width = 1 }: GoldenCase['numbers']): number[] =>
  Array.from({ length: height * width }, (_, i) => [Math.floor(i / width), i % width]).flat();

describe('t5_bias', () => {
  test.each(golden('t5_bias').cases)('$name', (given) => {
    const { buckets = 0, max_distance: maxDistance, first_query: first } = given.numbers;
    const options = { buckets, maxDistance, bidirectional: given.numbers.bidirectional === 1 };
    if (given.tensors.bias) {
      const { shape, values } = given.tensors.bias;
      const [heads, queries, keys] = shape;
      const t5 = make('t5', { heads, ...options, table: floats(given, 'table') });
      const bias = t5.bias({ queryPositions: first!, queries: queries!, keys: keys! });
      expect(Array.from(bias)).toEqual(values);
      return;
    }
    // A table of the buckets' own numbers shows the bucket.
    const table = Float32Array.from({ length: buckets }, (_, bucket) => bucket);
    const relative = integers(given, 'relative');
    const bias = make('t5', { heads: 1, ...options, table });
    expect(Array.from(bias.bias({ queryPositions: [0], keyPositions: relative }))).toEqual(
      tensor(given, 'bucket').values,
    );
  });
});

test.each(golden('kerple').cases)('kerple: $name', (given) => {
  const [batch = 1, heads = 1, tokens = 1] = tensor(given, 'scores').shape;
  const names = { r1: 'r1', r2: 'r2', weightScale: 'weight_scale', weightPower: 'weight_power' };
  const tensors: Record<string, Float32Array | undefined> = {};
  for (const [option, name] of Object.entries(names)) tensors[option] = floats(given, name);
  const kerple = make('kerple', { heads, ...given.words, ...tensors });
  // Keys that are unit vectors make scores of queries.
  const units = Float32Array.from({ length: heads * tokens ** 2 }, (_, i) =>
    Number(Math.floor(i / tokens) % tokens === i % tokens),
  );
  const keys = Float32Array.from(
    { length: batch * units.length },
    (_, i) => units[i % units.length]!,
  );
  const { biased } = posenc.attention({
    query: floats(given, 'scores')!,
    key: keys,
    value: keys,
    shape: { batch, heads, queries: tokens, headDim: tokens },
    encoding: kerple,
    scale: 1,
    return: ['biased'],
  });
  // In the source, keys after the query count as keys at it: the score stays, less the bias of 0.
  const seen = (i: number) => i % tokens <= Math.floor(i / tokens) % tokens;
  const scores = tensor(given, 'scores').values;
  expectNear(
    biased!.map((x, i) => (seen(i) ? x : scores[i]!)),
    tensor(given, 'result').values,
  );
});

test.each(golden('sandwich').cases)('sandwich: $name', (given) => {
  const { shape, values } = tensor(given, 'bias');
  const sandwich = make('sandwich', { heads: shape[0], width: given.numbers.width });
  expectNear(sandwich.bias({ queries: shape[1]! }), values);
});

test.each(golden('fire').cases)('fire: $name', (given) => {
  const { shape, values } = tensor(given, 'bias');
  const { c = 0, length_multiplier: multiplier = 1, epsilon } = given.numbers;
  const fire = make('fire', {
    heads: shape[0],
    width: tensor(given, 'b1').shape[0],
    initialLength: given.numbers.initial_length,
    epsilon,
    ...Object.fromEntries(['w1', 'b1', 'w2', 'b2'].map((name) => [name, floats(given, name)])),
    c: Float32Array.of(c),
    lengthMultiplier: Float32Array.of(multiplier),
  });
  expectNear(fire.bias({ queries: shape[1]! }), values);
});

test.each(golden('dynamic_position_bias').cases)('dynamic_position_bias: $name', (given) => {
  const { shape, values } = tensor(given, 'bias');
  const [heads, queries = 1, keys = 1] = shape;
  const { width, depth, height, log_distance: log } = given.numbers;
  const [w1, b1, w2, b2] = ['w1', 'b1', 'w2', 'b2'].map((name) => floats(given, name));
  if (given.words.kind === 'swin_cpb') {
    const pretrainedHeight = given.numbers.pretrained_height;
    const pretrainedWidth = given.numbers.pretrained_width;
    const pretrained = { pretrainedHeight, pretrainedWidth };
    const layers = { hidden: b1!.length, w1, b1, w2 };
    const positions = windowPositions(given.numbers);
    const cpb = make('swin_cpb', { heads, height, width, ...pretrained, ...layers });
    expectNear(cpb.bias({ queryPositions: positions, keyPositions: positions }), values);
    return;
  }
  const [hiddenWeight, hiddenBias] = ['hidden_w', 'hidden_b'].map((name) => floats(given, name));
  const layers = { firstWeight: w1, firstBias: b1, hiddenWeight, hiddenBias };
  const last = { lastWeight: w2, lastBias: b2 };
  const options = { heads, width, depth, logDistance: log === 1, ...layers, ...last };
  expectNear(make('dynamic_bias', options).bias({ queries, keys }), values);
});

test.each(golden('swin').cases)('swin: $name', (given) => {
  const { shape, values } = tensor(given, 'bias');
  const { height, width } = given.numbers;
  const swin = make('swin', { heads: shape[0], height, width, table: floats(given, 'table') });
  const positions = windowPositions(given.numbers);
  const bias = swin.bias({ queryPositions: positions, keyPositions: positions });
  expect(Array.from(bias)).toEqual(values);
});

test.each(golden('mrope').cases.filter(({ tensors }) => tensors.x))('mrope: $name', (given) => {
  const { shape } = tensor(given, 'x');
  const { rotary_dim: rotaryDim, base } = given.numbers;
  const sections = given.lists.sections;
  const mrope = make('mrope', { headDim: shape[3], rotaryDim, base, sections, ...given.words });
  const positions = integers(given, 'positions');
  const turned = mrope.rotate(floats(given, 'x')!, { shape, positions });
  expectWithin(turned, tensor(given, 'rotated').values, 2e-6);
});

test.each(golden('rope2d').cases)('rope_nd: $name', (given) => {
  const { shape } = tensor(given, 'x');
  const { base, max_frequency: maxFrequency, grid_offset: gridOffset } = given.numbers;
  const { sizes, reference_sizes: referenceSizes } = given.lists;
  const grid = { sizes, referenceSizes, gridOffset };
  const nd = make('rope_nd', { headDim: shape[3], base, maxFrequency, ...grid, ...given.words });
  const positions = integers(given, 'positions');
  const turned = nd.rotate(floats(given, 'x')!, { shape, positions });
  // The reference forms angles up to 112π in float32, good to 2e-5.
  const tolerance = given.words.spectrum === 'logarithmic' ? 1e-4 : 1e-5;
  expectWithin(turned, tensor(given, 'rotated').values, tolerance);
});

test.each(golden('xpos').cases)('xpos: $name', (given) => {
  const { shape } = tensor(given, 'q');
  const { scale_base: scaleBase, centre } = given.numbers;
  const xpos = make('xpos', { headDim: shape[3], scaleBase, centre });
  const queries = xpos.rotate(floats(given, 'q')!, { shape });
  const keys = xpos.rotate(floats(given, 'k')!, { shape, side: 'key' });
  expectWithin(queries, tensor(given, 'rotated_q').values, 1e-6);
  expectWithin(keys, tensor(given, 'rotated_k').values, 1e-6);
  // The factor of a query is the length of its (cos, sin).
  const { cos, sin } = xpos.table(0, { tokens: shape[2]! });
  const lengths = cos.map((x, i) => Math.hypot(x, sin[i]!));
  expectWithin(lengths, tensor(given, 'scale').values, 1e-6);
  // The centre cancels.
  for (const other of [centre, 0, -5]) {
    const encoding = make('xpos', { headDim: shape[3], scaleBase, centre: other });
    expectNear(plainScores(given, ['q', 'k'], { encoding }), tensor(given, 'scores').values);
  }
});

const scored = golden('rope_apply').cases.filter(({ tensors }) => tensors.scores);
test.each(scored)('rope_apply, scores: $name', (given) => {
  const { rotary_dim: rotaryDim, base } = given.numbers;
  const headDim = tensor(given, 'x').shape[3];
  const encoding = make('rope', { headDim, rotaryDim, base, ...given.words });
  const positions = integers(given, 'positions');
  const at = { encoding, queryPositions: positions, keyPositions: positions };
  expectNear(plainScores(given, ['x', 'key'], at), tensor(given, 'scores').values);
});

describe('rope_float32', () => {
  test.each(golden('rope_float32').cases)('$name', (given) => {
    const { attention_factor: attentionFactor, base } = given.numbers;
    const frequencies = tensor(given, 'frequencies').values;
    const positions = integers(given, 'positions');
    const check = (made: object) => {
      const headDim = 2 * frequencies.length;
      const rope = make('rope', { headDim, attentionFactor, angles: 'float32', ...made });
      const { cos, sin } = rope.table(positions);
      expectWithin(cos, tensor(given, 'cos').values, 2e-7);
      expectWithin(sin, tensor(given, 'sin').values, 2e-7);
      return rope;
    };
    check({ frequencies });
    if (base === undefined) return;
    // Frequencies made here are those of the reference to the last bit.
    expect(Array.from(check({ base }).inverseFrequencies)).toEqual(frequencies);
  });
});

const images = golden('sinusoidal').cases.filter((c) => c.tensors.positions?.shape.length === 2);
test.each(images)('sinusoidal of images: $name', (given) => {
  const axes = tensor(given, 'positions').shape[1];
  const { width, offset } = given.numbers;
  const positionScale = given.lists.position_scale;
  const normalised = positionScale && { offset, positionScale };
  const sinusoidal = make('sinusoidal', { width, axes, ...given.words, ...normalised });
  expectNear(sinusoidal.embed(integers(given, 'positions')), tensor(given, 'rows').values);
});

describe('alibi', () => {
  const { cases } = golden('alibi');

  test.each(cases.filter(({ tensors }) => tensors.slopes_max16))('MPT: $name', (given) => {
    const slopes = tensor(given, 'slopes_max16').values;
    let start = 0;
    for (let heads = 1; heads <= 128; start += heads++) {
      const bias = make('alibi', { heads, biasMax: 16 }).bias({
        queryPositions: [0],
        keyPositions: [1],
      });
      const worst = bias.reduce(
        (most, x, h) => Math.max(most, Math.abs(x / slopes[start + h]! + 1)),
        0,
      );
      expect(worst).toBeLessThan(2e-6);
    }
  });

  test.each(cases.filter(({ tensors }) => tensors.padded))(
    '20: BLOOM under padding: $name',
    (given) => {
      const { heads = 1, tokens = 1 } = given.numbers;
      const alibi = make('alibi', { heads });
      const [batch = 1] = tensor(given, 'padded').shape;
      const mask = tensor(given, 'mask').values;
      const rows = Array.from({ length: batch }, (_, b) => {
        const { positions, next } = positionsFromMask(mask.slice(b * tokens, (b + 1) * tokens));
        const bias = alibi.bias({ queryPositions: [next[0]! - 1], keyPositions: positions });
        const first = alibi.bias({ queryPositions: [next[0]! - 1], keyPositions: [0] });
        return Array.from(bias, (x, i) => x - first[Math.floor(i / tokens)]!);
      });
      expectNear(rows.flat(), tensor(given, 'padded').values);
    },
  );

  test.each(cases.filter(({ tensors }) => tensors.causal))('causal: $name', (given) => {
    const { heads = 1, tokens = 1 } = given.numbers;
    const bias = make('alibi', { heads }).bias({ queries: tokens });
    const seen = (i: number) => i % tokens <= Math.floor(i / tokens) % tokens;
    expectNear(
      bias.map((x, i) => (seen(i) ? x : 0)),
      tensor(given, 'causal').values,
    );
  });
});

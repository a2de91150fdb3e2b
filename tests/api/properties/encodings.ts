/** Random encodings: sizes, options from the parameter tables of the registry, and positions they know. */
import fc from 'fast-check';
import type { Encoding, EncodingName, ParameterDescription } from 'posenc';
import { numbers, posenc } from '../posenc.js';

// A failure prints the seed and the path to its smallest case.
fc.configureGlobal({ seed: 20261130, numRuns: 20 });

/** Sizes of a call, and what tables are made of. */
export interface Sizes {
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly valueDim: number;
  /** Positions of encodings with a table are 0 … limit − 1. */
  readonly limit: number;
  /** A small number for all that counts distances, buckets or layers. */
  readonly reach: number;
  /** Whether tables that may be missing are given. */
  readonly full: boolean;
  readonly seed: number;
}

export interface Made extends Sizes {
  readonly name: EncodingName;
  readonly options: Readonly<Record<string, unknown>>;
  readonly encoding: Encoding<'rope'>;
}

const bytes = fc.integer({ min: 0, max: 255 });

const sizes: fc.Arbitrary<Sizes> = fc
  .record({
    kvHeads: fc.integer({ min: 1, max: 2 }),
    group: fc.integer({ min: 1, max: 3 }),
    headDim: fc.integer({ min: 2, max: 19 }),
    valueDim: fc.integer({ min: 1, max: 9 }),
    limit: fc.integer({ min: 12, max: 40 }),
    reach: fc.integer({ min: 1, max: 6 }),
    full: fc.boolean(),
    seed: bytes,
  })
  .map(({ group, ...given }) => ({ ...given, heads: group * given.kvHeads }));

type Shape = (
  sizes: Sizes,
  data: (count: number) => Float32Array,
) => Readonly<Record<string, unknown>>;

const even = (width: number): number => width - (width % 2);
const below0 = (data: Float32Array) => data.map((x) => -Math.abs(x));
const above0 = (data: Float32Array) => data.map((x) => Math.abs(x) + 0.1);
const when = (given: boolean, options: object): object => (given ? options : {});

const rotary: Shape = ({ headDim, full, reach }) => ({
  headDim,
  rotaryDim: full ? Math.min(2 * reach, even(headDim)) : even(headDim),
});

/** What each method of `rope_remapped` reads; it takes no other. */
const remaps = (reach: number) => [
  { method: 'self-extend', window: 2 * reach, group: reach },
  { method: 'rerope', window: reach },
  { method: 'leaky-rerope', window: reach, factor: 1 + reach / 4 },
  { method: 'dual-chunk', chunk: reach, farthest: 2 * reach - 1 },
];
const remapping = ['method', 'window', 'group', 'factor', 'chunk', 'farthest'];

/** What hangs together: widths, heads and arrays. Everything else comes from the registry. */
const shapes: { readonly [Name in EncodingName]: Shape } = {
  nope: () => ({}),
  sinusoidal: ({ headDim, full }, data) => ({
    ...(full ? { width: 8 * headDim, axes: 2 } : { width: headDim, axes: 1 }),
    ...when(full, { scale: data(1) }),
  }),
  rope: (s, data) => ({
    ...rotary(s, data),
    offset: 0,
    turnsOutputBack: false,
    ...when(s.seed % 3 === 0, {
      rotaryDim: 2,
      offset: s.headDim - 2,
      frequencies: [numbers(1, s.seed)[0]],
    }),
  }),
  xpos: (s, data) => ({ ...rotary(s, data), scaleBase: 64 + s.seed }),
  rope_nd: ({ headDim, kvHeads, heads, full, limit }, data) => ({
    headDim: headDim + 2,
    axes: 2,
    ...(full && heads === kvHeads
      ? { heads, layout: 'half', mixed: data(2 * heads * Math.floor(headDim / 2)) }
      : { heads: 1 }),
    sizes: [limit, limit],
    referenceSizes: [16, 24],
  }),
  mrope: ({ headDim }) => {
    const pairs = Math.floor(headDim / 2);
    const part = Math.floor(pairs / 3);
    return { headDim, rotaryDim: 2 * pairs, sections: [pairs - 2 * part, part, part] };
  },
  hope: rotary,
  fope: ({ headDim, kvHeads, heads, full }, data) => {
    const frequencyCount = Math.max(1, Math.floor(headDim / 4));
    const coefficients = () => data(kvHeads * frequencyCount * Math.floor(headDim / 2));
    const tables = { heads, kvHeads, cosines: coefficients(), sines: coefficients() };
    return { headDim, frequencyCount, ...(full ? tables : { heads: 1, kvHeads: 1 }) };
  },
  pope: ({ headDim, kvHeads, full }, data) => ({
    headDim,
    ...(full ? { heads: kvHeads, phases: data(kvHeads * headDim) } : { heads: 1 }),
    turnedDims: headDim,
  }),
  rope_pp: (s, data) => ({ ...rotary(s, data), heads: s.heads }),
  selective_rope: ({ headDim, limit }, data) => ({
    headDim,
    rotaryDim: even(headDim),
    heads: 1,
    angles: data((limit * even(headDim)) / 2),
  }),
  rope_remapped: (s, data) => ({
    ...rotary(s, data),
    ...Object.fromEntries(remapping.map((name) => [name, undefined])),
    ...remaps(s.reach)[s.seed % 4],
  }),
  log_n: () => ({}),
  ssmax: ({ heads, full }, data) => ({
    heads,
    ...when(full, { strengths: data(heads), biases: data(heads) }),
  }),
  llama4_temperature: () => ({}),
  alibi: ({ heads, reach }) => ({ heads, biasedHeads: Math.min(heads, reach) }),
  shaw: ({ headDim, valueDim, heads, reach, full }, data) => {
    const rows = (width: number) => data((2 * reach + 1) * width * (full ? heads : 1));
    return {
      ...{ headDim, valueDim, maxDistance: reach, heads: full ? heads : 0 },
      ...{ keys: rows(headDim), values: rows(valueDim) },
    };
  },
  transformer_xl: ({ headDim, heads, reach, full, seed }, data) => ({
    ...{ heads, headDim, maxDistance: reach, bidirectional: full },
    ...{ contentBias: data(heads * headDim), positionBias: data(heads * headDim) },
    ...(seed % 2 === 0
      ? { projection: data(heads * headDim * 2 * reach) }
      : { vectors: data(heads * ((full ? 2 : 1) * reach + 1) * headDim) }),
  }),
  deberta: ({ headDim, heads, reach, full }, data) => {
    const span = reach + 1;
    const table = () => data(heads * 2 * span * headDim);
    const buckets = { buckets: span, maxDistance: 4 * span };
    const tables = { keys: table(), queries: table() };
    return { heads, headDim, ...(full ? buckets : { buckets: 0, maxDistance: span }), ...tables };
  },
  tupe: ({ headDim, heads, limit, reach, full }, data) => ({
    ...{ heads, headDim, queries: data(heads * limit * headDim) },
    keys: data(heads * limit * headDim),
    ...when(full, {
      relative: data(heads * (2 * reach + 1)),
      firstToOthers: data(heads),
      othersToFirst: data(heads),
    }),
  }),
  cope: ({ headDim, heads, reach, full }, data) => ({
    headDim,
    ...(full ? { heads } : { heads: 0 }),
    vectors: data((full ? heads : 1) * (reach + 1) * headDim),
  }),
  dape: ({ heads, reach: width }, data) => ({
    ...{ heads, width, firstWeight: data(2 * heads * width), firstBias: data(width) },
    ...{ lastWeight: data(heads * width), lastBias: data(heads) },
  }),
  learned: ({ headDim, limit, reach }, data) => ({
    ...{ width: headDim, offset: reach },
    table: data((limit + reach) * headDim),
  }),
  fourier: ({ headDim, reach, full }, data) => ({
    axes: 2,
    frequencies: data(2 * reach),
    ...when(full, {
      ...{ hiddenWeights: data(2 * reach * 5), hiddenBias: data(5) },
      ...{ rowWeights: data(5 * headDim), rowBias: data(headDim) },
    }),
  }),
  cape: ({ headDim }) => ({ width: headDim, positionScale: 1, globalShift: 9, localShift: 0.3 }),
  t5: ({ heads, reach }, data) => ({
    ...{ heads, buckets: 4 * reach, maxDistance: 8 * reach },
    table: data(4 * reach * heads),
  }),
  kerple: ({ heads }, data) => ({ heads, r1: above0(data(heads)), r2: above0(data(heads)) }),
  sandwich: ({ heads, reach }) => ({ heads, width: 2 * reach }),
  fire: ({ heads, reach, full }, data) => ({
    ...{ heads, width: reach, w1: data(reach), b1: data(reach) },
    ...{ w2: data(heads * reach), b2: data(heads) },
    ...when(full, { c: above0(data(1)), lengthMultiplier: above0(data(1)) }),
  }),
  dynamic_bias: ({ heads, reach: width, full }, data) => ({
    ...{ heads, width, depth: full ? 3 : 1, firstWeight: data(width), firstBias: data(width) },
    ...when(full, { hiddenWeight: data(2 * width * width), hiddenBias: data(2 * width) }),
    ...{ lastWeight: data(heads * width), lastBias: data(heads) },
  }),
  swin: ({ heads }, data) => ({ heads, height: 3, width: 4, table: data(5 * 7 * heads) }),
  swin_cpb: ({ heads, reach: hidden }, data) => ({
    ...{ heads, height: 3, width: 4, hidden },
    ...{ w1: data(2 * hidden), b1: data(hidden), w2: data(heads * hidden) },
  }),
  fox: ({ heads, limit, full }, data) => ({
    ...{ heads, tokens: limit, logGates: below0(data(heads * limit)) },
    ...when(full, { futureLogGates: below0(data(heads * limit)) }),
  }),
};

/** Ranges in which float32 scores keep their digits, where those of the registry are wider. */
const moderate: Readonly<Record<string, [low: number, high: number]>> = {
  attentionFactor: [0.5, 2],
  base: [1, 1e7],
  biasMax: [1, 16],
  centre: [-30, 30],
  gamma: [0.2, 2],
  gridOffset: [-2, 2],
  maxFrequency: [1, 100],
  offset: [0, 1],
  scale: [0, 2],
  trainedLength: [2, 4096],
  pretrainedHeight: [0, 9],
  pretrainedWidth: [0, 9],
};

/** A value of a parameter, or undefined; null for those that only `shapes` may set. */
function valueOf(parameter: ParameterDescription): fc.Arbitrary<unknown> | null {
  const { name, kind, choices, required } = parameter;
  const { low = 0, high = 0 } = parameter;
  const [least, most] = moderate[name] ?? [low, high];
  const [min, max] = [Math.max(low, least), Math.min(high, most)];
  const values: Record<ParameterDescription['kind'], () => fc.Arbitrary<unknown> | null> = {
    integer: () => fc.integer({ min, max }),
    real: () => fc.double({ min, max, noNaN: true }),
    choice: () => fc.constantFrom(...choices!),
    flag: () => fc.boolean(),
    doubles: () => null,
    tensor: () => null,
  };
  const among = values[kind]();
  if (among === null || required) return among;
  return fc.option(among, { nil: undefined });
}

/** Options of an encoding of this name that fit sizes. */
function optionsOf(name: EncodingName): fc.Arbitrary<Sizes & { options: Made['options'] }> {
  const { parameters } = posenc.encodings.find((encoding) => encoding.name === name)!;
  const drawn = parameters.flatMap((parameter): [string, fc.Arbitrary<unknown>][] => {
    const value = valueOf(parameter);
    return value === null ? [] : [[parameter.name, value]];
  });
  return fc.tuple(sizes, fc.record(Object.fromEntries(drawn))).map(([given, free]) => {
    const fitted = name === 'rope_pp' ? { ...given, heads: 2 * given.kvHeads } : given;
    let at = 0;
    const data = (count: number) => numbers(count, 1000 * given.seed + at++);
    const options = { ...free, ...shapes[name](fitted, data) };
    const set = Object.entries(options).filter(([, value]) => value !== undefined);
    return { ...fitted, options: Object.fromEntries(set) };
  });
}

/** A random encoding of this name. */
export const made = (name: EncodingName): fc.Arbitrary<Made> =>
  optionsOf(name).map(({ options, ...given }) => {
    const encoding = posenc.encoding(name as 'rope', options as never);
    const { headDim = given.headDim } = options as { headDim?: number };
    return { ...given, headDim, name, options, encoding };
  });

/** Whether only differences of positions count. */
export function isRelative({ name, encoding }: Made): boolean {
  const absolute: readonly EncodingName[] = [
    ...(['log_n', 'ssmax', 'llama4_temperature'] as const),
    ...(['selective_rope', 'tupe', 'fire', 'swin', 'swin_cpb', 'fox'] as const),
  ];
  // Sums of frequencies are no rotations, nor are angles rounded to float32 exact ones.
  const { cosines, angles } = encoding.options as { cosines?: unknown; angles?: string };
  if (cosines !== undefined || angles === 'float32') return false;
  // Chunks and groups of positions have fixed edges.
  const { method } = encoding.options as { method?: string };
  if (method === 'dual-chunk' || method === 'self-extend') return false;
  return !absolute.includes(name);
}

/** Coordinates per position. */
export const axesOf = ({ name, options }: Made): number =>
  ({ mrope: 3, swin: 2, swin_cpb: 2 })[name as string] ?? (options.axes as number | undefined) ?? 1;

/** Positions of tokens that an encoding knows: near, far, negative and repeated ones. */
export function places(given: Made, tokens: number): fc.Arbitrary<number[]> {
  const { name, limit } = given;
  const one = (): fc.Arbitrary<number> => {
    if (name === 'learned' || name === 'tupe' || name === 'fox' || name === 'selective_rope') {
      return fc.nat({ max: limit - 1 });
    }
    if (name === 'swin' || name === 'swin_cpb') return fc.nat({ max: 2 });
    if (name === 'xpos') return fc.integer({ min: -40, max: 40 });
    const far = fc.integer({ min: -(2 ** 24), max: 2 ** 24 });
    return fc.oneof(fc.nat({ max: 12 }), fc.integer({ min: -60, max: 60 }), far);
  };
  const count = tokens * axesOf(given);
  const list = fc.array(one(), { minLength: count, maxLength: count });
  // Counts of gates go by the order of keys, which must be that of their positions.
  return name === 'cope' ? list.map((found) => found.sort((a, b) => a - b)) : list;
}

/** Names of the encodings that fill a hook. */
export const filling = (...hooks: readonly Encoding['hooks'][number][]): EncodingName[] =>
  posenc.encodings
    .filter((encoding) => encoding.hooks.some((hook) => hooks.includes(hook)))
    .map(({ name }) => name);

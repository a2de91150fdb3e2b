/** Valid options of every encoding, at small sizes that fit one attention call: 2 heads of 8, 6 tokens. */
import type { EncodingName, EncodingOptions } from 'posenc';
import { numbers } from './posenc.js';

export const heads = 2;
export const headDim = 8;
/** Tokens 0 … 5, of up to three coordinates. */
export const tokens = 6;

const [pairs, hidden, distances] = [headDim / 2, 5, 4];

/** Log gates are at most 0, kernels' parameters above it. */
const negative = (count: number): Float32Array => numbers(count).map((x) => -Math.abs(x));
const positive = (count: number): Float32Array => numbers(count).map((x) => Math.abs(x) + 0.1);

export const samples: { readonly [Name in EncodingName]: EncodingOptions[Name] } = {
  nope: {},
  sinusoidal: { width: 8 },
  rope: { headDim },
  xpos: { headDim },
  rope_nd: { headDim },
  mrope: { headDim, sections: [2, 1, 1] },
  hope: { headDim, trainedLength: 100 },
  fope: { headDim, trainedLength: 100 },
  pope: { headDim },
  rope_pp: { headDim, heads },
  selective_rope: { headDim, angles: numbers(tokens * pairs) },
  rope_remapped: { headDim, method: 'rerope', window: 2 },
  log_n: { trainedLength: 3 },
  ssmax: { heads },
  llama4_temperature: { floorScale: 2 },
  alibi: { heads },
  shaw: {
    headDim,
    maxDistance: distances,
    keys: numbers((2 * distances + 1) * headDim),
    values: numbers((2 * distances + 1) * headDim),
  },
  transformer_xl: {
    heads,
    headDim,
    maxDistance: distances,
    contentBias: numbers(heads * headDim),
    positionBias: numbers(heads * headDim),
    projection: numbers(heads * headDim * 16),
  },
  deberta: {
    heads,
    headDim,
    maxDistance: distances,
    keys: numbers(heads * 2 * distances * headDim),
    queries: numbers(heads * 2 * distances * headDim),
  },
  tupe: {
    heads,
    headDim,
    queries: numbers(heads * tokens * headDim),
    keys: numbers(heads * tokens * headDim),
  },
  cope: { headDim, vectors: numbers(tokens * headDim) },
  dape: {
    heads,
    width: hidden,
    firstWeight: numbers(hidden * 2 * heads),
    firstBias: numbers(hidden),
    lastWeight: numbers(heads * hidden),
    lastBias: numbers(heads),
  },
  learned: { width: 8, table: numbers(tokens * 8) },
  fourier: { frequencies: numbers(pairs) },
  cape: { width: 8, training: true, globalShift: 5, localShift: 0.4, maxScale: 1.5, seed: 3 },
  t5: { heads, buckets: 8, table: numbers(8 * heads) },
  kerple: { heads, r1: positive(heads), r2: positive(heads) },
  sandwich: { heads },
  fire: {
    heads,
    width: hidden,
    w1: numbers(hidden),
    b1: numbers(hidden),
    w2: numbers(heads * hidden),
    b2: numbers(heads),
  },
  dynamic_bias: {
    heads,
    width: hidden,
    firstWeight: numbers(hidden),
    firstBias: numbers(hidden),
    hiddenWeight: numbers(hidden * hidden),
    hiddenBias: numbers(hidden),
    lastWeight: numbers(heads * hidden),
    lastBias: numbers(heads),
  },
  swin: { heads, height: 2, width: 3, table: numbers(3 * 5 * heads) },
  swin_cpb: {
    heads,
    height: 2,
    width: 3,
    hidden,
    w1: numbers(hidden * 2),
    b1: numbers(hidden),
    w2: numbers(heads * hidden),
  },
  fox: { heads, tokens, logGates: negative(heads * tokens) },
};

/**
 * The numbers of “Shuffle the sentence”: one attention layer over seeded random embeddings, applied
 * to a sentence and to a reordering of it. No DOM.
 */
import type { Posenc } from 'posenc';
import { tokenize } from './tokens.js';

/** Where the layer could learn about order. */
export interface LayerOptions {
  /** Tokens see themselves and what stands before them. */
  readonly causal: boolean;
  /** Add the sinusoidal table to the embeddings. */
  readonly sinusoidal: boolean;
}

/** Width of embeddings, queries, keys and values: one head. */
export const width = 16;

/** A sentence and a reordering that changes its meaning: place i of the new one holds token `order[i]`. */
export interface Example {
  readonly sentence: string;
  readonly tokens: readonly string[];
  readonly order: readonly number[];
}

const examples: Readonly<Record<'zh' | 'en', Example>> = {
  zh: example('我吃了西瓜', [3, 4, 1, 2, 0]),
  en: example('the dog chased the cat', [0, 4, 2, 3, 1]),
};

/** The sentence that the figure shows first. */
export function exampleOf(language: 'zh' | 'en'): Example {
  return examples[language];
}

function example(sentence: string, order: readonly number[]): Example {
  return { sentence, tokens: tokenize(sentence).tokens, order };
}

/**
 * The reordering that the figure shows: the reader's own when it fits the tokens, a random one of
 * `seed` (1 …) otherwise, and for seed 0 the one of the example or, for another sentence, its reverse.
 */
export function orderOf(
  pe: Posenc,
  { order, seed }: { readonly order: readonly number[]; readonly seed: number },
  tokens: readonly string[],
  { tokens: known, order: initial }: Example,
): readonly number[] {
  const identity = tokens.map((_, i) => i);
  if (order.length === tokens.length && identity.every((i) => order.includes(i))) return order;
  if (seed > 0) {
    const keys = pe.random(seed).uniform(tokens.length);
    return identity.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
  }
  return tokens === known ? initial : identity.reverse();
}

/** Any fixed number would do; this one makes the default sentence's weights easy to tell apart. */
const projectionSeed = 2017;

/** What one layer computes for a sentence of `tokens` tokens. */
export interface LayerResult {
  /** `[tokens, width]` */
  readonly output: Float32Array;
  /** `[tokens, tokens]`: row = query, column = key. */
  readonly weights: Float32Array;
}

/** A sentence, its reordering, and how far apart the two results are. */
export interface Shuffle {
  /** A(x) */
  readonly original: LayerResult;
  /** A(P·x) */
  readonly shuffled: LayerResult;
  /** P·A(x): the rows of the original output, moved with their tokens. `[tokens, width]` */
  readonly moved: Float32Array;
  /** Per place in the reordered sentence: max |P·A(x) − A(P·x)| over the row. */
  readonly rowDifference: readonly number[];
  /** max |P·A(x) − A(P·x)| */
  readonly difference: number;
}

/**
 * Compares P·A(x) with A(P·x).
 *
 * @param tokens the sentence, at least one token
 * @param order the reordering: place i of the new sentence holds token `order[i]`
 */
export function shuffle(
  pe: Posenc,
  tokens: readonly string[],
  order: readonly number[],
  options: LayerOptions,
): Shuffle {
  const original = layer(pe, embed(pe, tokens, options), options);
  const shuffled = layer(pe, embed(pe, pick(tokens, order), options), options);
  const moved = new Float32Array(original.output.length);
  order.forEach((from, to) => {
    moved.set(original.output.subarray(from * width, (from + 1) * width), to * width);
  });
  const rowDifference = order.map((_, row) => {
    const here = shuffled.output.subarray(row * width, (row + 1) * width);
    return here.reduce(
      (most, y, i) => Math.max(most, Math.abs(y - (moved[row * width + i] ?? 0))),
      0,
    );
  });
  return { original, shuffled, moved, rowDifference, difference: Math.max(...rowDifference) };
}

/**
 * Output of the last token after `layers` causal layers without any position encoding, `[width]`.
 * Each layer adds its output to its input, as in a transformer.
 */
export function lastTokenAfter(
  pe: Posenc,
  tokens: readonly string[],
  layers: number,
): Float32Array {
  const options = { causal: true, sinusoidal: false };
  let x = embed(pe, tokens, options);
  for (let depth = 0; depth < layers; depth++) {
    const { output } = layer(pe, x, options, projectionSeed + depth);
    x = x.map((value, i) => value + (output[i] ?? 0));
  }
  return x.slice(-width);
}

/** Embeddings, `[tokens, width]`: the same token always gets the same vector. */
function embed(pe: Posenc, tokens: readonly string[], { sinusoidal }: LayerOptions): Float32Array {
  const x = new Float32Array(tokens.length * width);
  tokens.forEach((token, row) => x.set(pe.random(seedOf(token)).normal(width), row * width));
  if (!sinusoidal) return x;
  const table = pe.encoding('sinusoidal', { width }).embed(0, { tokens: tokens.length });
  return x.map((value, i) => value + (table[i] ?? 0));
}

/** One head of attention: seeded projections, then the kernel. */
function layer(
  pe: Posenc,
  x: Float32Array,
  { causal }: LayerOptions,
  seed = projectionSeed,
): LayerResult {
  const random = pe.random(seed);
  const [query, key, value] = [0, 1, 2].map(() => project(x, random.normal(width * width)));
  const { output, weights } = pe.attention({
    query: query!,
    key: key!,
    value: value!,
    shape: { heads: 1, queries: x.length / width, headDim: width },
    causal,
    return: ['weights'],
  });
  return { output, weights: weights! };
}

/** x·W / √width, `[tokens, width]`: each row on its own, so that a moved row stays bit for bit the same. */
function project(x: Float32Array, matrix: Float32Array): Float32Array {
  const scale = 1 / Math.sqrt(width);
  return x.map((_, i) => {
    const start = i - (i % width);
    let sum = 0;
    for (let j = 0; j < width; j++)
      sum += (x[start + j] ?? 0) * (matrix[j * width + (i % width)] ?? 0);
    return sum * scale;
  });
}

/** A seed in 0 … 2^32 − 1 from a token's code points (FNV-1a). */
function seedOf(token: string): number {
  let hash = 0x811c9dc5;
  for (const character of token) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return hash;
}

function pick<T>(items: readonly T[], order: readonly number[]): T[] {
  return order.map((from) => {
    const item = items[from];
    if (item === undefined) throw new RangeError(`order names place ${from} of ${items.length}`);
    return item;
  });
}

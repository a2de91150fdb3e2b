import { checkAttached, checkLength, size, typedArrayName } from '../array.js';
import { checkOptions, choice, integer, wrong } from '../check.js';
import { PosencError } from '../error.js';

/** How the dimensions of a head form pairs: (i, i + rotaryDim/2), or (2i, 2i + 1). */
export type PairLayout = 'half' | 'interleaved';

/**
 * Numbers that are moved and never read, so that their format does not matter: bfloat16 and float16 come
 * as Uint16Array, quantised weights as bytes.
 */
export type Movable = Float32Array | Float64Array | Uint16Array | Int8Array | Uint8Array;

const movable = ['Float32Array', 'Float64Array', 'Uint16Array', 'Int8Array', 'Uint8Array'];

/** Options of {@link convertLayout}. */
export interface LayoutOptions {
  /** Layout that the numbers are in. */
  from: PairLayout;
  /** Layout that they are wanted in. */
  to: PairLayout;
  /** Width of one head. 2 … 4096 */
  headDim: number;
  /** Leading dimensions that turn, even, at most `headDim`; the others stay. Default: all (one less when odd). */
  rotaryDim?: number;
}

/** Options of {@link convertProjection}: a weight or bias of queries or keys. */
export interface ProjectionOptions extends LayoutOptions {
  /** Heads of this projection: those of queries, or kvHeads for keys. 1 … 4096 */
  heads: number;
  /** Columns of the weight (the width of its input); 1 for a bias. 1 … 2^29. Default 1. */
  inFeatures?: number;
}

export const layouts = ['half', 'interleaved'] as const;

/** Checks a layout that must be given. */
function layoutOf(value: unknown, argument: string): PairLayout {
  if (value === undefined) throw wrong('argument', argument, value, '"half" or "interleaved"');
  return choice(value, argument, layouts);
}

/** Checks headDim and rotaryDim. */
export function headOf(given: { headDim?: unknown; rotaryDim?: unknown }) {
  const headDim = integer(given.headDim, 'headDim', 2, 4096);
  const { rotaryDim = headDim - (headDim % 2) } = given;
  const turning = integer(rotaryDim, 'rotaryDim', 2, headDim);
  if (turning % 2 !== 0) throw wrong('range', 'rotaryDim', rotaryDim, 'an even number');
  return { headDim, rotaryDim: turning };
}

/** The two dimensions of pair i. */
export const pairOf = (layout: PairLayout, i: number, rotaryDim: number): [number, number] =>
  layout === 'half' ? [i, i + rotaryDim / 2] : [2 * i, 2 * i + 1];

/** For each dimension of a head after the conversion, where it was before. */
function sources(given: Partial<LayoutOptions>): number[] {
  const { headDim, rotaryDim } = headOf(given);
  const from = layoutOf(given.from, 'from');
  const to = layoutOf(given.to, 'to');
  const source = Array.from({ length: headDim }, (_, d) => d);
  for (let i = 0; i < rotaryDim / 2; i++) {
    const [first, second] = pairOf(from, i, rotaryDim);
    const [newFirst, newSecond] = pairOf(to, i, rotaryDim);
    source[newFirst] = first;
    source[newSecond] = second;
  }
  return source;
}

function checkMovable<T extends Movable>(value: T, argument: string): T {
  if (!movable.includes(typedArrayName(value) ?? '')) {
    throw wrong('argument', argument, value, `a ${movable.slice(0, -1).join(', ')} or Uint8Array`);
  }
  checkAttached(value.buffer, argument);
  return value;
}

function copyOf<T extends Movable>(data: T, argument: string): T {
  try {
    return data.slice() as T;
  } catch (cause) {
    const what = `${data.length} numbers`;
    const message = `no memory in JavaScript for a copy of the ${what} of ${argument}`;
    throw new PosencError('memory', message, { argument, received: what, cause });
  }
}

/** Moves groups of `width` numbers: those of a head change places as `source` says. */
function permute<T extends Movable>(
  data: T,
  source: readonly number[],
  width: number,
  argument: string,
): T {
  const out = copyOf(data, argument);
  const head = source.length * width;
  for (let start = 0; start < data.length; start += head) {
    for (const [d, from] of source.entries()) {
      const begin = start + from * width;
      if (d !== from) out.set(data.subarray(begin, begin + width), start + d * width);
    }
  }
  return out;
}

/**
 * Converts queries or keys, `[…, headDim]`, between the two layouts of rotary encodings: what was to be
 * turned in the layout `from` is then to be turned in `to`, and all scores stay. Returns a new array.
 */
export function convertLayout<T extends Movable>(x: T, options: LayoutOptions): T {
  const given = checkOptions(options, ['from', 'to', 'headDim', 'rotaryDim'], 'convertLayout');
  const source = sources(given);
  const { length } = checkMovable(x, 'x');
  if (length === 0 || length % source.length !== 0) {
    throw wrong('shape', 'x', x, `a multiple of headDim = ${source.length} numbers`);
  }
  return permute(x, source, 1, 'x');
}

/**
 * Converts the weight of a query or key projection, `[heads·headDim, inFeatures]` as PyTorch's Linear has
 * it, or its bias (`inFeatures: 1`), between the two layouts: its rows change places inside each head.
 * Checkpoints of Meta and of GPT-J are interleaved, those of Hugging Face's Llama half. Convert queries
 * and keys, each with its own number of heads; values and outputs stay. Returns a new array.
 */
export function convertProjection<T extends Movable>(weight: T, options: ProjectionOptions): T {
  const keys = ['from', 'to', 'headDim', 'rotaryDim', 'heads', 'inFeatures'];
  const given = checkOptions(options, keys, 'convertProjection');
  const source = sources(given);
  const heads = integer(given.heads, 'heads', 1, 4096);
  const inFeatures = size(given.inFeatures ?? 1, 'inFeatures');
  const { length } = checkMovable(weight, 'weight');
  const shape = [heads, source.length, inFeatures];
  checkLength(length, 'weight', shape, ['heads', 'headDim', 'inFeatures']);
  return permute(weight, source, inFeatures, 'weight');
}

/** The two forms in which ONNX's operators take heads: as a dimension of their own, or side by side. */
import { size } from '../array.js';
import { wrong } from '../check.js';
import { swapMiddle, wrongShape, type Shaped } from './arrays.js';
import type { Data } from '../types.js';

/** `[batch, heads, tokens, width]` */
export type Heads = readonly [batch: number, heads: number, tokens: number, width: number];

/** Numbers of as many dimensions. */
export interface WithHeads {
  readonly data: Data;
  readonly shape: Heads;
}

/** How many heads there are: an attribute with three dimensions, the second dimension of four. */
export function checkHeads(
  given: unknown,
  attribute: string,
  { shape }: Pick<Shaped, 'shape'>,
): number {
  if (given === undefined && shape.length === 3) {
    throw wrong('argument', attribute, given, 'the number of heads, which three dimensions lack');
  }
  if (given === undefined) return shape[1] ?? 0;
  const heads = size(given, attribute);
  if (shape.length !== 4 || shape[1] === heads) return heads;
  throw wrong('shape', attribute, heads, `the second of four dimensions, ${shape[1]}`);
}

/** Makes four dimensions of three or four; `rank` says how many there must be. */
export function fourDimensions(
  { data, shape }: Shaped,
  argument: string,
  heads: number,
  rank?: number,
): WithHeads {
  const ranks = rank === undefined ? 'three or four' : `${rank}`;
  if (shape.length !== (rank ?? (shape.length === 3 ? 3 : 4))) {
    throw wrongShape(shape, argument, `${ranks} dimensions`);
  }
  const [batch = 0, second = 0, third = 0, fourth = 0] = shape;
  if (shape.length === 4) {
    if (second === 0 || fourth === 0) throw wrongShape(shape, argument, 'heads that are not empty');
    return { data, shape: [batch, second, third, fourth] };
  }
  if (third === 0 || third % heads !== 0) {
    const allowed = `a last dimension that is a multiple of its ${heads} heads`;
    throw wrongShape(shape, argument, allowed);
  }
  const width = third / heads;
  const swapped = swapMiddle(data, [batch, second, heads, width]);
  return { data: swapped, shape: [batch, heads, second, width] };
}

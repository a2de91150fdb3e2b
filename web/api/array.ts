import { integer, wrong } from './check.js';
import { PosencError, show } from './error.js';

/** Most numbers one float32 array can hold: 2 GiB, half of what 32-bit WebAssembly addresses. */
const maxNumbers = 2 ** 29;

/** Checks a length: an integer from 1 to 2^29. */
export const size = (value: unknown, argument: string): number =>
  integer(value, argument, 1, maxNumbers);

/** Checks a length that may be 0. */
export const sizeOrNone = (value: unknown, argument: string): number =>
  integer(value, argument, 0, maxNumbers);

/** Checks a shape, whose dimensions may be 0, and copies it. */
export function checkShape(shape: unknown, most = Infinity, argument = 'shape'): number[] {
  const allowed =
    most === Infinity ? 'an array of dimensions' : `an array of 1 to ${most} dimensions`;
  if (!Array.isArray(shape)) throw wrong('argument', argument, shape, allowed);
  if (shape.length === 0 || shape.length > most) throw wrong('shape', argument, shape, allowed);
  return Array.from(shape, (dimension: unknown, i) => sizeOrNone(dimension, `${argument}[${i}]`));
}

/** The product of dimensions, which must fit into one array; `names` say what each dimension is. */
export function product(
  dimensions: readonly number[],
  names: readonly string[],
  argument: string,
): number {
  const total = dimensions.reduce((count, dimension) => count * dimension, 1);
  if (total <= maxNumbers) return total;
  throw new PosencError(
    'range',
    `${argument} would hold ${spell(dimensions, names)} = ${total} numbers, at most 2^29 fit`,
    { argument, received: String(total), allowed: 'at most 2^29 numbers (2 GiB)' },
  );
}

/** Checks that an array of `length` numbers has the length its dimensions call for. */
export function checkLength(
  length: number,
  argument: string,
  dimensions: readonly number[],
  names: readonly string[],
): void {
  const needed = product(dimensions, names, argument);
  if (length === needed) return;
  const allowed = `${spell(dimensions, names)} = ${needed}`;
  throw new PosencError('shape', `${argument} has ${length} numbers, needs ${allowed}`, {
    argument,
    received: `${length} numbers`,
    allowed,
  });
}

/**
 * Checks that a tensor fits: one of as many dimensions must have the same ones, any other as many
 * numbers.
 */
export function checkTensor(
  tensor: { readonly shape: readonly number[]; readonly size: number },
  argument: string,
  dimensions: readonly number[],
  names: readonly string[],
): void {
  checkLength(tensor.size, argument, dimensions, names);
  const { shape } = tensor;
  if (shape.length !== dimensions.length) return;
  if (shape.every((dimension, i) => dimension === dimensions[i])) return;
  const received = `[${shape.join(', ')}]`;
  const allowed = `[${names.join(', ')}] = [${dimensions.join(', ')}]`;
  throw new PosencError('shape', `${argument} has the shape ${received}, needs ${allowed}`, {
    argument,
    received,
    allowed,
  });
}

/** `batch·heads = 2·4`; without names `2·4` */
const spell = (dimensions: readonly number[], names: readonly string[]): string =>
  (names.length === 0 ? '' : `${names.join('·')} = `) + dimensions.join('·');

/** Which typed array `value` is (`Float32Array` …), also across realms; `undefined` for other values. */
export const typedArrayName = (value: unknown): string | undefined =>
  ArrayBuffer.isView(value)
    ? (value as { [Symbol.toStringTag]?: string })[Symbol.toStringTag]
    : undefined;

/** Throws when a buffer has been transferred away. */
export function checkAttached(buffer: ArrayBufferLike, argument: string): void {
  if (buffer.byteLength > 0) return;
  try {
    new Uint8Array(buffer); // the one operation that every engine refuses on detached buffers
  } catch (cause) {
    throw new PosencError(
      'memory',
      `${argument} has a detached buffer (transferred to a worker?): pass a copy that is still here`,
      { argument, received: show(buffer), allowed: 'an attached buffer', cause },
    );
  }
}

/** Checks a Float32Array whose buffer is attached. */
export function float32(value: unknown, argument: string, otherwise = ''): Float32Array {
  if (typedArrayName(value) !== 'Float32Array') {
    const convertible = Array.isArray(value) || (ArrayBuffer.isView(value) && 'length' in value);
    const hint = convertible ? `: Float32Array.from(${argument})` : '';
    throw wrong('argument', argument, value, `a Float32Array${otherwise}${hint}`);
  }
  checkAttached((value as Float32Array).buffer, argument);
  return value as Float32Array;
}

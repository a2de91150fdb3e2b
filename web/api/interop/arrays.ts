/** Arrays with shapes as other libraries pass them: reading, and exchanging dimensions. */
import { checkAttached, checkLength, checkShape, float32, typedArrayName } from '../array.js';
import { wrong } from '../check.js';
import { PosencError } from '../error.js';
import type { Memory } from '../memory.js';
import { ResidentTensor } from '../tensor.js';
import type { Data } from '../types.js';

/** Numbers and the lengths of their dimensions. */
export interface Shaped<Numbers = Data> {
  readonly data: Numbers;
  readonly shape: readonly number[];
}

/** What the lengths of dimensions are called. */
export type ShapeKey = 'dims' | 'shape';

/** Reads an array whose kind is checked elsewhere, or a tensor. */
export function readShaped(
  memory: Memory,
  given: unknown,
  argument: string,
  key: ShapeKey,
): Shaped<unknown> {
  if (ResidentTensor.is(given)) {
    ResidentTensor.address(given, memory, argument);
    return { data: given, shape: given.shape };
  }
  if (typeof given !== 'object' || given === null || !('data' in given) || !(key in given)) {
    throw wrong('argument', argument, given, `a tensor or { data, ${key} }`);
  }
  const { data, [key]: shape } = given as { data: unknown } & Record<ShapeKey, unknown>;
  return { data, shape: checkShape(shape, Infinity, `${argument}.${key}`) };
}

/** Reads float32 numbers. */
export function readFloats(
  memory: Memory,
  given: unknown,
  argument: string,
  key: ShapeKey,
): Shaped {
  const { data, shape } = readShaped(memory, given, argument, key);
  if (ResidentTensor.is(data)) return { data, shape };
  if (/^(Uint16|Float16)Array$/.test(typedArrayName(data) ?? '')) {
    const allowed = 'a Float32Array: convert float16 and bfloat16 first';
    throw wrong('unsupported', `${argument}.data`, data, allowed);
  }
  const array = float32(data, `${argument}.data`);
  checkLength(array.length, `${argument}.data`, shape, []);
  return { data: array, shape };
}

/** A mask: booleans as bytes, or float32 numbers to add, none of which would be in every weight of its row. */
export function readMask(
  memory: Memory,
  given: unknown,
  argument: string,
  key: ShapeKey,
): Shaped<Float32Array | Uint8Array> {
  const { data, shape } = readShaped(memory, given, argument, key);
  const name = `${argument}.data`;
  if (!Array.isArray(data) && typedArrayName(data) !== 'Uint8Array') {
    const values = arrayOf(readFloats(memory, given, argument, key).data);
    const at = values.findIndex((value) => !(value < Infinity));
    if (at < 0) return { data: values, shape };
    throw wrong('range', `${name}[${at}]`, values[at], 'a finite number, or −∞ to hide');
  }
  const flags = data as ArrayLike<unknown>;
  if (!Array.isArray(data)) checkAttached((data as Uint8Array).buffer, name);
  checkLength(flags.length, name, shape, []);
  const bytes = Uint8Array.from(flags, (value, i) => {
    if (value === true || value === 1) return 1;
    if (value === false || value === 0) return 0;
    throw wrong('range', `${name}[${i}]`, value, 'true or 1, false or 0');
  });
  return { data: bytes, shape };
}

/** Reads integers from `low` to `high`. */
export function readIntegers(
  given: unknown,
  argument: string,
  shape: readonly number[],
  [low, high]: readonly [number, number],
): number[] {
  const { data, dims } = (given ?? {}) as Partial<Record<'data' | 'dims', unknown>>;
  const kind = typedArrayName(data);
  if (!Array.isArray(data) && kind !== 'BigInt64Array' && kind !== 'Int32Array') {
    const allowed = '{ data, dims } with a BigInt64Array, an Int32Array or an array of integers';
    throw wrong('argument', argument, given, allowed);
  }
  if (!Array.isArray(data)) checkAttached((data as Int32Array).buffer, `${argument}.data`);
  const given_shape = checkShape(dims, shape.length, `${argument}.dims`);
  expectShape(given_shape, argument, shape);
  const values = Array.from(data as ArrayLike<unknown>, (value, i) => {
    const number = typeof value === 'bigint' ? Number(value) : value;
    if (Number.isInteger(number) && (number as number) >= low && (number as number) <= high) {
      return number as number;
    }
    throw wrong('range', `${argument}.data[${i}]`, value, `an integer from ${low} to ${high}`);
  });
  checkLength(values.length, `${argument}.data`, shape, []);
  return values;
}

/** Throws unless a shape is the one that others call for. */
export function expectShape(
  shape: readonly number[],
  argument: string,
  expected: readonly number[],
): void {
  if (shape.length === expected.length && shape.every((size, i) => size === expected[i])) return;
  throw wrongShape(shape, argument, `[${expected.join(', ')}]`);
}

/** The error for a shape that does not fit. */
export function wrongShape(
  shape: readonly number[],
  argument: string,
  allowed: string,
): PosencError {
  const received = `[${shape.join(', ')}]`;
  return new PosencError('shape', `${argument} has the shape ${received}, needs ${allowed}`, {
    argument,
    received,
    allowed,
  });
}

/** The numbers in JavaScript. */
export const arrayOf = (data: Data): Float32Array =>
  ResidentTensor.is(data) ? data.read() : (data as Float32Array);

/** Exchanges the middle dimensions: `[outer, a, b, inner]` → `[outer, b, a, inner]`. */
export function swapMiddle(
  data: Data,
  [outer, a, b, inner]: readonly [number, number, number, number],
): Data {
  if (a === 1 || b === 1) return data;
  const from = arrayOf(data);
  const swapped = new Float32Array(from.length);
  for (let entry = 0; entry < outer; entry++) {
    for (let i = 0; i < a; i++) {
      for (let j = 0; j < b; j++) {
        const row = ((entry * a + i) * b + j) * inner;
        swapped.set(from.subarray(row, row + inner), ((entry * b + j) * a + i) * inner);
      }
    }
  }
  return swapped;
}

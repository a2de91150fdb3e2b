import { wrong } from './check.js';
import type { Domain } from './domain.js';
import type { Frame } from './frame.js';
import type { Data } from './types.js';

/** An array among the options of an encoding. */
export interface ArrayOption {
  readonly name: string;
  /** Which parameter of the encoding it is. */
  readonly index: number;
  /** float64 numbers, a frozen copy; or the caller's float32 numbers, read at every call. */
  readonly data: readonly number[] | Data;
  /** How many numbers there were when the encoding was made. */
  readonly count: number;
}

/**
 * What the module reads of an encoding: index in the registry, then one number per parameter. That of
 * an array is the address of two numbers, where its data are and how many, and is known in calls only.
 */
export interface Block {
  readonly values: Float64Array;
  readonly arrays: readonly ArrayOption[];
}

/** A block with its defaults filled in, and the positions that its encoding knows. */
export interface ResolvedBlock extends Block {
  readonly domain: Domain;
}

/**
 * Writes a block and its arrays into the module's memory; resident tensors stay where they are.
 * `path` stands before the names of options in errors: `encoding.options.`
 */
export function placeBlock(frame: Frame, { values, arrays }: Block, path: string): number {
  const pointer = frame.doubles(values, 'the encoding');
  for (const { name, index, data, count } of arrays) {
    const array = frame.doubles([placeArray(frame, data, path + name, count), count], path + name);
    frame.memory.kernels.HEAPF64[(pointer >>> 3) + 1 + index] = array;
  }
  return pointer;
}

function placeArray(
  frame: Frame,
  data: ArrayOption['data'],
  argument: string,
  count: number,
): number {
  if (isList(data)) return frame.doubles(data, argument);
  const length = 'length' in data ? data.length : data.size;
  // A resizable buffer may have shrunk since the encoding checked the number.
  if (length !== count && length > 0) {
    throw wrong('shape', argument, data, `the ${count} numbers that it had in encoding()`);
  }
  return frame.input(data, argument, [count], ['count']);
}

const isList = (data: ArrayOption['data']): data is readonly number[] => Array.isArray(data);

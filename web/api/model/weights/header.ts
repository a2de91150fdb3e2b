import { PosencError, show } from '../../error.js';
import { isObject } from '../../inspect/fields.js';
import { bytesOf } from './dtype.js';
import type { WeightInfo, WeightType } from './types.js';

/**
 * The header of a safetensors file: 8 bytes of length, then JSON that gives each tensor its format,
 * shape and place; the numbers follow without gaps. https://github.com/huggingface/safetensors#format
 */

/** Longest header, as in the format's own library. */
export const longestHeader = 100_000_000;

/** Most dimensions of a tensor. */
const mostDimensions = 32;

/** A tensor and where its bytes lie, counted from the start of the file. */
export interface Placed extends WeightInfo {
  readonly name: string;
  readonly offset: number;
  readonly length: number;
}

/** What a header says. */
export interface Header {
  /** In the order of their bytes. */
  readonly tensors: readonly Placed[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** The error for a file that breaks the format. */
export const broken = (file: string, problem: string): PosencError =>
  new PosencError('config', `${file} is not a sound safetensors file: ${problem}`, {
    argument: file,
    received: problem,
    allowed: 'a safetensors file',
  });

/** Length of the header, from the first 8 bytes of a file of `size` bytes. */
export function headerLength(start: Uint8Array, size: number, file: string): number {
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
  const length = view.getBigUint64(0, true);
  if (length > longestHeader) {
    throw broken(file, `its header would have ${length} bytes, more than ${longestHeader}`);
  }
  if (Number(length) > size - 8) {
    throw broken(file, `its header of ${length} bytes does not fit into ${size} (cut short?)`);
  }
  return Number(length);
}

/** Reads and checks the header of a file of `size` bytes. */
export function readHeader(bytes: Uint8Array, size: number, file: string): Header {
  const start = 8 + bytes.length;
  const metadata: Record<string, string> = Object.create(null) as Record<string, string>;
  const tensors: Placed[] = [];
  for (const [name, value] of Object.entries(parse(bytes, file))) {
    if (name === '__metadata__') readMetadata(value, metadata, file);
    else tensors.push(readTensor(name, value, start, size, file));
  }
  tensors.sort((a, b) => a.offset - b.offset || a.length - b.length);
  checkPlaces(tensors, start, size, file);
  return { tensors, metadata };
}

function parse(bytes: Uint8Array, file: string): object {
  if (bytes[0] !== 0x7b) throw broken(file, 'its header does not begin with {');
  let value: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(bytes));
    value = JSON.parse(text);
  } catch (problem) {
    const reason = problem instanceof Error ? problem.message : String(problem);
    throw broken(file, `its header is no JSON: ${reason.slice(0, 200)}`);
  }
  if (!isObject(value)) throw broken(file, 'its header is no JSON object');
  return value;
}

function readMetadata(value: unknown, metadata: Record<string, string>, file: string): void {
  if (!isObject(value)) throw broken(file, `__metadata__ is ${show(value)}, needs an object`);
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string') {
      throw broken(file, `__metadata__ has ${show(text)} for ${show(key)}, needs a text`);
    }
    metadata[key] = text;
  }
}

function readTensor(
  name: string,
  value: unknown,
  start: number,
  size: number,
  file: string,
): Placed {
  const wrong = (problem: string): PosencError => broken(file, `tensor ${show(name)} ${problem}`);
  if (!isObject(value)) throw wrong(`is ${show(value)}, needs an object`);
  const { dtype, shape, data_offsets: places } = value as Record<string, unknown>;
  if (typeof dtype !== 'string' || !Object.hasOwn(bytesOf, dtype)) {
    throw wrong(`has the dtype ${show(dtype)}, needs one of ${Object.keys(bytesOf).join(', ')}`);
  }
  const dimensions = readCounts(shape);
  if (dimensions === null || dimensions.length > mostDimensions) {
    throw wrong(`has the shape ${spell(shape)}, needs a list of integers of at least 0`);
  }
  const width = bytesOf[dtype as WeightType];
  const length = dimensions.reduce((product, dimension) => product * dimension, width);
  if (!Number.isSafeInteger(length)) throw wrong(`of shape ${spell(shape)} has too many numbers`);
  const [begin, end, ...more] = readCounts(places) ?? [];
  if (begin === undefined || end === undefined || more.length > 0 || end < begin) {
    throw wrong(
      `has data_offsets ${spell(places)}, needs its first byte and the one after its last`,
    );
  }
  if (end > size - start) {
    throw wrong(`ends at byte ${end} of the ${size - start} that follow the header (cut short?)`);
  }
  if (end - begin !== length) {
    throw wrong(`of ${dtype} and shape ${spell(shape)} has ${end - begin} bytes, needs ${length}`);
  }
  return {
    name,
    dtype: dtype as WeightType,
    shape: dimensions,
    offset: start + begin,
    length,
  };
}

/** A list of non-negative integers, or `null`. */
function readCounts(value: unknown): number[] | null {
  if (!Array.isArray(value)) return null;
  const sound = value.every((entry) => Number.isSafeInteger(entry) && (entry as number) >= 0);
  return sound ? (value as number[]) : null;
}

const spell = (value: unknown): string =>
  Array.isArray(value) && value.length <= 8 ? `[${value.map(show).join(', ')}]` : show(value);

/** Tensors follow each other without gaps from the header to the end of the file. */
function checkPlaces(tensors: readonly Placed[], start: number, size: number, file: string): void {
  let end = start;
  let before = 'the header';
  for (const { name, offset, length } of tensors) {
    if (offset < end) throw broken(file, `tensors ${before} and ${show(name)} overlap`);
    if (offset > end) {
      throw broken(
        file,
        `${offset - end} bytes between ${before} and ${show(name)} belong to none`,
      );
    }
    end = offset + length;
    before = show(name);
  }
  if (end !== size) throw broken(file, `the last ${size - end} bytes belong to no tensor`);
}

import { checkAttached, typedArrayName } from '../array.js';
import { wrong } from '../check.js';
import type { PosencError } from '../error.js';
import { ResidentTensor } from '../tensor.js';
import type { Encoding } from '../types.js';
import type { CacheEncodings } from './encodings.js';
import type { CacheSetup } from './setup.js';

/** What the bytes of a saved cache begin with, and the number of their format. */
const magic = 'posenc-cache-1';

/**
 * What a saved cache and the one that takes it have in common; the capacity may differ. Keys that wait
 * turned are right for one rotation only.
 */
export function labelOf(setup: CacheSetup, encodings: CacheEncodings): Record<string, unknown> {
  const { layers, batch, kvHeads, headDim, valueDim, axes, window, sinks, positions, store } =
    setup;
  const sizes = { layers, batch, kvHeads, headDim, valueDim, axes };
  const label = { ...sizes, window, sinks, positions, store };
  const { rotation } = encodings;
  if (store === 'raw' || rotation === undefined) return label;
  return { ...label, rotation: spell(rotation.encoding) };
}

/** An encoding as text: its name and all of its options, trained numbers by a hash. */
function spell({ name, options }: Encoding): string {
  const plain = Object.entries(options).map(([option, value]): [string, unknown] => [
    option,
    ResidentTensor.is(value)
      ? hash(value.read())
      : value instanceof Float32Array
        ? hash(value)
        : value,
  ]);
  return JSON.stringify([name, Object.fromEntries(plain)]);
}

/** FNV-1a of the bits. */
function hash(data: Float32Array): string {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const sum = bytes.reduce((sum, byte) => Math.imul(sum ^ byte, 0x01000193) >>> 0, 0x811c9dc5);
  return `${data.length} numbers ${sum.toString(16)}`;
}

/** The label, a line of text, and `content` behind it. */
export function pack(label: Record<string, unknown>, content: Uint8Array): Uint8Array {
  const text = new TextEncoder().encode(`${magic} ${JSON.stringify(label)}\n`);
  const bytes = new Uint8Array(text.length + content.length);
  bytes.set(text);
  bytes.set(content, text.length);
  return bytes;
}

/** Checks the label of saved bytes and returns what stands behind it. */
export function unpack(value: unknown, label: Record<string, unknown>): Uint8Array {
  if (typedArrayName(value) !== 'Uint8Array') {
    throw wrong('argument', 'bytes', value, 'the Uint8Array that save() returned');
  }
  const bytes = value as Uint8Array;
  checkAttached(bytes.buffer, 'bytes');
  const end = bytes.indexOf(10);
  const [start, text = ''] = split(new TextDecoder().decode(bytes.subarray(0, Math.max(end, 0))));
  if (start !== magic) throw notSaved(value);
  const saved = parse(text);
  if (saved === undefined) throw notSaved(value);
  for (const [name, mine] of Object.entries(label)) {
    if (saved[name] === mine) continue;
    throw wrong('argument', `bytes.${name}`, saved[name], `that of this cache, ${String(mine)}`);
  }
  return bytes.subarray(end + 1);
}

/** A text before and behind its first blank. */
function split(text: string): [string, string?] {
  const blank = text.indexOf(' ');
  return blank < 0 ? [text] : [text.slice(0, blank), text.slice(blank + 1)];
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const label: unknown = JSON.parse(text);
    return typeof label === 'object' && label !== null ? { ...label } : undefined;
  } catch {
    return undefined;
  }
}

/** The error for bytes that are no saved cache, or a damaged one. */
export const notSaved = (value: unknown): PosencError =>
  wrong('argument', 'bytes', value, 'the bytes that save() returned, whole and unchanged');

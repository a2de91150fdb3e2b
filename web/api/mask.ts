import { checkAttached, typedArrayName } from './array.js';
import { wrong } from './check.js';
import type { Frame } from './frame.js';

/** Writes a padding mask as bytes: `keys`, or `batch` rows of as many. Without one the pointer is 0. */
export function placeKeyMask(
  frame: Frame,
  mask: unknown,
  keys: number,
  batch: number,
): { pointer: number; perBatch: 0 | 1 } {
  if (mask === undefined) return { pointer: 0, perBatch: 0 };
  if (!Array.isArray(mask) && typedArrayName(mask) !== 'Uint8Array') {
    throw wrong('argument', 'keyMask', mask, 'an array of booleans or a Uint8Array');
  }
  const values = mask as ArrayLike<unknown>;
  if (!Array.isArray(mask)) checkAttached((mask as Uint8Array).buffer, 'keyMask');
  const { length } = values;
  const perBatch = batch > 1 && length === batch * keys;
  if (!perBatch && length !== keys) {
    const each = batch > 1 ? `, or per (batch, key) = ${batch}·${keys} = ${batch * keys}` : '';
    throw wrong('shape', 'keyMask', mask, `one value per key = ${keys}${each}`);
  }
  const pointer = frame.bytes(length, 'keyMask');
  for (let i = 0; i < length; i++) {
    const value = values[i];
    if (value !== true && value !== false && value !== 0 && value !== 1) {
      throw wrong('range', `keyMask[${i}]`, value, 'true or 1 (attend), false or 0 (padding)');
    }
    frame.memory.kernels.HEAPU8[pointer + i] = Number(value);
  }
  return { pointer, perBatch: perBatch ? 1 : 0 };
}

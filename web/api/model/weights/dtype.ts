import { PosencError, show } from '../../error.js';
import { widenBrain, widenHalves } from './half.js';
import type { WeightType } from './types.js';

/** Bytes of a number in each format. */
export const bytesOf: Readonly<Record<WeightType, number>> = {
  BOOL: 1,
  U8: 1,
  I8: 1,
  U16: 2,
  I16: 2,
  U32: 4,
  I32: 4,
  U64: 8,
  I64: 8,
  F8_E4M3: 1,
  F8_E5M2: 1,
  F8_E8M0: 1,
  F16: 2,
  BF16: 2,
  F32: 4,
  F64: 8,
};

/** Whether `read` can give the numbers as float32. */
export const readable = (dtype: WeightType): boolean =>
  dtype === 'F32' || dtype === 'F16' || dtype === 'BF16';

/** The error for a tensor in a format that models here do not take. */
export const unreadableType = (name: string, dtype: WeightType): PosencError =>
  new PosencError('unsupported', `tensor ${show(name)} is ${dtype}, needs F32, F16 or BF16`, {
    argument: name,
    received: dtype,
    allowed: 'F32, F16 or BF16',
  });

/**
 * Little-endian bytes as float32. Those that nothing else holds (`fresh`) become the result where they
 * can.
 */
export function decode(bytes: Uint8Array, dtype: WeightType, fresh: boolean): Float32Array {
  const count = bytes.length / bytesOf[dtype];
  if (dtype === 'F32') {
    const whole = bytes.byteLength === bytes.buffer.byteLength;
    if (fresh && whole) return new Float32Array(bytes.buffer);
    return new Float32Array(new Uint8Array(bytes).buffer);
  }
  const aligned = bytes.byteOffset % 2 === 0 ? bytes : new Uint8Array(bytes);
  const bits = new Uint16Array(aligned.buffer, aligned.byteOffset, count);
  const out = new Float32Array(count);
  return dtype === 'BF16' ? widenBrain(bits, out) : widenHalves(bits, out);
}

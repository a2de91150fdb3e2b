/** Files by hand, for tests of what reads them. */
import { PosencError } from '../../web/api/error.js';
import { expect } from 'vitest';

/** A safetensors file: a header as it is (text or JSON), then bytes. */
export function safetensors(header: unknown, data: Uint8Array = new Uint8Array()): Uint8Array {
  const text = typeof header === 'string' ? header : JSON.stringify(header);
  const json = new TextEncoder().encode(text);
  const bytes = new Uint8Array(8 + json.length + data.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(json.length), true);
  bytes.set(json, 8);
  bytes.set(data, 8 + json.length);
  return bytes;
}

/** The PosencError that a promise is rejected with; fails when it is not, or with something else. */
export async function rejection(call: () => Promise<unknown>): Promise<PosencError> {
  try {
    await call();
  } catch (error) {
    if (error instanceof PosencError) return error;
    throw error;
  }
  return expect.fail('nothing was thrown');
}

/** Bytes of little-endian numbers. */
export const bytesOf = (numbers: Float32Array | Uint16Array | Int32Array): Uint8Array =>
  new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);

/** The PosencError that a call throws. */
export function errorOf(call: () => unknown): PosencError {
  try {
    call();
  } catch (error) {
    if (error instanceof PosencError) return error;
    throw error;
  }
  return expect.fail('nothing was thrown');
}

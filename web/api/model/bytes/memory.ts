import { checkAttached } from '../../array.js';
import { outside, reading } from './check.js';
import { expectGoing } from '../../signal.js';
import type { ByteSource } from './types.js';

/** Bytes in memory. What is read is part of them, not a copy. */
export function memorySource(
  given: Uint8Array,
  name: string,
  signal: AbortSignal | undefined,
): ByteSource {
  checkAttached(given.buffer, name);
  // Node's Buffer is a Uint8Array whose slices are not copies: a plain view of the same bytes is.
  const bytes = new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
  return {
    name,
    size: bytes.byteLength,
    fresh: false,
    // eslint-disable-next-line @typescript-eslint/require-await -- what it throws is a rejection
    async read(offset, length) {
      expectGoing(signal, 'reading');
      checkAttached(bytes.buffer, name);
      if (offset + length > bytes.byteLength) throw outside(name, offset, length, bytes.byteLength);
      return bytes.subarray(offset, offset + length);
    },
    close: () => Promise.resolve(),
  };
}

/** A Blob, or a File that the user picked: read from the disk piece by piece. */
export function blobSource(blob: Blob, name: string, signal: AbortSignal | undefined): ByteSource {
  const { size } = blob;
  return {
    name,
    size,
    fresh: true,
    async read(offset, length) {
      if (offset + length > size) throw outside(name, offset, length, size);
      const part = blob.slice(offset, offset + length);
      const bytes = new Uint8Array(await reading(name, signal, () => part.arrayBuffer()));
      if (bytes.length !== length) throw outside(name, offset, length, offset + bytes.length);
      return bytes;
    },
    close: () => Promise.resolve(),
  };
}

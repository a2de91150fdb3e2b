import { PosencError, show } from '../../error.js';
import { outside, reading } from './check.js';
import { expectGoing } from '../../signal.js';
import type { ByteSource } from './types.js';

/** The part of Node's file functions that is used here. */
interface Files {
  open(path: URL): Promise<{
    stat(): Promise<{ readonly size: number }>;
    read(
      buffer: Uint8Array,
      offset: number,
      length: number,
      position: number,
    ): Promise<{ readonly bytesRead: number }>;
    close(): Promise<void>;
  }>;
}

/** Node's file functions; taken from the process, so that no bundler looks for them. */
function nodeFiles(url: URL): Files {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  const found = process?.getBuiltinModule?.('fs/promises');
  if (found !== undefined) return found as Files;
  const message = `${show(url.href)} is a file, which only Node reads: pass a File or its bytes`;
  throw new PosencError('unsupported', message, {
    argument: 'source',
    received: show(url.href),
    allowed: 'a URL that fetch() can read, a File, or bytes',
  });
}

/** A file of the disk, in Node. */
export async function fileSource(url: URL, signal: AbortSignal | undefined): Promise<ByteSource> {
  const name = url.href;
  const files = nodeFiles(url);
  const file = await reading(name, signal, () => files.open(url));
  let size: number;
  try {
    size = (await reading(name, signal, () => file.stat())).size;
  } catch (problem) {
    await file.close();
    throw problem;
  }
  return {
    name,
    size,
    fresh: true,
    async read(offset, length) {
      if (offset + length > size) throw outside(name, offset, length, size);
      const bytes = new Uint8Array(length);
      for (let done = 0; done < length;) {
        const { bytesRead } = await reading(name, signal, () =>
          file.read(bytes, done, length - done, offset + done),
        );
        if (bytesRead === 0) throw outside(name, offset, length, offset + done);
        done += bytesRead;
      }
      expectGoing(signal, 'reading');
      return bytes;
    },
    close: () => file.close(),
  };
}

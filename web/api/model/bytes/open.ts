import { checkOptions, wrong } from '../../check.js';
import { show } from '../../error.js';
import { checkSignal, expectGoing } from '../../signal.js';
import { fetchSource } from './fetch.js';
import { fileSource } from './file.js';
import { blobSource, memorySource } from './memory.js';
import type { ByteInput, ByteOptions, ByteSource } from './types.js';

/** Finds out how to read what was given; `argument` names it in messages. */
export async function openBytes(
  input: ByteInput,
  options?: ByteOptions,
  argument = 'source',
): Promise<ByteSource> {
  const { signal: given } = checkOptions(options, ['signal'], 'openBytes');
  const signal = checkSignal(given);
  expectGoing(signal, 'reading');
  const tag = tagOf(input);
  if (tag === 'ArrayBuffer') {
    return memorySource(new Uint8Array(input as ArrayBuffer), argument, signal);
  }
  if (tag === 'Uint8Array') return memorySource(input as Uint8Array, argument, signal);
  if (tag === 'Blob') return blobSource(input as Blob, argument, signal);
  if (tag === 'File') return blobSource(input as File, show((input as File).name), signal);
  const url = parseUrl(input, argument);
  return url.protocol === 'file:' ? fileSource(url, signal) : fetchSource(url, signal);
}

/** All bytes of a small source, as that of a tokenizer. */
export async function readAll(input: ByteInput, options?: ByteOptions): Promise<Uint8Array> {
  const source = await openBytes(input, options);
  try {
    return await source.read(0, source.size);
  } finally {
    await source.close();
  }
}

function parseUrl(input: unknown, argument: string): URL {
  if (typeof input === 'string' || tagOf(input) === 'URL') {
    try {
      return new URL(input as string | URL, globalThis.location?.href);
    } catch {
      // Reported below, like everything else that is no URL.
    }
  }
  const allowed =
    'an ArrayBuffer, a Uint8Array, a Blob, or a URL (absolute where no page is around; a path in Node by pathToFileURL)';
  throw wrong('argument', argument, input, allowed);
}

/** `URL`, `ArrayBuffer` …: right across realms, where `instanceof` is not. */
const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);

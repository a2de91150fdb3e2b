import { outside, reading, unreadable } from './check.js';
import { memorySource } from './memory.js';
import type { ByteSource } from './types.js';

/** Fewest bytes of a request: small tensors that lie side by side come together. */
const least = 2 ** 20;

/**
 * What lies at an address. Where the server gives parts (Range requests), only what is read is fetched;
 * where it does not, everything is, once.
 */
export async function fetchSource(url: URL, signal: AbortSignal | undefined): Promise<ByteSource> {
  const name = url.href;
  const first = await fetchPart(url, 0, least, signal);
  const whole = first.status === 206 ? totalOf(first) : null;
  if (whole !== null) {
    const bytes = await reading(name, signal, () => first.arrayBuffer());
    if (bytes.byteLength === Math.min(least, whole)) {
      return partsSource(url, whole, new Uint8Array(bytes), signal);
    }
  }
  // Parts of unknown length: a server that hides Content-Range from pages of other origins.
  if (first.status === 206) await discard(first);
  const answer = first.status === 206 ? await fetchWhole(url, signal) : first;
  const bytes = await reading(name, signal, () => answer.arrayBuffer());
  return memorySource(new Uint8Array(bytes), name, signal);
}

function partsSource(
  url: URL,
  size: number,
  head: Uint8Array,
  signal: AbortSignal | undefined,
): ByteSource {
  const name = url.href;
  let kept = { offset: 0, bytes: head };
  return {
    name,
    size,
    fresh: false,
    async read(offset, length) {
      if (offset + length > size) throw outside(name, offset, length, size);
      const within = offset - kept.offset;
      if (within >= 0 && within + length <= kept.bytes.length) {
        return kept.bytes.subarray(within, within + length);
      }
      const wanted = Math.min(Math.max(length, least), size - offset);
      const answer = await fetchPart(url, offset, wanted, signal);
      if (answer.status !== 206 || (totalOf(answer) ?? size) !== size) {
        throw unreadable(name, 'it changed while it was read');
      }
      const bytes = new Uint8Array(await reading(name, signal, () => answer.arrayBuffer()));
      if (bytes.length !== wanted) throw outside(name, offset, wanted, offset + bytes.length);
      // A large tensor is its own piece, and is not kept beside the numbers made of it.
      kept = length > least ? { offset: 0, bytes: new Uint8Array() } : { offset, bytes };
      return bytes.subarray(0, length);
    },
    close: () => Promise.resolve(),
  };
}

const fetchPart = (
  url: URL,
  offset: number,
  length: number,
  signal: AbortSignal | undefined,
): Promise<Response> => request(url, signal, { Range: `bytes=${offset}-${offset + length - 1}` });

const fetchWhole = (url: URL, signal: AbortSignal | undefined): Promise<Response> =>
  request(url, signal, {});

async function request(
  url: URL,
  signal: AbortSignal | undefined,
  headers: Record<string, string>,
): Promise<Response> {
  const init = signal === undefined ? { headers } : { headers, signal };
  const answer = await reading(url.href, signal, () => fetch(url, init));
  if (answer.ok) return answer;
  await discard(answer);
  // Nothing to give a part of.
  if (answer.status === 416 && answer.headers.get('Content-Range') === 'bytes */0') {
    return new Response(new Uint8Array());
  }
  const status = `the server answered ${answer.status} ${answer.statusText}`.trim();
  throw unreadable(url.href, status);
}

/** Lets an answer go whose content nobody wants. */
async function discard(answer: Response): Promise<void> {
  if (!answer.bodyUsed) await answer.body?.cancel().catch(() => undefined);
}

/** `Content-Range: bytes 0-9/1234` → 1234; `null` where it is not told. */
function totalOf(answer: Response): number | null {
  const match = /^bytes \d+-\d+\/(\d+)$/.exec(answer.headers.get('Content-Range') ?? '');
  const total = Number(match?.[1] ?? NaN);
  return Number.isSafeInteger(total) ? total : null;
}

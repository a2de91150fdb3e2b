import { PosencError } from './error.js';
import { hasRelaxedSimd } from './probe.js';

/**
 * Compiles bytes; says what they are when they are no WebAssembly. `where` ends the message (`at
 * https://…`), `origin` goes before the guess (`the server answered with `).
 */
export async function compile(
  bytes: Uint8Array<ArrayBuffer>,
  where: string,
  origin = '',
): Promise<WebAssembly.Module> {
  if (![0x00, 0x61, 0x73, 0x6d].every((byte, i) => bytes[i] === byte)) {
    const first = bytes.length === 0 ? 'no bytes' : `first bytes ${bytes.slice(0, 4).join(', ')}`;
    const guess = guessKind(bytes);
    const reason = guess === undefined ? first : `${first}: ${origin}${guess}`;
    throw new PosencError('wasm-load', `not WebAssembly (${reason}) ${where}`, {
      received: first,
      allowed: 'the .wasm file of this package',
    });
  }
  try {
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    throw compileError(cause, where);
  }
}

/** What most often arrives instead. */
function guessKind(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'a gzip file';
  const start = new TextDecoder().decode(bytes.subarray(0, 200)).trimStart().toLowerCase();
  if (start.startsWith('<!doctype html') || start.startsWith('<html')) return 'an HTML page';
  if (start.startsWith('<')) return 'a page of markup';
  return start.startsWith('{') ? 'JSON' : undefined;
}

function compileError(cause: unknown, where: string): PosencError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  let hint = '';
  if (/content.security.policy|unsafe-eval/i.test(reason)) {
    hint = ": the page's Content-Security-Policy needs script-src 'wasm-unsafe-eval'";
  } else if (!hasRelaxedSimd()) {
    hint = ': is it cut off, or kernels-relaxed.wasm in an engine without relaxed SIMD?';
  }
  return new PosencError('wasm-load', `cannot compile the module ${where}${hint} (${reason})`, {
    cause,
  });
}

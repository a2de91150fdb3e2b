import { checkAttached } from './array.js';
import { wrong } from './check.js';
import { compile } from './compile.js';
import { PosencError, show } from './error.js';
import type { LoadOptions } from './types.js';

/** A module that the user brings instead of the bytes inside the package. */
export interface Source {
  /** Equal for equal sources: the URL, or the object itself. */
  readonly key: string | object;
  readonly compile: (signal: AbortSignal) => Promise<WebAssembly.Module>;
}

/** Checks the options that say where the module comes from; `undefined` means inside the package. */
export function readSource(options: LoadOptions): Source | undefined {
  const { wasmUrl, wasmBinary, wasmModule } = options;
  const given = Object.entries({ wasmUrl, wasmBinary, wasmModule }).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  );
  if (given.length > 1) {
    throw new PosencError('argument', `${given.join(' and ')} exclude each other: give one`, {
      argument: given[1]!,
      allowed: 'one of wasmUrl, wasmBinary and wasmModule',
    });
  }
  if (wasmUrl !== undefined) return fromUrl(wasmUrl);
  if (wasmBinary !== undefined) return fromBytes(wasmBinary);
  if (wasmModule !== undefined) return fromModule(wasmModule);
  return undefined;
}

function fromUrl(wasmUrl: unknown): Source {
  const url = parseUrl(wasmUrl, 'wasmUrl');
  if (url.protocol === 'file:') {
    throw new PosencError(
      'unsupported',
      `wasmUrl is ${show(url.href)}, but fetch() reads no files: read it and pass wasmBinary`,
      { argument: 'wasmUrl', received: show(url.href), allowed: 'a URL that fetch() can read' },
    );
  }
  return {
    key: url.href,
    compile: async (signal) =>
      compile(await fetchBytes(url, signal), `at ${url.href}`, 'the server answered with '),
  };
}

/** Checks a URL, which may be relative to the page. */
export function parseUrl(value: unknown, argument: string): URL {
  if (typeof value === 'string' || tagOf(value) === 'URL') {
    try {
      return new URL(value as string | URL, globalThis.location?.href);
    } catch {
      // Reported below, like everything else that is no URL.
    }
  }
  const allowed = 'a URL, and an absolute one where there is no page to be relative to';
  throw wrong('argument', argument, value, allowed);
}

async function fetchBytes(url: URL, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  let problem: unknown;
  try {
    const response = await fetch(url, { signal });
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    problem = `the server answered ${response.status} ${response.statusText}`.trim();
  } catch (cause) {
    problem = cause;
  }
  const reason = problem instanceof Error ? problem.message : String(problem);
  throw new PosencError('wasm-load', `cannot fetch ${url.href}: ${reason}`, {
    argument: 'wasmUrl',
    received: show(url.href),
    cause: problem,
  });
}

function fromBytes(wasmBinary: unknown): Source {
  if (!ArrayBuffer.isView(wasmBinary) && !tagOf(wasmBinary).endsWith('ArrayBuffer')) {
    throw wrong('argument', 'wasmBinary', wasmBinary, 'an ArrayBuffer or a view of one');
  }
  const key = wasmBinary as ArrayBufferView | ArrayBufferLike;
  const buffer = 'buffer' in key ? key.buffer : key;
  checkAttached(buffer, 'wasmBinary');
  const start = 'buffer' in key ? key.byteOffset : 0;
  // A copy: the user's bytes may change while the load waits, and shared ones cannot be compiled.
  const bytes = Uint8Array.from(new Uint8Array(buffer, start, key.byteLength));
  return { key, compile: () => compile(bytes, 'in wasmBinary') };
}

function fromModule(wasmModule: unknown): Source {
  if (tagOf(wasmModule) !== 'WebAssembly.Module') {
    throw wrong('argument', 'wasmModule', wasmModule, 'a WebAssembly.Module');
  }
  const module = wasmModule as WebAssembly.Module;
  return { key: module, compile: () => Promise.resolve(module) };
}

/** `URL`, `ArrayBuffer` …: right across realms, where `instanceof` is not. */
const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);

/**
 * `posenc/threads`: all that `posenc` has, with attention on several threads where the engine lets
 * them share memory.
 */
import { checkOptions, choice, integer } from './check.js';
import { importChunk } from './chunk.js';
import { compile } from './compile.js';
import { Engine } from './engine.js';
import { bestVariant, checkEngine, load as loadSingle } from './load.js';
import { createPosenc } from './posenc.js';
import { SharedLoads } from './shared-loads.js';
import { aborted, checkSignal, expectGoing } from './signal.js';
import { parseUrl } from './source.js';
import { decode, instantiate, type Chunk } from './start.js';
import { maySleep, nodeOs, startHelpers, type ThreadKernels } from './thread-pool.js';
import type { Posenc } from './types.js';

export * from './index.js';

/** Options of `load` of `posenc/threads`. */
export interface ThreadsOptions {
  /** As in {@link LoadOptions}. */
  variant?: 'auto' | 'simd' | 'relaxed';
  /** How many threads work on a call of attention, 1 … 16. Default: as many as there are processors. */
  threads?: number;
  /**
   * Where `threads-worker.js` of this package is, for bundlers that do not copy it under a policy
   * that forbids workers from `blob:`. Of the origin of the page.
   */
  workerUrl?: string | URL;
  /** Stops waiting, with a `PosencError` of code `aborted`. */
  signal?: AbortSignal;
}

/**
 * A loaded module whose attention runs on `info.threads` threads, with the same bits for any number
 * of them.
 */
export interface ThreadedPosenc extends Posenc {
  /**
   * Ends the threads, whose workers live until then (a Node process ends without), once all who loaded
   * with equal options have called it. The module goes on with one; the next `load` starts another.
   */
  readonly dispose: () => void;
  /** What `using` calls: `dispose`. */
  readonly [Symbol.dispose]: () => void;
}

const loadKeys = ['variant', 'threads', 'workerUrl', 'signal'];
const variants = ['auto', 'simd', 'relaxed'] as const;

/** As in `cpp/core/ranges.hpp`. */
const mostThreads = 16;

/** Pages of 64 KiB, as the build links them: 16 MiB at first, 1 GiB at most. */
const memoryPages = { initial: 256, maximum: 16384 };

/** Each build's chunk; written out, so that bundlers see them. */
const chunks: Readonly<Record<'simd' | 'relaxed', () => Promise<Chunk<ThreadKernels>>>> = {
  simd: () => import('./threads-simd.js'),
  relaxed: () => import('./threads-relaxed.js'),
};

/** A module, and the threads of all who loaded it. */
interface Started {
  readonly posenc: Posenc;
  /** Ends the threads, if there are any. */
  readonly end: () => void;
  /** Who have not disposed of it; the last one to do so ends the threads. */
  users: number;
  ended: boolean;
}

const loads = new SharedLoads<string, Started>();

/** What is asked for, checked. */
interface Wanted {
  readonly variant: 'simd' | 'relaxed';
  readonly threads: number;
  readonly workerUrl: URL | undefined;
}

/**
 * Loads the module with threads; where they cannot share memory or do not start, as on a page that
 * is not cross-origin isolated, without: `info.threads` says which. Calls with equal options share
 * one module.
 *
 * @throws {PosencError} as `load` of `posenc`
 */
export async function load(options?: ThreadsOptions): Promise<ThreadedPosenc> {
  const given = checkOptions(options, loadKeys, 'load') as ThreadsOptions;
  const asked = choice(given.variant, 'variant', variants);
  const threads =
    given.threads === undefined ? processors() : integer(given.threads, 'threads', 1, mostThreads);
  const workerUrl =
    given.workerUrl === undefined ? undefined : parseUrl(given.workerUrl, 'workerUrl');
  const signal = checkSignal(given.signal);
  checkEngine(asked);
  expectGoing(signal, 'load');
  const variant = asked === 'auto' ? bestVariant() : asked;
  const key = `${variant} ${threads} ${workerUrl?.href}`;
  for (;;) {
    const started = await loads.share(key, signal, (stop) =>
      start({ variant, threads, workerUrl }, stop),
    );
    // Others may have disposed of it in the meantime.
    if (!started.ended) return handOut(started, () => loads.forget(key));
  }
}

function processors(): number {
  // Node 20 has no navigator.
  const count = globalThis.navigator?.hardwareConcurrency ?? nodeOs()?.availableParallelism() ?? 1;
  return Math.min(Math.max(count, 1), mostThreads);
}

async function start(wanted: Wanted, signal: AbortSignal): Promise<Started> {
  if (wanted.threads > 1 && canShareMemory()) {
    try {
      return await startThreads(wanted, signal);
    } catch {
      expectGoing(signal, 'load');
    }
  }
  const posenc = await loadSingle({ variant: wanted.variant, signal });
  return { posenc, end: () => {}, users: 0, ended: false };
}

/** Pages may share memory when they are cross-origin isolated; Node knows no such thing. */
const canShareMemory = (): boolean =>
  typeof SharedArrayBuffer === 'function' && globalThis.crossOriginIsolated !== false;

async function startThreads(
  { variant, threads, workerUrl }: Wanted,
  signal: AbortSignal,
): Promise<Started> {
  const chunk = await importChunk(`threads-${variant}.js`, chunks[variant]);
  const module = await compile(await decode(chunk.bytes), 'inside the package');
  const memory = new WebAssembly.Memory({ ...memoryPages, shared: true });
  const kernels = await instantiate(chunk, module, memory);
  const posenc = await createPosenc(new Engine(kernels, chunk.version, variant));
  const endHelpers = await startHelpers(threads - 1, { module, memory }, kernels, workerUrl);
  if (signal.aborted) {
    endHelpers();
    throw aborted(signal, 'load');
  }
  kernels.startThreads(threads, maySleep());
  const end = (): void => {
    kernels.startThreads(1, false);
    endHelpers();
  };
  return { posenc, end, users: 0, ended: false };
}

/** The module for one more user. */
function handOut(started: Started, forget: () => void): ThreadedPosenc {
  started.users += 1;
  let disposed = false;
  const dispose = (): void => {
    if (disposed) return;
    disposed = true;
    started.users -= 1;
    if (started.users > 0) return;
    started.ended = true;
    forget();
    started.end();
  };
  return Object.freeze({ ...started.posenc, dispose, [Symbol.dispose]: dispose });
}

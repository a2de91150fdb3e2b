import type { Kernels } from './kernels.js';

/** Places in the module's table of functions, which helpers call by them. */
export interface HelperPlaces {
  readonly setStack: number;
  readonly help: number;
  readonly loseHelper: number;
}

/** The functions of a build with threads: `cpp/bindings/threads/pool.cpp`. */
export interface ThreadKernels extends Kernels {
  threads(): number;
  /** From now on, so many threads work on a call. `maySleep`: this one may wait for the others. */
  startThreads(threads: number, maySleep: boolean): void;
  /** Top of a new stack, 0 when there is no memory. */
  threadStack(): number;
  threadFunctions(): HelperPlaces;
}

/** What a helper needs to start: the message to `thread-worker.ts`. */
export interface HelperStart {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Number of its thread; that of the page is 0. */
  readonly thread: number;
  /** Top of its stack. */
  readonly stack: number;
  readonly places: HelperPlaces;
}

/** A worker of a page or of Node. */
interface Helper {
  postMessage(message: HelperStart): void;
  terminate(): unknown;
  /** Only in Node: whether the process waits for it. */
  ref?(): void;
  unref?(): void;
  on?(event: string, listener: (value: unknown) => void): void;
  onmessage?: unknown;
  onerror?: unknown;
  onmessageerror?: unknown;
}

/** Text of `thread-worker.ts`; the build puts it in. */
declare const __POSENC_THREAD_WORKER__: string;

/** What is used of Node's own modules. */
interface NodeModules {
  os: { availableParallelism(): number };
  worker_threads: {
    Worker: new (script: string | URL, options: { eval?: boolean; execArgv: string[] }) => Helper;
  };
}

/** One of them, without an import that bundlers for pages would stumble over; not in pages. */
function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => unknown };
  };
  return process?.getBuiltinModule?.(name) as NodeModules[Name] | undefined;
}

export const nodeOs = () => nodeModule('os');

/**
 * Starts `count` helpers on a module's memory. The result ends them. Throws when the engine or the
 * page's policy does not let them start.
 */
export async function startHelpers(
  count: number,
  start: Pick<HelperStart, 'module' | 'memory'>,
  kernels: ThreadKernels,
  workerUrl: URL | undefined,
): Promise<() => void> {
  const places = kernels.threadFunctions();
  const messages = Array.from({ length: count }, (_, i): HelperStart => {
    const stack = kernels.threadStack();
    if (stack === 0) throw new Error('no memory for the stack of a helper');
    return { ...start, thread: i + 1, stack, places };
  });
  let problem: unknown;
  for (const make of waysToMake(workerUrl)) {
    const helpers: Helper[] = [];
    const end = (): void => helpers.forEach((helper) => void helper.terminate());
    try {
      await Promise.all(
        messages.map((message) => {
          const helper = make();
          helpers.push(helper);
          return whenReady(helper, message);
        }),
      );
      return end;
    } catch (error) {
      problem = error;
      end();
    }
  }
  throw problem;
}

/** The ways to make a helper, best first. */
function waysToMake(workerUrl: URL | undefined): (() => Helper)[] {
  if (typeof Worker !== 'function') {
    const node = nodeModule('worker_threads');
    if (node === undefined) return [];
    const execArgv: string[] = [];
    return workerUrl === undefined
      ? [() => new node.Worker(__POSENC_THREAD_WORKER__, { eval: true, execArgv })]
      : [() => new node.Worker(workerUrl, { execArgv })];
  }
  if (workerUrl !== undefined) return [() => new Worker(workerUrl, { type: 'module' })];
  return [
    // As a file, which a strict policy allows; bundlers know this form, or the file is not there.
    () => new Worker(new URL('./threads-worker.js', import.meta.url), { type: 'module' }),
    workerFromText,
  ];
}

function workerFromText(): Helper {
  const script = new Blob([__POSENC_THREAD_WORKER__], { type: 'text/javascript' });
  const url = URL.createObjectURL(script);
  const worker = new Worker(url);
  // The worker has taken its script by then, or never will.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  return worker;
}

/** Sends a helper its message, and waits until it runs the module. */
function whenReady(helper: Helper, message: HelperStart): Promise<void> {
  return new Promise((resolve, reject) => {
    const ready = (): void => {
      // A process ends although its helpers sleep.
      helper.unref?.();
      resolve();
    };
    const fail = (cause: unknown): void => reject(new Error('a helper did not start', { cause }));
    if (helper.on) {
      helper.on('message', ready);
      helper.on('messageerror', fail);
      helper.on('error', fail);
      helper.on('exit', fail);
    } else {
      helper.onmessage = ready;
      helper.onmessageerror = fail;
      helper.onerror = fail;
    }
    helper.postMessage(message);
  });
}

/** Whether this thread may wait for others; that of a page may not. */
export function maySleep(): boolean {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
    return true;
  } catch {
    return false;
  }
}

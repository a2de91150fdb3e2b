import { checkOptions, choice, wrong } from './check.js';
import { PosencError } from './error.js';
import { createPosenc } from './posenc.js';
import { hasRelaxedSimd, hasSimd } from './probe.js';
import { readSource, type Source } from './source.js';
import { start, variantOf } from './start.js';
import type { LoadOptions, Posenc, Variant } from './types.js';

const loadKeys = ['variant', 'wasmUrl', 'wasmBinary', 'wasmModule', 'signal'];
const variants = ['auto', 'simd', 'relaxed', 'lite'] as const;

/** A load that several callers may wait for. */
interface Shared {
  readonly promise: Promise<Posenc>;
  readonly controller: AbortController;
  /** Callers who have not given up. */
  waiting: number;
}

/** Loads of one source by the variant asked for. */
type Loads = Map<(typeof variants)[number], Shared>;

/** By URL; '' stands for the module inside the package. */
const loadsByUrl = new Map<string, Loads>();
/** By bytes or compiled module. */
const loadsByObject = new WeakMap<object, Loads>();

/**
 * Loads the WebAssembly module. Calls with equal options share one instance; a failed load is
 * forgotten, so that the next call tries again.
 *
 * The module comes from inside the package unless one of `wasmUrl`, `wasmBinary` and `wasmModule`
 * brings it; `auto` then takes the variant that was brought.
 *
 * @throws {PosencError} `unsupported` when the engine lacks WebAssembly SIMD (or relaxed SIMD when
 *   that was asked for), `wasm-load` when the module cannot be fetched, compiled or started or is of
 *   another version or variant, `aborted` when `signal` fired, `argument` or `option` for options
 *   that make no sense
 */
export async function load(options?: LoadOptions): Promise<Posenc> {
  const given = checkOptions(options, loadKeys, 'load') as LoadOptions;
  const asked = choice(given.variant, 'variant', variants);
  const signal = checkSignal(given.signal);
  const source = readSource(given);
  checkEngine(asked);
  if (signal?.aborted) throw aborted(signal);
  const variant = asked === 'auto' && source === undefined ? bestVariant() : asked;

  const loads = loadsOf(source?.key ?? '');
  let shared = loads.get(variant);
  if (shared === undefined) {
    const controller = new AbortController();
    shared = { promise: startFrom(source, variant, controller.signal), controller, waiting: 0 };
    loads.set(variant, shared);
  }
  const forget = (): void => {
    if (loads.get(variant) === shared) loads.delete(variant);
  };
  shared.promise.catch(forget);
  return wait(shared, signal, forget);
}

/** Waits for a shared load until the signal fires; the last to give up stops the load. */
function wait(
  shared: Shared,
  signal: AbortSignal | undefined,
  forget: () => void,
): Promise<Posenc> {
  shared.waiting += 1;
  if (signal === undefined) return shared.promise;
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      reject(aborted(signal));
      shared.waiting -= 1;
      if (shared.waiting > 0) return;
      forget();
      shared.controller.abort();
    };
    signal.addEventListener('abort', giveUp);
    const stopListening = (): void => signal.removeEventListener('abort', giveUp);
    shared.promise.finally(stopListening).then(resolve, reject);
  });
}

async function startFrom(
  source: Source | undefined,
  variant: (typeof variants)[number],
  signal: AbortSignal,
): Promise<Posenc> {
  const module = await source?.compile(signal);
  const brought = module && variantOf(module);
  const chosen = variant !== 'auto' ? variant : (brought ?? bestVariant());
  checkEngine(chosen);
  return createPosenc(await start(chosen, module));
}

const bestVariant = (): Variant => (hasRelaxedSimd() ? 'relaxed' : 'simd');

/** Throws when the engine cannot run the variant. */
function checkEngine(variant: (typeof variants)[number]): void {
  if (typeof WebAssembly !== 'object') {
    throw unsupported('WebAssembly', 'it is switched off or the engine is too old');
  }
  if (!hasSimd()) {
    throw unsupported('WebAssembly SIMD', 'Chrome 91, Firefox 89, Safari 16.4, Node 16.4 have it');
  }
  if (variant === 'relaxed' && !hasRelaxedSimd()) {
    throw unsupported('WebAssembly relaxed SIMD', "take variant 'simd' or 'auto'");
  }
}

const unsupported = (feature: string, hint: string): PosencError =>
  new PosencError('unsupported', `this engine has no ${feature}: ${hint}`, {
    received: `an engine without ${feature}`,
    allowed: `an engine with ${feature}`,
  });

const aborted = (signal: AbortSignal): PosencError =>
  new PosencError('aborted', 'load was aborted', { argument: 'signal', cause: signal.reason });

function checkSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined) return undefined;
  if (Object.prototype.toString.call(signal) !== '[object AbortSignal]') {
    throw wrong('argument', 'signal', signal, 'an AbortSignal');
  }
  return signal as AbortSignal;
}

function loadsOf(key: string | object): Loads {
  const known = typeof key === 'string' ? loadsByUrl.get(key) : loadsByObject.get(key);
  if (known !== undefined) return known;
  const loads: Loads = new Map();
  if (typeof key === 'string') loadsByUrl.set(key, loads);
  else loadsByObject.set(key, loads);
  return loads;
}

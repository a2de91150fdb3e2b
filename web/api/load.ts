import { checkOptions, choice } from './check.js';
import { PosencError } from './error.js';
import { createPosenc } from './posenc.js';
import { hasRelaxedSimd, hasSimd } from './probe.js';
import { SharedLoads } from './shared-loads.js';
import { checkSignal, expectGoing } from './signal.js';
import { readSource, type Source } from './source.js';
import { start, variantOf } from './start.js';
import type { LoadOptions, Posenc } from './types.js';

const loadKeys = ['variant', 'wasmUrl', 'wasmBinary', 'wasmModule', 'signal'];
const variants = ['auto', 'simd', 'relaxed', 'lite'] as const;

/** Loads of one source by the variant asked for. */
type Loads = SharedLoads<(typeof variants)[number], Posenc>;

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
  expectGoing(signal, 'load');
  const variant = asked === 'auto' && source === undefined ? bestVariant() : asked;

  return loadsOf(source?.key ?? '').share(variant, signal, (stop) =>
    startFrom(source, variant, stop),
  );
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

/** What `auto` takes. */
export const bestVariant = (): 'relaxed' | 'simd' => (hasRelaxedSimd() ? 'relaxed' : 'simd');

/** Throws when the engine cannot run the variant. */
export function checkEngine(variant: (typeof variants)[number]): void {
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

function loadsOf(key: string | object): Loads {
  const known = typeof key === 'string' ? loadsByUrl.get(key) : loadsByObject.get(key);
  if (known !== undefined) return known;
  const loads: Loads = new SharedLoads();
  if (typeof key === 'string') loadsByUrl.set(key, loads);
  else loadsByObject.set(key, loads);
  return loads;
}

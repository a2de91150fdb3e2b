import { importChunk } from './chunk.js';
import { compile } from './compile.js';
import { Engine } from './engine.js';
import { PosencError } from './error.js';
import type { Kernels } from './kernels.js';
import type { Variant } from './types.js';

/** What the Emscripten glue of one build needs, and makes. */
export type CreateModule<Made extends Kernels = Kernels> = (options: {
  /** Memory that other threads have as well, where the build imports it. */
  wasmMemory?: WebAssembly.Memory | undefined;
  instantiateWasm: (
    imports: WebAssembly.Imports,
    receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ) => object;
}) => Promise<Made>;

/** A generated chunk, `dist/simd.js` or `dist/relaxed.js`: one build with its glue. */
export interface Chunk<Made extends Kernels = Kernels> {
  readonly createModule: CreateModule<Made>;
  /** The module, gzip in base64. */
  readonly bytes: string;
  /** Version of the package that the build belongs to. */
  readonly version: string;
}

/** Each build's chunk; written out, so that bundlers see them. */
const chunks: Readonly<Record<Variant, () => Promise<Chunk>>> = {
  simd: () => import('./simd.js'),
  relaxed: () => import('./relaxed.js'),
  lite: () => import('./lite.js'),
};

/** Starts the build `variant`, from `module` or else from the bytes inside the package. */
export async function start(variant: Variant, module?: WebAssembly.Module): Promise<Engine> {
  const chunk = await importChunk(`${variant}.js`, chunks[variant]);
  if (module !== undefined) checkStamp(module, chunk.version, variant);
  const compiled = module ?? (await compile(await decode(chunk.bytes), 'inside the package'));
  try {
    return new Engine(await instantiate(chunk, compiled), chunk.version, variant);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PosencError('wasm-load', `cannot start the ${variant} module: ${reason}`, { cause });
  }
}

/**
 * What the build wrote into the module's custom section `posenc`: `0.1.0 simd`. The names of imports
 * and exports are shortened anew by each build, so glue and module of two builds must not meet.
 */
function stampOf(module: WebAssembly.Module): string {
  const [section] = WebAssembly.Module.customSections(module, 'posenc');
  return section === undefined ? '' : new TextDecoder().decode(section);
}

/** Which build a module is, if it is one of this package. */
export function variantOf(module: WebAssembly.Module): Variant | undefined {
  const variant = stampOf(module).split(' ')[1];
  return variant !== undefined && Object.hasOwn(chunks, variant) ? (variant as Variant) : undefined;
}

function checkStamp(module: WebAssembly.Module, version: string, variant: Variant): void {
  const stamp = stampOf(module);
  if (stamp === `${version} ${variant}`) return;
  const received = stamp === '' ? 'not one of posenc' : `posenc ${stamp}`;
  const allowed = `posenc ${version} ${variant}`;
  throw new PosencError('wasm-load', `the WebAssembly module is ${received}, needs ${allowed}`, {
    received,
    allowed,
  });
}

/** Instantiates through the glue, with the engine's own errors instead of the glue's abort. */
export function instantiate<Made extends Kernels>(
  { createModule }: Chunk<Made>,
  module: WebAssembly.Module,
  wasmMemory?: WebAssembly.Memory,
): Promise<Made> {
  return new Promise((resolve, reject) => {
    createModule({
      wasmMemory,
      instantiateWasm(imports, receive) {
        WebAssembly.instantiate(module, imports)
          .then((instance) => receive(instance, module))
          .catch(reject);
        return {};
      },
    }).then(resolve, reject);
  });
}

/** The module of a chunk: gzip in base64. */
export async function decode(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof DecompressionStream !== 'function') {
    const hint = 'Chrome 80, Firefox 113, Safari 16.4, Node 18 have it; or pass wasmUrl';
    throw new PosencError('unsupported', `this engine has no DecompressionStream: ${hint}`, {
      received: 'an engine without DecompressionStream',
      allowed: 'an engine with DecompressionStream, or wasmUrl, wasmBinary or wasmModule',
    });
  }
  const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

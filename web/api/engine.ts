import { PosencError } from './error.js';
import {
  attentionFields,
  cacheFields,
  gradientFields,
  linearFields,
  rotateFields,
  type AttentionCall,
  type CacheCall,
  type GradientCall,
  type Kernels,
  type LinearCall,
  type RotateCall,
} from './kernels.js';
import { Memory } from './memory.js';
import { publicDescription, type RawDescription } from './registry.js';
import type { EncodingDescription, Variant } from './types.js';

/** What a build says of its models; the build `lite` has none. */
interface ModelDescription {
  readonly modelFields: readonly string[];
  readonly stackFields: readonly string[];
  readonly stepFields: readonly string[];
  readonly groupFields: readonly string[];
  readonly stepLayerFields: readonly string[];
  readonly traceFields: readonly string[];
  /** Names of the tensors of a layer, and of those of none, in their order. */
  readonly layerTensors: readonly string[];
  readonly modelTensors: readonly string[];
}

/** What the module says of itself: `describe()` of `cpp/bindings/bindings.cpp`. */
interface Description extends Partial<ModelDescription> {
  /** Names of the status values, in their order. */
  readonly status: readonly string[];
  /** Order of the fields of the call blocks. */
  readonly fields: readonly string[];
  readonly rotateFields: readonly string[];
  readonly gradientFields: readonly string[];
  readonly linearFields: readonly string[];
  readonly cacheFields: readonly string[];
  readonly encodings: readonly RawDescription[];
}

/** A running WebAssembly instance: its functions, its memory and what it says of itself. */
export class Engine {
  readonly kernels: Kernels;
  readonly memory: Memory;
  readonly version: string;
  readonly variant: Variant;
  readonly encodings: readonly EncodingDescription[];
  readonly rotateOrder: readonly (keyof RotateCall)[];
  readonly attentionOrder: readonly (keyof AttentionCall)[];
  readonly gradientOrder: readonly (keyof GradientCall)[];
  readonly linearOrder: readonly (keyof LinearCall)[];
  readonly cacheOrder: readonly (keyof CacheCall)[];
  readonly #description: Description;
  readonly #status: readonly string[];

  constructor(kernels: Kernels, version: string, variant: Variant) {
    const description = kernels.describe() as Description;
    this.kernels = kernels;
    this.version = version;
    this.variant = variant;
    this.encodings = deepFreeze(description.encodings.map(publicDescription));
    this.rotateOrder = sameNames(description.rotateFields, rotateFields);
    this.attentionOrder = sameNames(description.fields, attentionFields);
    this.gradientOrder = sameNames(description.gradientFields, gradientFields);
    this.linearOrder = sameNames(description.linearFields, linearFields);
    this.cacheOrder = sameNames(description.cacheFields, cacheFields);
    this.#description = description;
    this.#status = description.status;
    this.memory = new Memory(kernels);
  }

  /** How models are spoken of. */
  get models(): ModelDescription {
    return this.#description as Required<Description>;
  }

  /** Throws when the module refused a call. The API checks arguments first, so this is about memory. */
  expectOk(status: number, call: string): void {
    if (status === 0) return;
    const name = this.statusName(status);
    if (name === 'memory') throw noMemory(call);
    throw new PosencError('argument', `${call} refused its arguments (${name})`, {
      received: name,
    });
  }

  /** What a status is called in the module. */
  statusName(status: number): string {
    return this.#status[status] ?? String(status);
  }

  /** A size that the module tells of an encoding; it is 0 when there was no memory to make it. */
  told(size: number): number {
    if (size === 0) throw noMemory('the encoding');
    return size;
  }
}

const noMemory = (call: string): PosencError =>
  new PosencError('memory', `no memory for the scratch space of ${call}`, { received: call });

/** Checks that the module reads exactly the fields that the API writes, in whatever order. */
export function sameNames<Name extends string>(
  order: readonly string[],
  names: readonly Name[],
): readonly Name[] {
  if (order.length === names.length && names.every((name) => order.includes(name))) {
    return order as readonly Name[];
  }
  throw new Error(`the module reads ${order.join(', ')}; the API writes ${names.join(', ')}`);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}

/**
 * What kind of thing went wrong; stable, for programs to switch on.
 *
 * - `argument`: a value of the wrong kind (a string where an array belongs, a missing argument)
 * - `shape`: lengths and shapes that do not multiply out or do not fit each other
 * - `range`: the right kind of value outside the allowed range (NaN and Infinity included)
 * - `option`: an unknown name, option or option value
 * - `config`: a model configuration that cannot be read or contradicts itself
 * - `disposed`: use of an object after `dispose()`
 * - `wasm-load`: the WebAssembly module could not be fetched, compiled or started
 * - `memory`: an allocation failed or a buffer is detached
 * - `capacity`: a cache has no slot left for what it was given
 * - `aborted`: an `AbortSignal` fired
 * - `unsupported`: valid, but not something this build or engine can do
 */
export type PosencErrorCode =
  | 'argument'
  | 'shape'
  | 'range'
  | 'option'
  | 'config'
  | 'disposed'
  | 'wasm-load'
  | 'memory'
  | 'capacity'
  | 'aborted'
  | 'unsupported';

/** The parts of a message, for programs that want to show them their own way. */
export interface PosencErrorDetails {
  /** Name or path of the offending argument, e.g. `rotaryDim` or `rope_scaling.factor`. */
  argument?: string;
  /** What was given, as short text: strings cut, arrays by type and length. */
  received?: string;
  /** What would have been allowed, e.g. `an even integer from 2 to headDim (64)`. */
  allowed?: string;
  /** The error underneath, if there is one. */
  cause?: unknown;
}

/** The one error class this package throws on purpose. */
export class PosencError extends Error {
  /** What kind of thing went wrong. */
  readonly code: PosencErrorCode;
  /** Name or path of the offending argument; see {@link PosencErrorDetails}. */
  readonly argument?: string;
  /** What was given, as short text. */
  readonly received?: string;
  /** What would have been allowed. */
  readonly allowed?: string;

  /** Made by the package; programs only catch it. */
  constructor(code: PosencErrorCode, message: string, details: PosencErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.name = 'PosencError';
    this.code = code;
    if (details.argument !== undefined) this.argument = details.argument;
    if (details.received !== undefined) this.received = details.received;
    if (details.allowed !== undefined) this.allowed = details.allowed;
  }
}

/** Longest text {@link show} quotes from a string before it cuts. */
const maxQuoted = 60;

/** Longest text {@link show} returns. */
const maxShown = 120;

/**
 * Prints any value shortly and safely for an error message: strings quoted and cut, arrays by type
 * and length, other objects without their content. Never throws, and costs the same for a huge
 * string or array as for a small one.
 */
export function show(value: unknown): string {
  try {
    return describe(value).slice(0, maxShown);
  } catch {
    return 'a value that cannot be read'; // a Proxy with throwing traps, or a revoked one
  }
}

function describe(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'bigint':
      return value >= -(10n ** 30n) && value <= 10n ** 30n ? `${value}n` : 'a huge bigint';
    case 'symbol':
      return 'a symbol';
    case 'function':
      return 'a function';
    case 'object':
      return value === null ? 'null' : describeObject(value);
    default:
      return String(value); // undefined, true, false
  }
}

function describeObject(value: object): string {
  if (Array.isArray(value)) return `an array of length ${value.length}`;
  if (ArrayBuffer.isView(value)) {
    const view = value as ArrayBufferView & { length?: number };
    const kind = tagOf(value);
    return kind === 'DataView' ? 'a DataView' : `a ${kind} of length ${view.length}`;
  }
  const tag = tagOf(value);
  return tag === 'Object' ? 'an object' : `an object (${tag})`;
}

/** `Float32Array`, `Map`, `Date` …: right across realms, where `instanceof` is not. */
const tagOf = (value: object): string => Object.prototype.toString.call(value).slice(8, -1);

function quote(text: string): string {
  if (text.length <= maxQuoted) return JSON.stringify(text);
  return `${JSON.stringify(text.slice(0, maxQuoted))}… (${text.length} characters)`;
}

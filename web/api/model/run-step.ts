import type { Frame } from '../frame.js';
import type { GroupCall, StepCall, StepLayerCall, TraceCall } from '../kernels.js';
import { traceFields } from '../kernels.js';
import type { LoadedModel } from './loaded.js';
import type { StackSpec } from './spec.js';
import { parts, type Part } from './transformer.js';

/** New tokens for a stack. */
export interface StepInputs {
  /** `[batch, tokens]` */
  readonly ids: Int32Array;
  /** Tokens per sequence. */
  readonly tokens: number;
  /** `[batch, tokens]`: 1 = a token, 0 = padding. Absent: all are tokens. */
  readonly real?: Uint8Array | undefined;
  /** Rows of `[batch · tokens]` whose results are wanted, ascending. */
  readonly wanted: readonly number[];
  /** Which results. */
  readonly results: 'hidden' | 'logits';
  /** Keys and values of an encoder's output. */
  readonly cross?: CrossKeys;
  /** Numbers of every layer that are wanted. */
  readonly trace?: readonly (keyof TraceCall)[];
}

/** An encoder's output as decoder layers see it, in the module's memory. */
export interface CrossKeys {
  readonly pointer: number;
  readonly tokens: number;
  /** `[batch, tokens]`: which are no padding. */
  readonly real: Uint8Array | undefined;
}

/** What a stack made of them. */
export interface StepResult {
  /** `[wanted, width]`; empty unless wanted. */
  readonly hidden: Float32Array;
  /** `[wanted, vocabulary]`; empty unless wanted. */
  readonly logits: Float32Array;
  /** What was traced, by layer. */
  readonly layers: readonly Partial<Record<keyof TraceCall, Float32Array>>[];
}

/** Encodings in the module's memory, and which layer has which. */
export interface Placed {
  readonly groups: readonly GroupCall[];
  readonly layers: readonly StepLayerCall[];
  /** The block of what is added to the input by position; 0 = nothing. */
  readonly embedding: number;
}

const none = new Float32Array(0);

/** Runs one step of a stack; `expect` throws what a status means. */
export function runStep(
  model: LoadedModel,
  frame: Frame,
  inputs: StepInputs & Which,
  placed: Placed,
  expect: (status: number) => void,
): StepResult {
  const { transformer, spec } = model;
  const { memory, kernels } = transformer.engine;
  const { part, tokens, wanted, results, trace = [] } = inputs;
  const sizes = traceSizes(spec[part as 'decoder' | 'encoder']!, spec.width, tokens);
  const traced = (trace.length === 0 ? [] : placed.layers).map(() => {
    const call = Object.fromEntries(traceFields.map((name) => [name, 0])) as TraceCall;
    for (const name of trace) call[name] = frame.floats(sizes[name], `the trace of ${name}`);
    return call;
  });
  const count = wanted.length;
  const hidden = results === 'hidden' ? frame.floats(count * spec.width, 'the output') : 0;
  const logits = results === 'logits' ? frame.floats(count * spec.vocabulary, 'the logits') : 0;
  const call = placeStep(model, frame, inputs, placed, {
    wanted: placeInts(frame, Int32Array.from(wanted), 'the wanted rows'),
    wanted_count: count,
    hidden,
    logits,
    trace: trace.length === 0 ? 0 : placeList(frame, transformer.orders.trace, traced),
  });
  expect(kernels.modelStep(transformer.handle, call));
  return {
    hidden: hidden === 0 ? none : memory.copy(hidden, count * spec.width, 'the output'),
    logits: logits === 0 ? none : memory.copy(logits, count * spec.vocabulary, 'the logits'),
    layers: traced.map((layer) =>
      Object.fromEntries(trace.map((name) => [name, memory.copy(layer[name], sizes[name], name)])),
    ),
  };
}

/** Which stack runs, and for which sequences of its caches: −1 = all. */
interface Which {
  readonly part: Part;
  readonly batch: number;
  readonly sequence: number;
}

/** What a step writes, and where. */
type StepOutputs = Pick<StepCall, 'wanted' | 'wanted_count' | 'hidden' | 'logits' | 'trace'>;

/** The call block of a step. */
export function placeStep(
  { transformer: { orders } }: LoadedModel,
  frame: Frame,
  inputs: Pick<StepInputs, 'ids' | 'tokens' | 'real' | 'cross'> & Which,
  placed: Placed,
  outputs: StepOutputs,
): number {
  const { part, batch, sequence, tokens, ids, real, cross } = inputs;
  return frame.call(orders.step, {
    part: parts.indexOf(part),
    ...{ batch, tokens, sequence, positions: 0 },
    ids: placeInts(frame, ids, 'ids'),
    real: real === undefined ? 0 : placeBytes(frame, real),
    groups: placeList(frame, orders.group, placed.groups),
    group_count: placed.groups.length,
    layers: placeList(frame, orders.layer, placed.layers),
    layer_count: placed.layers.length,
    cross_tokens: cross?.tokens ?? 0,
    cross: cross?.pointer ?? 0,
    cross_real: cross?.real === undefined ? 0 : placeBytes(frame, cross.real),
    embedding: placed.embedding,
    ...outputs,
  });
}

/** Call blocks one after the other. */
function placeList<Name extends string>(
  frame: Frame,
  order: readonly Name[],
  calls: readonly Record<Name, number>[],
): number {
  const pointer = frame.bytes(8 * order.length * calls.length, 'the call');
  const { HEAPF64 } = frame.memory.kernels;
  let at = pointer >>> 3;
  for (const call of calls) for (const name of order) HEAPF64[at++] = call[name];
  return pointer;
}

/** How many numbers each traced array has. */
function traceSizes(stack: StackSpec, width: number, tokens: number): TraceCall {
  const { heads, kvHeads, headDim } = stack;
  const stream = tokens * width;
  const queries = heads * tokens * headDim;
  const keys = kvHeads * tokens * headDim;
  const pairs = heads * tokens * tokens;
  return {
    ...{ input: stream, normed: stream, attention: stream, mlp: stream },
    ...{ query: queries, heads: queries, key: keys, value: keys },
    ...{ scores: pairs, biased: pairs, logits: pairs, weights: pairs },
  };
}

export function placeInts(frame: Frame, values: Int32Array, argument: string): number {
  const pointer = frame.bytes(4 * values.length, argument);
  frame.memory.kernels.HEAP32.set(values, pointer >>> 2);
  return pointer;
}

function placeBytes(frame: Frame, flags: Uint8Array): number {
  const pointer = frame.bytes(flags.length, 'the padding');
  frame.memory.kernels.HEAPU8.set(flags, pointer);
  return pointer;
}

import { wrong } from '../check.js';
import { PosencError } from '../error.js';
import type { Engine } from '../engine.js';
import { sameNames } from '../engine.js';
import { Frame } from '../frame.js';
import {
  groupFields,
  learnFields,
  modelFields,
  stackFields,
  stepFields,
  stepLayerFields,
  traceFields,
  updateFields,
} from '../kernels.js';
import type { ModelSpec, StackSpec } from './spec.js';
import type { ModelTensor } from './stream.js';

/** How weights are held in the module: as they are, or rounded. */
export const precisions = ['f32', 'f16', 'int8'] as const;
export type Precision = (typeof precisions)[number];

/** A part of a model, by its number in the module. */
export const parts = ['whole', 'decoder', 'encoder'] as const;
export type Part = (typeof parts)[number];

const norms = ['rms', 'layer'] as const;
const placements = ['pre', 'post', 'both'] as const;
const activations = ['silu', 'gelu', 'gelu-tanh', 'relu'] as const;

/** Rows that are written at once. */
const blockNumbers = 1 << 18;

/** Where a tensor of a name stands: part, layer, number. */
export type Place = readonly [part: number, layer: number, tensor: number];

/** A model in the module's memory: its sizes and weights. Whoever makes it frees it. */
export class Transformer {
  readonly engine: Engine;
  readonly spec: ModelSpec;
  readonly orders: Orders;
  /** 0 when it was freed. */
  #handle: number;

  constructor(engine: Engine, spec: ModelSpec) {
    this.engine = engine;
    this.spec = spec;
    this.orders = readOrders(engine);
    const { kernels, memory } = engine;
    const make = (): number => {
      const frame = new Frame(memory);
      try {
        const out = frame.doubles([0], 'the model');
        const status = kernels.modelMake(this.#placeSizes(frame), out);
        if (engine.statusName(status) === 'memory') return 0;
        engine.expectOk(status, 'loadModel');
        return kernels.HEAPF64[out >>> 3]!;
      } finally {
        frame.release();
      }
    };
    this.#handle = memory.claim(make, (handle) => kernels.modelFree(handle), 0, 'the model');
    engine.memory.liveModels += 1;
  }

  /** Handle of the module; throws once the model was freed. */
  get handle(): number {
    if (this.#handle !== 0) return this.#handle;
    throw new PosencError('disposed', 'the model was disposed, needs a live model', {
      argument: 'the model',
      received: 'a disposed model',
      allowed: 'a live model',
    });
  }

  get disposed(): boolean {
    return this.#handle === 0;
  }

  /** Bytes of the weights. */
  get bytes(): number {
    return this.engine.kernels.modelBytes(this.handle);
  }

  /** Takes over a tensor of the model, rounded where matrices may be. */
  add({ name, shape, data }: ModelTensor, precision: Precision): void {
    const { kernels, memory } = this.engine;
    const place = this.placeOf(name);
    const columns = shape.at(-1)!;
    const rows = data.length / columns;
    const addAs = (held: Precision): number =>
      kernels.modelAdd(this.handle, ...place, rows, columns, precisions.indexOf(held));
    let status = addAs(precision);
    // Only matrices may be rounded.
    if (this.engine.statusName(status) === 'unsupported') status = addAs('f32');
    else if (precision !== 'f32') checkFinite(name, data);
    if (this.engine.statusName(status) === 'memory') throw this.#full(name, data.length);
    this.engine.expectOk(status, `tensor ${name}`);
    const rowsAtOnce = Math.max(1, Math.floor(blockNumbers / columns));
    const pointer = memory.allocate(4 * columns * Math.min(rowsAtOnce, rows), name);
    try {
      for (let first = 0; first < rows; first += rowsAtOnce) {
        const count = Math.min(rowsAtOnce, rows - first);
        memory.write(pointer, data.subarray(first * columns, (first + count) * columns));
        kernels.modelWrite(this.handle, ...place, first, count, pointer);
      }
    } finally {
      memory.free(pointer);
    }
  }

  /** A copy of the numbers of a tensor; throws where they are absent, or held in fewer bits. */
  read(name: string): Float32Array {
    const { kernels, memory } = this.engine;
    const place = this.placeOf(name);
    const pointer = kernels.modelNumbers(this.handle, ...place);
    const frame = new Frame(memory);
    try {
      if (pointer === 0) throw wrong('option', 'name', name, 'a tensor that is there, as f32');
      const out = frame.doubles([0, 0], name);
      kernels.modelExpected(this.handle, ...place, out);
      const [rows = 0, columns = 0] = kernels.HEAPF64.subarray(out >>> 3);
      return memory.copy(pointer, rows * columns, name);
    } finally {
      frame.release();
    }
  }

  /** Throws when weights are missing that the model cannot do without. */
  expectWhole(): void {
    const frame = new Frame(this.engine.memory);
    try {
      const out = frame.doubles([0, 0, 0], 'the model');
      if (this.engine.kernels.modelMissing(this.handle, out) === 0) return;
      const [part = 0, layer = 0, tensor = 0] = this.engine.kernels.HEAPF64.subarray(out >>> 3);
      const { modelTensors, layerTensors } = this.engine.models;
      const name =
        part === 0 ? modelTensors[tensor]! : `${parts[part]!}.${layer}.${layerTensors[tensor]!}`;
      throw new PosencError('config', `the model lacks the tensor ${name}`, { argument: name });
    } finally {
      frame.release();
    }
  }

  free(): void {
    if (this.#handle === 0) return;
    this.engine.kernels.modelFree(this.#handle);
    this.#handle = 0;
    this.engine.memory.liveModels -= 1;
  }

  /** Whether the engine has a tensor of this name. */
  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  /** Where a tensor stands; throws for a name that the engine does not know. */
  placeOf(name: string): Place {
    const place = this.#find(name);
    if (place !== undefined) return place;
    throw new PosencError('config', `the engine has no tensor ${name}`, { argument: name });
  }

  #find(name: string): Place | undefined {
    const { modelTensors, layerTensors } = this.engine.models;
    const whole = modelTensors.indexOf(name);
    if (whole >= 0) return [0, 0, whole];
    const [, part = '', layer = '', rest = ''] =
      /^(decoder|encoder)\.(\d+)\.(.+)$/.exec(name) ?? [];
    const tensor = layerTensors.indexOf(rest);
    const stack = part === 'encoder' ? this.spec.encoder : this.spec.decoder;
    if (stack === undefined || tensor < 0 || Number(layer) >= stack.layers.length) return undefined;
    return [parts.indexOf(part as Part), Number(layer), tensor];
  }

  #placeSizes(frame: Frame): number {
    const { spec, orders } = this;
    const stack = (of: StackSpec | undefined): number =>
      of === undefined ? 0 : frame.call(orders.stack, stackCall(of));
    return frame.call(orders.model, {
      vocabulary: spec.vocabulary,
      width: spec.width,
      embedding_scale: spec.embeddingScale,
      position_offset: spec.positionOffset,
      logit_scale: spec.logitScale,
      logit_softcap: spec.logitSoftcap ?? 0,
      decoder: stack(spec.decoder),
      encoder: stack(spec.encoder),
    });
  }

  #full(name: string, numbers: number): PosencError {
    const held = this.engine.memory.bytes;
    const message = `no memory for ${name} (${numbers} numbers); the module holds ${held} bytes`;
    return new PosencError('memory', `${message}, dtype "f16" or "int8" needs less`, {
      argument: name,
      received: `${numbers} numbers`,
    });
  }
}

/** Order of the fields of the calls that models make. */
export type Orders = ReturnType<typeof readOrders>;

function readOrders({ models }: Engine) {
  return {
    model: sameNames(models.modelFields, modelFields),
    stack: sameNames(models.stackFields, stackFields),
    step: sameNames(models.stepFields, stepFields),
    group: sameNames(models.groupFields, groupFields),
    layer: sameNames(models.stepLayerFields, stepLayerFields),
    trace: sameNames(models.traceFields, traceFields),
    learn: sameNames(models.learnFields, learnFields),
    update: sameNames(models.updateFields, updateFields),
  };
}

const stackCall = (stack: StackSpec) => ({
  layers: stack.layers.length,
  heads: stack.heads,
  kv_heads: stack.kvHeads,
  head_dim: stack.headDim,
  hidden: stack.hidden,
  norm: norms.indexOf(stack.norm),
  norm_epsilon: stack.normEpsilon,
  placement: placements.indexOf(stack.normPlacement),
  causal: stack.causal ? 1 : 0,
  cross: stack.cross ? 1 : 0,
  parallel: stack.parallel ? 1 : 0,
  activation: activations.indexOf(stack.activation),
  gated: stack.gated ? 1 : 0,
  softcap: stack.attentionSoftcap ?? 0,
});

/** Numbers that have no rounded form. */
function checkFinite(name: string, data: Float32Array): void {
  const at = data.findIndex((x) => !Number.isFinite(x));
  if (at < 0) return;
  throw new PosencError('config', `${name}[${at}] is ${data[at]}, needs a finite number`, {
    argument: name,
    received: String(data[at]),
    allowed: 'finite numbers, which dtype f16 and int8 can hold',
  });
}

import { placeBlock, type ResolvedBlock } from '../block.js';
import { between, checkOptions, integer, wrong } from '../check.js';
import type { Engine } from '../engine.js';
import { PosencError } from '../error.js';
import { Frame } from '../frame.js';
import type { StepLayerCall } from '../kernels.js';
import { embeddingBlock } from '../model/embedding.js';
import { CheckpointModel } from '../model/language-model.js';
import { layerKinds, type LayerKind } from '../model/layer-kinds.js';
import type { LoadedModel } from '../model/loaded.js';
import { placeInts, placeStep } from '../model/run-step.js';
import { checkTerms, placeAddresses, placeTerms, readTerms, scoreScale } from '../terms.js';
import { Adopted } from './adopted.js';
import { checkBatch } from './batch.js';
import type { LearnInputs, OptimizerOptions, Trainer, TrainerOptions } from './types.js';

const optimizerKeys = ['rate', 'beta1', 'beta2', 'epsilon', 'decay', 'clip'] as const;
const keys = ['model', 'encoding', 'embedding', 'dropout', 'seed', ...optimizerKeys];

const usual: Required<OptimizerOptions> = {
  rate: 1e-3,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  decay: 0,
  clip: 1,
};

/** Makes a trainer; see `Posenc.trainer` in `types.ts`. */
export function trainer(engine: Engine, options: TrainerOptions): Trainer {
  const given = checkOptions(options, keys, 'trainer') as TrainerOptions;
  const model = CheckpointModel.inside(given.model, 'model');
  if (model.transformer.engine !== engine) {
    throw wrong('argument', 'model', given.model, 'a model of the same loaded module');
  }
  return new ModelTrainer(model, given);
}

/** A model in training; see {@link Trainer}. */
class ModelTrainer implements Trainer {
  steps = 0;
  readonly #model: LoadedModel;
  readonly #kinds: readonly LayerKind[];
  readonly #embedding: ResolvedBlock | undefined;
  readonly #adopted: Adopted;
  readonly #optimizer: Required<OptimizerOptions>;
  readonly #dropout: number;
  readonly #seed: number;
  /** Calls of `learn` since the last step. */
  #learned = 0;
  /** 0 when disposed. */
  #handle: number;

  constructor(model: LoadedModel, options: TrainerOptions) {
    const { engine, handle } = model.transformer;
    const { decoder } = model.spec;
    if (decoder === undefined) throw untrainable('it has no decoder');
    this.#model = model;
    this.#optimizer = { ...usual, ...checkOptimizer(options) };
    this.#dropout = between(options.dropout ?? 0, 'dropout', 0, 0.95);
    this.#seed = integer(options.seed ?? 0, 'seed', 0, 2 ** 20);
    this.#embedding = embeddingBlock(options.embedding, model.spec.width);
    const swapped = options.encoding === undefined ? {} : { encoding: options.encoding };
    this.#adopted = new Adopted(engine, model.numbersOf('decoder'));
    this.#kinds = layerKinds(engine, decoder, this.#adopted.numbers, swapped);
    const { headDim } = decoder;
    for (const { encodings } of this.#kinds) {
      checkTerms(readTerms(encodings), { headDim, valueDim: headDim });
    }
    const blocks = this.#kinds.flatMap(({ encodings }) =>
      readTerms(encodings).map(({ block }) => block),
    );
    this.#adopted.find(this.#embedding === undefined ? blocks : [...blocks, this.#embedding]);
    this.#handle = 0;
    const frame = new Frame(engine.memory);
    try {
      const out = frame.doubles([0], 'the trainer');
      const status = engine.kernels.trainerMake(handle, this.#adopted.count, out);
      if (engine.statusName(status) === 'unsupported') {
        throw untrainable('its norms do not stand before its sublayers, or it is not held as f32');
      }
      engine.expectOk(status, 'trainer');
      this.#handle = engine.kernels.HEAPF64[out >>> 3]!;
      this.#adopted.train(this.#handle);
    } catch (problem) {
      this.dispose();
      throw problem;
    } finally {
      frame.release();
    }
  }

  get disposed(): boolean {
    return this.#handle === 0;
  }

  learn(inputs: LearnInputs): number {
    const handle = this.#live();
    const { transformer, spec } = this.#model;
    const { engine, orders } = transformer;
    const { batch, tokens, ids, targets, weights } = checkBatch(inputs, spec.vocabulary);
    const frame = new Frame(engine.memory);
    try {
      const { placed, trained, embeddingTrained } = this.#place(frame);
      const which = { part: 'decoder', batch, sequence: -1 } as const;
      const step = placeStep(this.#model, frame, { ...which, ids, tokens }, placed, {
        ...{ wanted: 0, wanted_count: 0, hidden: 0, logits: 0, trace: 0 },
      });
      const learn = frame.call(orders.learn, {
        targets: placeInts(frame, targets, 'targets'),
        weights: frame.input(weights, 'weights', [batch, tokens], ['batch', 'tokens']),
        trained,
        embedding_trained: embeddingTrained,
        dropout: this.#dropout,
        seed: this.#dropSeed(),
      });
      const loss = frame.doubles([0], 'the loss');
      const status = engine.kernels.trainerLearn(handle, step, learn, loss);
      if (engine.statusName(status) === 'position') {
        throw wrong('range', 'ids', inputs.ids, 'no more tokens than the encodings know positions');
      }
      engine.expectOk(status, 'learn');
      this.#learned += 1;
      return engine.kernels.HEAPF64[loss >>> 3]!;
    } finally {
      frame.release();
    }
  }

  norm(): number {
    return this.#kernels.trainerNorm(this.#live());
  }

  step(options?: OptimizerOptions): void {
    const handle = this.#live();
    const given = checkOptimizer(checkOptions(options, optimizerKeys, 'step'));
    const { rate, beta1, beta2, epsilon, decay, clip } = { ...this.#optimizer, ...given };
    const { engine, orders } = this.#model.transformer;
    const frame = new Frame(engine.memory);
    try {
      const numbers = { rate, beta1, beta2, epsilon, decay, clip, step: this.steps + 1 };
      this.#kernels.trainerUpdate(handle, frame.call(orders.update, numbers));
    } finally {
      frame.release();
    }
    this.steps += 1;
    this.#learned = 0;
    this.#kernels.trainerClear(handle);
    this.#adopted.writeBack();
  }

  gradient(name: string): Float32Array {
    const handle = this.#live();
    const { transformer } = this.#model;
    const count = transformer.read(name).length;
    const pointer = this.#kernels.trainerGradient(handle, ...transformer.placeOf(name));
    return transformer.engine.memory.copy(pointer, count, name);
  }

  save(): Uint8Array {
    const handle = this.#live();
    const { memory } = this.#model.transformer.engine;
    const count = this.#kernels.trainerStateSize(handle);
    const frame = new Frame(memory);
    try {
      const pointer = frame.floats(count, 'the state');
      this.#kernels.trainerSave(handle, pointer);
      const bytes = new Uint8Array(8 + 4 * count);
      new DataView(bytes.buffer).setFloat64(0, this.steps, true);
      bytes.set(new Uint8Array(memory.copy(pointer, count, 'the state').buffer), 8);
      return bytes;
    } finally {
      frame.release();
    }
  }

  restore(bytes: Uint8Array): void {
    const handle = this.#live();
    const { memory } = this.#model.transformer.engine;
    const count = this.#kernels.trainerStateSize(handle);
    const allowed = `the ${8 + 4 * count} bytes that save() of a trainer of this model gives`;
    const isOne = Object.prototype.toString.call(bytes) === '[object Uint8Array]';
    if (!isOne || bytes.length !== 8 + 4 * count) throw wrong('shape', 'bytes', bytes, allowed);
    const own = bytes.slice();
    const steps = new DataView(own.buffer).getFloat64(0, true);
    if (!Number.isSafeInteger(steps) || steps < 0) throw wrong('range', 'bytes', bytes, allowed);
    const frame = new Frame(memory);
    try {
      const pointer = frame.floats(count, 'the state');
      memory.write(pointer, new Float32Array(own.buffer, 8));
      this.#kernels.trainerLoad(handle, pointer);
      this.steps = steps;
    } finally {
      frame.release();
    }
  }

  dispose(): void {
    if (this.#handle !== 0) this.#kernels.trainerFree(this.#handle);
    this.#handle = 0;
    this.#adopted.dispose();
  }

  /** What `using` calls. In engines without it this is a method of no consequence called `undefined`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Another one for every call, and the same where a run was resumed. */
  #dropSeed(): number {
    return this.#seed * 2 ** 32 + (this.steps % 2 ** 24) * 2 ** 8 + (this.#learned % 2 ** 8);
  }

  get #kernels() {
    return this.#model.transformer.engine.kernels;
  }

  #live(): number {
    if (this.#handle !== 0 && this.#model.transformer.handle !== 0) return this.#handle;
    throw new PosencError('disposed', 'the trainer was disposed, needs a live trainer', {
      argument: 'the trainer',
      received: 'a disposed trainer',
      allowed: 'a live trainer',
    });
  }

  /** Writes the encodings of every kind of layers, and where their gradients go. */
  #place(frame: Frame) {
    const { engine, spec } = { ...this.#model.transformer, spec: this.#model.spec };
    const layers: StepLayerCall[] = [];
    const lists: number[] = [];
    const groups = this.#kinds.map(({ encodings, window, scale, layers: own }, group) => {
      const placed = placeTerms(frame, readTerms(encodings));
      for (const layer of own) layers[layer] = { group, window, cache: 0, cache_layer: 0 };
      const pointers = placed.map(({ block }) => this.#adopted.placeList(frame, block));
      lists.push(placeInts(frame, Int32Array.from(pointers), 'the gradients'));
      return {
        encodings: placeAddresses(frame, placed),
        encoding_count: placed.length,
        scale: scale ?? scoreScale(engine.kernels, placed, spec.decoder!.headDim),
      };
    });
    const block = this.#embedding;
    const embedding = block === undefined ? 0 : placeBlock(frame, block, 'embedding.');
    return {
      placed: { groups, layers, embedding },
      trained: placeInts(frame, Int32Array.from(lists), 'the gradients'),
      embeddingTrained: block === undefined ? 0 : this.#adopted.placeList(frame, block),
    };
  }
}

/** Numbers of the optimizer that were given. */
function checkOptimizer(options: OptimizerOptions): OptimizerOptions {
  const limits: Record<(typeof optimizerKeys)[number], readonly [low: number, high: number]> = {
    rate: [0, 1e3],
    beta1: [0, 0.999999],
    beta2: [0, 0.9999999],
    epsilon: [1e-30, 1],
    decay: [0, 1e3],
    clip: [0, 1e30],
  };
  const checked: OptimizerOptions = {};
  for (const key of optimizerKeys) {
    const value = options[key];
    if (value === undefined) continue;
    const [low, high] = limits[key];
    checked[key] = between(value, key, low, high);
  }
  return checked;
}

const untrainable = (why: string): PosencError =>
  new PosencError('unsupported', `model cannot be trained: ${why}`, {
    argument: 'model',
    allowed: 'a decoder with its norms before its sublayers, loaded with dtype "f32"',
  });

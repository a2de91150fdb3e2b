import { checkOptions, choice, wrong } from '../check.js';
import type { Engine } from '../engine.js';
import { checkSignal, expectGoing } from '../signal.js';
import { linear } from './linear.js';
import type { ByteInput } from './bytes/types.js';
import { encodingTensors } from './encoding-options.js';
import { CheckpointModel } from './language-model.js';
import { readLlama2c } from './llama2c/checkpoint.js';
import { planModel, type ModelPlan } from './plan.js';
import type { ModelSpec, TensorName } from './spec.js';
import { streamTensors, type ModelTensor } from './stream.js';
import { precisions, Transformer, type Precision } from './transformer.js';
import type { LanguageModel, LoadModelOptions } from './types.js';
import { readSafetensors } from './weights/read.js';
import type { Weights } from './weights/types.js';

const keys = ['config', 'weights', 'tokenizer', 'dtype', 'signal', 'onProgress'];

/** Loads a checkpoint; see `Posenc.loadModel` in `types.ts`. */
export async function loadModel(engine: Engine, options: LoadModelOptions): Promise<LanguageModel> {
  const given = checkOptions(options, keys, 'loadModel') as LoadModelOptions;
  const dtype = choice(given.dtype, 'dtype', precisions);
  if (given.weights === undefined) {
    throw wrong('argument', 'weights', undefined, 'safetensors, or a file of llama2.c');
  }
  const { config, weights, opened } = await open(given);
  try {
    const plan = planModel(config, weights.tensors);
    const tensors = streamTensors(plan.tensors, weights);
    return await assemble(engine, { config, plan, tensors, dtype }, given);
  } finally {
    if (opened) await weights.close();
  }
}

/** Config and weights of a checkpoint, and whether they were opened here. */
async function open({ config, weights, signal }: LoadModelOptions) {
  const reading = signal === undefined ? {} : { signal };
  if (isWeights(weights)) {
    if (config !== undefined) return { config, weights, opened: false };
    throw wrong('argument', 'config', config, 'the config.json of these weights');
  }
  if (config === undefined) {
    if (Array.isArray(weights)) {
      throw wrong('argument', 'config', config, 'the config.json of these files');
    }
    return { ...(await readLlama2c(weights as ByteInput, reading)), opened: true };
  }
  const files = weights;
  return { config, weights: await readSafetensors(files, reading), opened: true };
}

const isWeights = (weights: LoadModelOptions['weights']): weights is Weights =>
  typeof weights === 'object' && 'tensors' in weights && 'read' in weights;

/** A model to be, and its tensors one after the other. */
interface Planned {
  readonly config: unknown;
  readonly plan: ModelPlan;
  readonly tensors: AsyncIterable<ModelTensor> | Iterable<ModelTensor>;
  readonly dtype: Precision;
}

/** Makes a model of tensors; see `loadModel`. */
export async function assemble(
  engine: Engine,
  { config, plan, tensors, dtype }: Planned,
  given: Pick<LoadModelOptions, 'tokenizer' | 'onProgress' | 'signal'>,
): Promise<LanguageModel> {
  if (given.tokenizer !== undefined) checkTokenizer(given.tokenizer, plan.spec);
  const { transformer, kept } = await fill(engine, plan, tensors, dtype, given);
  const numbersOf = (part: string) => ({
    stack: plan.spec[part as 'decoder' | 'encoder']!,
    read: (name: TensorName) => kept.get(name)!,
    linear: (inputs: Parameters<typeof linear<Float32Array>>[1]) =>
      linear<Float32Array>(engine, inputs),
  });
  const numbers = (name: TensorName) => kept.get(name) ?? transformer.read(name);
  const names = new Set(plan.tensors.map(({ name }) => name));
  const loaded = { config, transformer, spec: plan.spec, dtype, names, numbersOf, numbers };
  return new CheckpointModel(loaded, plan, given.tokenizer);
}

/** Brings all tensors into the module; those that encodings are made of are kept here too. */
async function fill(
  engine: Engine,
  { spec, tensors: planned }: ModelPlan,
  tensors: Planned['tensors'],
  dtype: Precision,
  { onProgress, signal: given }: Pick<LoadModelOptions, 'onProgress' | 'signal'>,
) {
  const signal = checkSignal(given);
  const forEncodings = new Set(
    [spec.decoder, spec.encoder].flatMap((stack) =>
      (stack?.layers ?? []).flatMap(({ encodings }) => encodings.flatMap(encodingTensors)),
    ),
  );
  const total = planned.reduce((sum, { shape }) => sum + shape.reduce((all, n) => all * n, 1), 0);
  const kept = new Map<TensorName, Float32Array>();
  const transformer = new Transformer(engine, spec);
  let loaded = 0;
  try {
    for await (const tensor of tensors) {
      expectGoing(signal, 'loadModel');
      if (forEncodings.has(tensor.name)) kept.set(tensor.name, tensor.data);
      // Tables of distances are options of encodings alone; all else is the engine's.
      if (!forEncodings.has(tensor.name) || transformer.has(tensor.name)) {
        transformer.add(tensor, dtype);
      }
      loaded += tensor.data.length;
      onProgress?.({ loaded, total });
    }
    transformer.expectWhole();
  } catch (problem) {
    transformer.free();
    throw problem;
  }
  return { transformer, kept };
}

function checkTokenizer({ vocabulary }: { vocabulary: number }, spec: ModelSpec): void {
  if (vocabulary <= spec.vocabulary) return;
  const allowed = `at most the ${spec.vocabulary} of the model`;
  throw wrong('shape', 'tokenizer.vocabulary', vocabulary, allowed);
}

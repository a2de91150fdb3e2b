import { float32 } from './array.js';
import { attention } from './attention.js';
import { importChunk } from './chunk.js';
import { ConfiguredEncoding } from './encoding.js';
import type { Engine } from './engine.js';
import { PosencError } from './error.js';
import { RandomStream } from './random.js';
import { ResidentTensor } from './tensor.js';
import type { AttentionInputs, Data, EncodingInput, EncodingName, Posenc } from './types.js';

/** Methods of the full builds, in a chunk of their own: pages with the small build do without. */
const fullMethods = [
  'linear',
  'attentionBackward',
  'onnxAttention',
  'onnxRotaryEmbedding',
  'onnxLinearAttention',
  'scaledDotProductAttention',
  'kvCache',
  'loadModel',
  'createModel',
  'trainer',
] as const;

export type FullMethods = Pick<Posenc, (typeof fullMethods)[number]>;

/** What `load()` hands out; see {@link Posenc}. The functions need no `this`. */
export async function createPosenc(engine: Engine): Promise<Posenc> {
  const { memory, version, variant, encodings } = engine;
  const info = {
    version,
    variant,
    get threads() {
      return engine.kernels.threads?.() ?? 1;
    },
    get memoryBytes() {
      return memory.bytes;
    },
    get liveTensors() {
      return memory.liveTensors;
    },
    get liveCaches() {
      return memory.liveCaches;
    },
    get liveModels() {
      return memory.liveModels;
    },
  };
  const full = variant === 'lite' ? refused() : await importFull(engine);
  return Object.freeze<Posenc>({
    info: Object.freeze(info),
    encodings,
    encoding: <Name extends EncodingName>(name: Name, options?: EncodingInput<Name>) =>
      new ConfiguredEncoding(engine, name, options),
    attention: <Output extends Data>(inputs: AttentionInputs<Output>) => attention(engine, inputs),
    ...full,
    tensor: (data, shape) => new ResidentTensor(memory, shape, float32(data, 'data')),
    zeros: (shape) => new ResidentTensor(memory, shape),
    random: (seed) => new RandomStream(engine, seed),
  });
}

async function importFull(engine: Engine): Promise<FullMethods> {
  const { createFullMethods } = await importChunk('full.js', () => import('./full.js'));
  return createFullMethods(engine);
}

/** The methods that the small build leaves out. */
function refused(): FullMethods {
  const refuse = (name: string) => () => {
    throw new PosencError('unsupported', `the build 'lite' has no ${name}`, {
      received: "a module of the build 'lite'",
      allowed: "load({ variant: 'simd' }) or 'relaxed'",
    });
  };
  const methods = fullMethods.map((name) => [name, refuse(name)] as const);
  return Object.fromEntries<unknown>(methods) as FullMethods;
}

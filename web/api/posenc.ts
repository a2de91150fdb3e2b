import { float32 } from './array.js';
import { attention } from './attention.js';
import { attentionBackward } from './attention/backward.js';
import type { AttentionBackwardInputs, GradientName } from './attention/gradients.js';
import { kvCache } from './cache/cache.js';
import type { KvCacheOptions } from './cache/types.js';
import { ConfiguredEncoding } from './encoding.js';
import type { Engine } from './engine.js';
import { PosencError } from './error.js';
import type { LinearInputs } from './model/inputs.js';
import { linear } from './model/linear.js';
import { onnxAttention } from './interop/onnx-attention.js';
import { onnxLinearAttention } from './interop/onnx-linear-attention.js';
import { onnxRotaryEmbedding } from './interop/onnx-rotary.js';
import { scaledDotProductAttention } from './interop/sdpa.js';
import { RandomStream } from './random.js';
import { ResidentTensor } from './tensor.js';
import type { AttentionInputs, Data, EncodingInput, EncodingName, Posenc } from './types.js';

/** What `load()` hands out; see {@link Posenc}. The functions need no `this`. */
export function createPosenc(engine: Engine): Posenc {
  const { memory, version, variant, encodings } = engine;
  const info = {
    version,
    variant,
    get memoryBytes() {
      return memory.bytes;
    },
    get liveTensors() {
      return memory.liveTensors;
    },
    get liveCaches() {
      return memory.liveCaches;
    },
  };
  /** A method that the small build leaves out. */
  const full = <Method extends (...given: never[]) => unknown>(
    name: keyof Posenc,
    method: Method,
  ): Method => (variant === 'lite' ? ((() => refuse(name)) as unknown as Method) : method);
  return Object.freeze<Posenc>({
    info: Object.freeze(info),
    encodings,
    encoding: <Name extends EncodingName>(name: Name, options?: EncodingInput<Name>) =>
      new ConfiguredEncoding(engine, name, options),
    attention: <Output extends Data>(inputs: AttentionInputs<Output>) => attention(engine, inputs),
    linear: full('linear', <Output extends Data>(inputs: LinearInputs<Output>) =>
      linear(engine, inputs),
    ),
    attentionBackward: full(
      'attentionBackward',
      <Wanted extends GradientName, Output extends Data>(
        inputs: AttentionBackwardInputs<Wanted, Output>,
      ) => attentionBackward(engine, inputs),
    ),
    onnxAttention: (...given) => onnxAttention(engine, ...given),
    onnxRotaryEmbedding: (...given) => onnxRotaryEmbedding(engine, ...given),
    onnxLinearAttention: full('onnxLinearAttention', (...given) =>
      onnxLinearAttention(engine, ...given),
    ),
    scaledDotProductAttention: (...given) => scaledDotProductAttention(engine, ...given),
    kvCache: full('kvCache', (options: KvCacheOptions) => kvCache(engine, options)),
    tensor: (data, shape) => new ResidentTensor(memory, shape, float32(data, 'data')),
    zeros: (shape) => new ResidentTensor(memory, shape),
    random: (seed) => new RandomStream(engine, seed),
  });
}

function refuse(name: string): never {
  throw new PosencError('unsupported', `the build 'lite' has no ${name}`, {
    received: "a module of the build 'lite'",
    allowed: "load({ variant: 'simd' }) or 'relaxed'",
  });
}

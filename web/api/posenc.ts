import { float32 } from './array.js';
import { attention } from './attention.js';
import { ConfiguredEncoding } from './encoding.js';
import type { Engine } from './engine.js';
import { RandomStream } from './random.js';
import { ResidentTensor } from './tensor.js';
import type { AttentionInputs, Data, EncodingInput, EncodingName, Posenc } from './types.js';

/** What `load()` hands out; see {@link Posenc}. The functions need no `this`. */
export function createPosenc(engine: Engine): Posenc {
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
  };
  return Object.freeze<Posenc>({
    info: Object.freeze(info),
    encodings,
    encoding: <Name extends EncodingName>(name: Name, options?: EncodingInput<Name>) =>
      new ConfiguredEncoding(engine, name, options),
    attention: <Output extends Data>(inputs: AttentionInputs<Output>) => attention(engine, inputs),
    tensor: (data, shape) => new ResidentTensor(memory, shape, float32(data, 'data')),
    zeros: (shape) => new ResidentTensor(memory, shape),
    random: (seed) => new RandomStream(engine, seed),
  });
}

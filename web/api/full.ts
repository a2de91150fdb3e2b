import { attentionBackward } from './attention/backward.js';
import type { AttentionBackwardInputs, GradientName } from './attention/gradients.js';
import { kvCache } from './cache/cache.js';
import type { Engine } from './engine.js';
import { onnxAttention } from './interop/onnx-attention.js';
import { onnxLinearAttention } from './interop/onnx-linear-attention.js';
import { onnxRotaryEmbedding } from './interop/onnx-rotary.js';
import { scaledDotProductAttention } from './interop/sdpa.js';
import { createModel } from './model/create.js';
import type { LinearInputs } from './model/inputs.js';
import { linear } from './model/linear.js';
import { loadModel } from './model/load.js';
import type { FullMethods } from './posenc.js';
import { trainer } from './train/trainer.js';
import type { Data } from './types.js';

/** The methods of {@link Posenc} that the small build leaves out. */
export const createFullMethods = (engine: Engine): FullMethods => ({
  linear: <Output extends Data>(inputs: LinearInputs<Output>) => linear(engine, inputs),
  attentionBackward: <Wanted extends GradientName, Output extends Data>(
    inputs: AttentionBackwardInputs<Wanted, Output>,
  ) => attentionBackward(engine, inputs),
  onnxAttention: (...given) => onnxAttention(engine, ...given),
  onnxRotaryEmbedding: (...given) => onnxRotaryEmbedding(engine, ...given),
  onnxLinearAttention: (...given) => onnxLinearAttention(engine, ...given),
  scaledDotProductAttention: (...given) => scaledDotProductAttention(engine, ...given),
  kvCache: (options) => kvCache(engine, options),
  createModel: (options) => createModel(engine, options),
  loadModel: (options) => loadModel(engine, options),
  trainer: (options) => trainer(engine, options),
});

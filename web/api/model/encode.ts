import { Context } from './context.js';
import type { LoadedModel } from './loaded.js';
import { padded } from './prompt.js';
import type { CrossKeys } from './run-step.js';

/** An encoder's output as the decoder sees it; freed after use. */
export interface Encoded extends CrossKeys {
  readonly free: () => void;
}

/** Passes prompts through the encoder, and makes keys and values of what comes out. */
export function encodeAll(model: LoadedModel, prompts: readonly Int32Array[]): Encoded {
  const batch = padded(prompts);
  const { engine, handle } = model.transformer;
  const { memory } = engine;
  const { width, decoder } = model.spec;
  const hidden = encoderOutput(model, batch, prompts.length);
  const rows = prompts.length * batch.tokens;
  const { layers, kvHeads, headDim } = decoder!;
  const input = memory.allocate(4 * rows * width, 'the encoder output');
  const bytes = 4 * layers.length * 2 * rows * kvHeads * headDim;
  let pointer = 0;
  try {
    memory.write(input, hidden);
    pointer = memory.allocate(bytes, 'the keys of the encoder output');
    const size = [prompts.length, batch.tokens] as const;
    engine.expectOk(engine.kernels.modelCross(handle, ...size, input, pointer), 'the encoder');
  } catch (problem) {
    if (pointer !== 0) memory.free(pointer);
    throw problem;
  } finally {
    memory.free(input);
  }
  return { pointer, tokens: batch.tokens, real: batch.real, free: () => memory.free(pointer) };
}

function encoderOutput(
  model: LoadedModel,
  batch: ReturnType<typeof padded>,
  entries: number,
): Float32Array {
  const context = new Context(model, 'encoder', { batch: entries, tokens: batch.tokens });
  try {
    const wanted = Array.from(batch.ids.keys());
    return context.step({ ...batch, wanted, results: 'hidden' }).hidden;
  } finally {
    context.dispose();
  }
}

/** What `pe.trainer` takes and returns. */
import type { LanguageModel } from '../model/types.js';
import type { Encoding } from '../types.js';

/** AdamW (Loshchilov and Hutter 2019), and what is done to its gradients. */
export interface OptimizerOptions {
  /** Learning rate. Default 1e-3. */
  rate?: number;
  /** Default 0.9. */
  beta1?: number;
  /** Default 0.95. */
  beta2?: number;
  /** Default 1e-8. */
  epsilon?: number;
  /** Weight decay of matrices; vectors have none. Default 0. */
  decay?: number;
  /** Gradients are shortened to this norm, all together. 0 = never. Default 1. */
  clip?: number;
}

/** Options of `pe.trainer`. */
export interface TrainerOptions extends OptimizerOptions {
  /** A decoder with its norms before the sublayers (Llama, GPT-2, BLOOM …), held as `f32`. */
  model: LanguageModel;
  /**
   * The encodings of a layer, instead of the model's own. Their options that are resident tensors are
   * trained; arrays stay as they are.
   */
  encoding?: (layer: number) => Encoding | readonly Encoding[] | undefined;
  /** An encoding whose rows are added to the input; trained like the others. */
  embedding?: Encoding;
  /**
   * Share of the numbers that become 0 while learning, in the input and in what each sublayer adds
   * (GPT-2). 0 … 0.95. Default 0.
   */
  dropout?: number;
  /** Of what is dropped, with the number of the step: an integer 0 … 2^20. Default 0. */
  seed?: number;
}

/** What `learn` takes: texts of the same length, one after the other. */
export interface LearnInputs {
  /** `[batch, tokens]` */
  ids: Int32Array | readonly number[];
  /** Texts. Default 1. */
  batch?: number;
  /** `[batch, tokens]`: what each token is to foresee. Default: the next one, the last nothing. */
  targets?: Int32Array | readonly number[];
  /** `[batch, tokens]`: of a token's loss; 0 = not counted. Default: 1, of the last 0 without targets. */
  weights?: Float32Array;
}

/** A model in training. Whoever makes a trainer disposes it; the model stays. */
export interface Trainer {
  /** Steps so far. */
  readonly steps: number;
  /** Whether it was disposed; then nothing else works. */
  readonly disposed: boolean;
  /** Adds the gradients of the mean cross-entropy; returns that. */
  learn(inputs: LearnInputs): number;
  /** Norm of all gradients so far, together. */
  norm(): number;
  /** A step of the optimizer by the gradients so far, which then begin anew. */
  step(options?: OptimizerOptions): void;
  /** The gradient so far by a tensor of the model, by its name in the engine. */
  gradient(name: string): Float32Array;
  /** The moments of the optimizer and the number of steps: what an interrupted run needs beside the weights. */
  save(): Uint8Array;
  /** Takes them back, of a trainer of the same model. */
  restore(bytes: Uint8Array): void;
  /** Frees gradients and moments; the model stays as it is. */
  dispose(): void;
  /** The same, for `using`. */
  [Symbol.dispose](): void;
}

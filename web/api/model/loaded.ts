import type { EncodingNumbers } from './encoding-options.js';
import type { ModelSpec, TensorName } from './spec.js';
import type { Part, Precision, Transformer } from './transformer.js';

/** A model whose weights are in the module, with what its encodings are made of. */
export interface LoadedModel {
  /** As it was given, an object or its text. */
  readonly config: unknown;
  readonly transformer: Transformer;
  readonly spec: ModelSpec;
  /** How matrices are held. */
  readonly dtype: Precision;
  /** Names of all tensors. */
  readonly names: ReadonlySet<TensorName>;
  /** What the encodings of a stack take from the checkpoint. */
  readonly numbersOf: (part: Part) => EncodingNumbers;
  /** The numbers of any tensor of the plan, which may be the model's own array. */
  readonly numbers: (name: TensorName) => Float32Array;
}

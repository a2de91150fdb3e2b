import type { EncodingNumbers } from './encoding-options.js';
import type { ModelSpec } from './spec.js';
import type { Part, Transformer } from './transformer.js';

/** A model whose weights are in the module, with what its encodings are made of. */
export interface LoadedModel {
  readonly transformer: Transformer;
  readonly spec: ModelSpec;
  /** What the encodings of a stack take from the checkpoint. */
  readonly numbersOf: (part: Part) => EncodingNumbers;
}

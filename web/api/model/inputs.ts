/** What the layers of models take. */
import type { Data } from '../types.js';

/** What `linear` takes. */
export interface LinearInputs<Output extends Data = Data> {
  /** `[rows, inputs]` */
  input: Data;
  /** `[outputs, inputs]`: a row per output, as PyTorch and checkpoints hold it. */
  weight: Data;
  /** `[outputs]`, added to every row. Default: none. */
  bias?: Data;
  /** Needed unless `weight` is a tensor of two dimensions. */
  shape?: LinearShape;
  /** Where the result goes; none of the inputs. Default: a new array. */
  out?: Output;
}

/** Sizes of one call of `linear`, integers of at least 1. */
export interface LinearShape {
  /** Default: as many as `input` holds. */
  rows?: number;
  /** Width of a row of `input`. */
  inputs: number;
  /** Width of a row of the result. */
  outputs: number;
}

/** Tensors of a checkpoint by name, whatever file they lie in. */

/** Number formats of safetensors. */
export type WeightType =
  | 'BOOL'
  | 'U8'
  | 'I8'
  | 'U16'
  | 'I16'
  | 'U32'
  | 'I32'
  | 'U64'
  | 'I64'
  | 'F8_E4M3'
  | 'F8_E5M2'
  | 'F8_E8M0'
  | 'F16'
  | 'BF16'
  | 'F32'
  | 'F64';

/** What a checkpoint says of a tensor. */
export interface WeightInfo {
  /** Format of its numbers. */
  readonly dtype: WeightType;
  /** Lengths of its dimensions; none for a single number. */
  readonly shape: readonly number[];
}

/** A checkpoint whose tensors are read one by one. */
export interface Weights {
  /** All tensors by name, in the order of the files and of their places inside. */
  readonly tensors: ReadonlyMap<string, WeightInfo>;
  /** What the files say beside (`__metadata__`). */
  readonly metadata: Readonly<Record<string, string>>;
  /**
   * The numbers of a tensor as float32: F32 as they are, F16 and BF16 widened exactly; other formats are
   * refused. A new array every time.
   */
  read(name: string): Promise<Float32Array>;
  /** Closes the files. */
  close(): Promise<void>;
}

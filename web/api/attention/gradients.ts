/** What `attentionBackward` takes and returns. */
import type { EncodingName } from '../encodings.js';
import type { AttentionInputs, Data, TrainedOption } from '../types.js';

/** What `attentionBackward` gives gradients by: see {@link AttentionGradients}. */
export type GradientName = keyof AttentionGradients;

/** Those that it gives unless `return` names others. */
export type UsualGradient = 'query' | 'key' | 'value' | 'encodings';

/** What `attentionBackward` takes: what `attention` took, and the gradient by its output. */
export interface AttentionBackwardInputs<
  Wanted extends GradientName = GradientName,
  Output extends Data = Data,
> extends Omit<AttentionInputs, 'return' | 'out'> {
  /** Gradient of the loss by the output, `[batch, heads, queries, valueDim]`. */
  gradient: Data;
  /**
   * What `attention` returned for the same inputs. With `statistics` it saves computing attention once
   * more; one without the other is refused.
   */
  output?: Data;
  /** What `attention` returned under `statistics`, `[batch, heads, queries, 3]`. */
  statistics?: Data;
  /** Gradients to return. Default: `query`, `key`, `value`, `encodings`. */
  return?: readonly Wanted[];
  /**
   * Where gradients go, each overwritten; those of encodings by the encoding's name and the option's.
   * Default: new arrays.
   */
  out?: GradientPlaces<Output>;
}

/**
 * Gradients of a loss by what attention was made of, each in the shape of that; only those that
 * `return` names. What is hidden has gradient 0, and so has a row that sees nothing.
 */
export interface AttentionGradients<Output extends Data = Float32Array> {
  /** `[batch, heads, queries, headDim]` */
  query: Output | Float32Array;
  /** `[batch, kvHeads, keys, headDim]`: query heads that share a key head add up. */
  key: Output | Float32Array;
  /** `[batch, kvHeads, keys, valueDim]` */
  value: Output | Float32Array;
  /** By the trained options that were given, by name of the encoding: `encodings.t5.table`. */
  encodings: EncodingGradients<Output>;
  /** By the numbers that `mask` adds, in its own shape: what pairs share adds up. */
  mask: Output | Float32Array;
  /** `[heads]` */
  sinkLogits: Output | Float32Array;
  /** `[heads]` */
  headScales: Output | Float32Array;
  /** As `queryScales` was given: `[queries]` or `[batch, queries]`. */
  queryScales: Output | Float32Array;
  /** By `scale`, or by what stands for it when it is not given. */
  scale: number;
}

/** Gradients by the trained options of encodings. */
export type EncodingGradients<Output extends Data = Float32Array> = {
  readonly [Name in EncodingName]?: {
    readonly [Option in TrainedOption<Name>]?: Output | Float32Array;
  };
};

/** Arrays or tensors for gradients. */
export type GradientPlaces<Output extends Data = Data> = {
  readonly [Name in Exclude<GradientName, 'scale' | 'encodings'>]?: Output;
} & {
  readonly encodings?: {
    readonly [Name in EncodingName]?: { readonly [Option in TrainedOption<Name>]?: Output };
  };
};

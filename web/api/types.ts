/**
 * The public types of posenc, written by hand. Shapes are in C order; positions are integers.
 * `tests/api/registry.test.ts` compares the options of encodings with the registry inside the module.
 *
 * Whatever is wrong with an argument throws a `PosencError` that names the argument, what was given
 * and what is allowed; the module stays usable.
 */
/// <reference lib="esnext.disposable" preserve="true" />
import type { EncodingInput, EncodingName, FilledOptions } from './encodings.js';
import type {
  AttentionBackwardInputs,
  AttentionGradients,
  GradientName,
  UsualGradient,
} from './attention/gradients.js';
import type { AttentionInputs, AttentionResult } from './attention/inputs.js';
import type { LinearInputs } from './model/inputs.js';
import type { CreateModelOptions, LanguageModel, LoadModelOptions } from './model/types.js';
import type { Trainer, TrainerOptions } from './train/types.js';
import type { Interop } from './interop/types.js';
import type { KvCache, KvCacheOptions } from './cache/types.js';
export type * from './encodings.js';
export type * from './attention/gradients.js';
export type * from './attention/inputs.js';
export type * from './attention/masks.js';
export type * from './model/inputs.js';
export type * from './model/types.js';
export type * from './train/types.js';
export type * from './interop/types.js';
export type * from './cache/types.js';

/**
 * Which WebAssembly build runs: `relaxed` has fused multiply-add, `simd` gives the same bits
 * everywhere, `lite` is `simd` with the encodings `nope`, `sinusoidal`, `rope` and `alibi` only, at
 * half the size: without caches, gradients of attention and `linear`.
 */
export type Variant = 'simd' | 'relaxed' | 'lite';

/** A place where position enters a transformer. */
export type Hook = 'embed' | 'rotate' | 'content' | 'bias' | 'scale' | 'mask';

/** A text in both languages of the project. */
export interface Text {
  /** Chinese. */
  readonly zh: string;
  /** English. */
  readonly en: string;
}

/** Options of {@link load}. At most one of `wasmUrl`, `wasmBinary` and `wasmModule`. */
export interface LoadOptions {
  /** `auto` (default) takes `relaxed` where the engine validates it, else `simd`. */
  variant?: 'auto' | Variant;
  /** Fetches the module from here instead of taking the bytes inside the package. Not `file:`. */
  wasmUrl?: string | URL;
  /** The module's bytes: `kernels-simd.wasm` or `kernels-relaxed.wasm` of this version. */
  wasmBinary?: ArrayBufferLike | ArrayBufferView;
  /** The same compiled, for engines that forbid compiling at run time. */
  wasmModule?: WebAssembly.Module;
  /** Stops waiting, with a `PosencError` of code `aborted`. */
  signal?: AbortSignal;
}

/** One parameter of an encoding, as the registry describes it. */
export interface ParameterDescription {
  /** camelCase, as in the options of `encoding()`. */
  readonly name: string;
  /** `doubles` is a list of float64 numbers, `tensor` trained float32 numbers. */
  readonly kind: 'integer' | 'real' | 'choice' | 'flag' | 'doubles' | 'tensor';
  /** Default; `null` when the parameter is required, derived from another one, or may be missing. */
  readonly initial: number | string | boolean | null;
  /** Whether `encoding()` refuses options without it. */
  readonly required: boolean;
  /** Inclusive range of numbers; of each one in a list. A `tensor` has none. */
  readonly low?: number;
  /** See `low`. */
  readonly high?: number;
  /** Allowed names of a `choice`. */
  readonly choices?: readonly string[];
  /** What it does, for people. */
  readonly meaning: Text;
}

/** What the registry says of an encoding, for sliders and tables. */
export interface EncodingDescription {
  /** What `encoding()` takes. */
  readonly name: EncodingName;
  /** For people. */
  readonly title: Text;
  /** Year of the paper. */
  readonly year: number;
  /** Authors and title of the source. */
  readonly paper: string;
  /** Address of the source. */
  readonly url: string;
  /** Models and families that use it; empty where none is widely known. */
  readonly users: readonly string[];
  /** Where it acts; none for `nope`. */
  readonly hooks: readonly Hook[];
  /** Its options, in the order of the registry. */
  readonly parameters: readonly ParameterDescription[];
}

/**
 * Positions of tokens: the first one (`5` means 5, 6, 7 …), one per token, or one per (batch, token).
 * Integers with |position| ≤ 2^30.
 *
 * With `axes: n` a position has n coordinates, and a list holds them token by token: `[tokens, axes]`
 * or `[batch, tokens, axes]`. A first position then counts up on every axis at once, as text does in
 * a model of images. Causality and windows read the first coordinate.
 */
export type Positions = number | readonly number[] | Int32Array;

/** What every call with positions takes. */
export interface PositionOptions {
  /**
   * Coordinates per position, from what the encoding reads to 64. Default: what the encoding reads
   * (its option `axes`, else 1); the most of several encodings.
   */
  axes?: number;
}

/** float32 data in JavaScript, or resident in the module. */
export type Data = Float32Array | Tensor;

/** float32 numbers that live inside the module's memory, for hot loops. `using` disposes it. */
export interface Tensor extends Disposable {
  /** Lengths of the dimensions, which may be 0; their product is `size`. */
  readonly shape: readonly number[];
  /** How many numbers. */
  readonly size: number;
  /** Whether `dispose()` was called; reading and writing then throw. */
  readonly disposed: boolean;
  /** A copy of the numbers (in `out` when given). */
  read(out?: Float32Array): Float32Array;
  /** Overwrites all numbers. */
  write(data: Float32Array): void;
  /** Frees the memory; calling it again does nothing. */
  dispose(): void;
}

/** Options of `encoding.embed`. */
export interface EmbedOptions<Output extends Data = Float32Array> extends PositionOptions {
  /** Number of rows; needed when `positions` is a first position. */
  tokens?: number;
  /** Where the rows go. Default: a new array. */
  out?: Output;
}

/** Options of `encoding.table`. */
export interface TableOptions<Output extends Data = Float32Array> extends PositionOptions {
  /** Number of rows; needed when `positions` is a first position. */
  tokens?: number;
  /** Default `query`. */
  side?: Side;
  /** Where the numbers go. Default: new arrays. */
  out?: CosSin<Output>;
}

/** Cosines and sines of pairs, each `[tokens, rotaryDim/2]`. */
export interface CosSin<Output extends Data = Float32Array> {
  /** Cosine of each pair's angle, times the attention factor. */
  readonly cos: Output;
  /** Its sine, times the same. */
  readonly sin: Output;
}

/** Whose vectors are turned: some encodings (xPos) treat queries and keys differently. */
export type Side = 'query' | 'key';

/** Options of `encoding.rotate`. */
export interface RotateOptions<Output extends Data = Float32Array> extends PositionOptions {
  /**
   * `[batch, heads, tokens, headDim]`; leading dimensions of 1 may be left out. Default: the shape of
   * `x` when it is a tensor; arrays need it.
   */
  shape?: readonly number[];
  /** Default 0 (the first token stands at position 0). */
  positions?: Positions;
  /** Default `query`. */
  side?: Side;
  /** Turns back. Default false. */
  inverse?: boolean;
  /** Where the result goes; may be `x` itself, unless the encoding widens vectors. Default: a new array. */
  out?: Output;
}

/** Options of `encoding.bias`: positions as in attention. */
export interface BiasOptions extends PositionOptions {
  /** Default: the queries are the last of the keys. */
  queryPositions?: Positions;
  /** Default 0. */
  keyPositions?: Positions;
  /** Number of rows; needed unless `queryPositions` lists them. */
  queries?: number;
  /** Number of columns. Default: as many as `keyPositions` lists, else `queries`. */
  keys?: number;
}

export interface ScaleOptions extends PositionOptions {
  /** Number of columns; needed when `positions` is a first position. */
  tokens?: number;
  /** Number of rows. Default: the encoding's `heads`, else 1. */
  heads?: number;
}

/** Names of an encoding's trained options. */
export type TrainedOption<Name extends EncodingName> = {
  [Option in keyof EncodingInput<Name>]-?: Data extends NonNullable<EncodingInput<Name>[Option]>
    ? Option
    : never;
}[keyof EncodingInput<Name>];

/**
 * Gradients of a loss by the trained options of an encoding: for each that was given, as many numbers
 * in the same order.
 */
export type TrainedGradients<Name extends EncodingName> = {
  readonly [Option in TrainedOption<Name>]?: Float32Array;
};

/** Gradients of a loss by what was turned, and by the trained options of the encoding that did so. */
export type RotateGradients<
  Name extends EncodingName,
  Output extends Data = Float32Array,
> = TrainedGradients<Name> & {
  /** In the shape of what was turned: `out` itself when it was given, else a new array. */
  readonly x: Output;
};

/**
 * A configured encoding: a value that fills some hooks. Immutable; owns no memory of the module, and
 * acts inside `attention` of every loaded module. A method whose hook it does not fill throws
 * `PosencError` of code `unsupported`.
 */
export interface Encoding<Name extends EncodingName = EncodingName> {
  /** As in the registry. */
  readonly name: Name;
  /**
   * All options, defaults filled in. Lists of numbers are frozen copies. Trained numbers are what was
   * given, a Float32Array or a tensor, and are read at every call.
   */
  readonly options: FilledOptions<EncodingInput<Name>>;
  /** Where it acts. */
  readonly hooks: readonly Hook[];
  /** float64 radians per position, one per pair (`rotate` and sinusoidal encodings; empty otherwise). */
  readonly inverseFrequencies: Float64Array;
  /** What cos and sin are multiplied by (1 without context extension). */
  readonly attentionFactor: number;
  /** What the default scale of attention is multiplied by (DeepSeek's mscale², else 1). */
  readonly softmaxFactor: number;
  /** Hook `embed`: one row per position, `[tokens, width]`. */
  embed<Output extends Data = Float32Array>(
    positions: Positions,
    options?: EmbedOptions<Output>,
  ): NoInfer<Output>;
  /**
   * Hook `rotate`: turns the pairs of every token by its position. The result has the shape of `x`,
   * unless the encoding widens vectors.
   */
  rotate<Output extends Data = Float32Array>(
    x: Data,
    options?: RotateOptions<Output>,
  ): NoInfer<Output>;
  /** Hook `rotate`: cos and sin, each `[tokens, rotaryDim/2]`. */
  table<Output extends Data = Float32Array>(
    positions: Positions,
    options?: TableOptions<Output>,
  ): CosSin<NoInfer<Output>>;
  /** Hook `bias`: `[heads, queries, keys]`. */
  bias(options: BiasOptions): Float32Array;
  /** Hook `scale`: what queries are multiplied by, `[heads, tokens]`. */
  scale(positions: Positions, options?: ScaleOptions): Float32Array;
  /** Gradients by the trained options, from the `gradient` by the rows of `embed`, `[tokens, width]`. */
  embedGradient(
    gradient: Data,
    positions: Positions,
    options?: Omit<EmbedOptions, 'out'>,
  ): TrainedGradients<Name>;
  /**
   * The same from the `gradient` by the result of `rotate` of `x`, shaped like that result; and the
   * gradient by `x`.
   */
  rotateGradient<Output extends Data = Float32Array>(
    gradient: Data,
    x: Data,
    options?: Omit<RotateOptions<Output>, 'inverse'>,
  ): RotateGradients<Name, NoInfer<Output>>;
  /** The same from the `gradient` by `bias`, `[heads, queries, keys]`. */
  biasGradient(gradient: Data, options: BiasOptions): TrainedGradients<Name>;
  /** The same from the `gradient` by `scale`, `[heads, tokens]`. */
  scaleGradient(
    gradient: Data,
    positions: Positions,
    options?: ScaleOptions,
  ): TrainedGradients<Name>;
}

/**
 * A seeded stream of numbers, the same in the native build, in Node and in every browser. Each call
 * goes on where the last one stopped.
 */
export interface Random {
  /** Uniform in [0, 1). */
  uniform(count: number): Float32Array;
  /** Normal, mean 0, standard deviation 1 (to 0.1 %), magnitude below 5.6. */
  normal(count: number): Float32Array;
}

/** A loaded module. Its functions need no `this`. */
export interface Posenc extends Interop {
  /** About the module, and what it holds at the moment. */
  readonly info: {
    readonly version: string;
    readonly variant: Variant;
    /** How many threads work on a call of attention: 1, unless `posenc/threads` loaded the module. */
    readonly threads: number;
    /** Size of the module's memory now; it grows and never shrinks. */
    readonly memoryBytes: number;
    /** Tensors not yet disposed. */
    readonly liveTensors: number;
    /** Caches not yet disposed. */
    readonly liveCaches: number;
    /** Models not yet disposed. */
    readonly liveModels: number;
  };
  /** What the registry says of each encoding. */
  readonly encodings: readonly EncodingDescription[];
  /** Configures an encoding. Throws `PosencError` that names the option, the value and what is allowed. */
  readonly encoding: <Name extends EncodingName>(
    name: Name,
    ...options: Record<never, never> extends EncodingInput<Name>
      ? [options?: EncodingInput<Name>]
      : [options: EncodingInput<Name>]
  ) => Encoding<Name>;
  /** Exact attention, softmax(softcap(scale·(q·k)) + bias + mask)·v, tiled over the keys. */
  readonly attention: <Output extends Data = Float32Array>(
    inputs: AttentionInputs<Output>,
  ) => AttentionResult<NoInfer<Output>>;
  /**
   * A linear layer: input·weightᵀ + bias, `[rows, outputs]`, the product that models are mostly made
   * of. Up to four rows read the weights as fast as the memory gives them.
   */
  readonly linear: <Output extends Data = Float32Array>(
    inputs: LinearInputs<Output>,
  ) => NoInfer<Output>;
  /**
   * Gradients of a loss by all that `attention` is made of, from the `gradient` by its output. Tiled
   * like `attention`: no `[queries, keys]` array is made. The same bits on every call. Not in the
   * build `lite`.
   */
  readonly attentionBackward: <
    Wanted extends GradientName = UsualGradient,
    Output extends Data = Float32Array,
  >(
    inputs: AttentionBackwardInputs<Wanted, Output>,
  ) => Pick<AttentionGradients<NoInfer<Output>>, Wanted>;
  /** Room for keys and values, for decoding. Whoever makes a cache disposes it. */
  readonly kvCache: (options: KvCacheOptions) => KvCache;
  /**
   * Makes a language model of a checkpoint: config.json and safetensors of Hugging Face, or a file of
   * llama2.c. Whoever loads a model disposes it. Not in the build `lite`.
   */
  readonly loadModel: (options: LoadModelOptions) => Promise<LanguageModel>;
  /**
   * Makes a language model of random weights, to be trained: a config.json gives its family and sizes.
   * Whoever makes a model disposes it. Not in the build `lite`.
   */
  readonly createModel: (options: CreateModelOptions) => Promise<LanguageModel>;
  /** Trains a model that was loaded or made. Whoever makes a trainer disposes it. Not in the build `lite`. */
  readonly trainer: (options: TrainerOptions) => Trainer;
  /** Copies numbers into the module's memory. Whoever makes a tensor disposes it. */
  readonly tensor: (data: Float32Array, shape: readonly number[]) => Tensor;
  /** A resident tensor of zeros. */
  readonly zeros: (shape: readonly number[]) => Tensor;
  /** A seeded random stream; `seed` is an integer 0 … 2^53 − 1. */
  readonly random: (seed: number) => Random;
}

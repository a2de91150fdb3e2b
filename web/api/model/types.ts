/** What `pe.loadModel` takes and returns. */
import type { Note } from '../inspect/plan.js';
import type { ScalingOptions } from '../scaling/types.js';
import type { Encoding } from '../types.js';
import type { ByteInput } from './bytes/types.js';
import type { SampleOptions } from './sample.js';
import type { ModelSpec } from './spec.js';
import type { EncodeTextOptions, Tokenizer } from './tokenizers/types.js';
import type { Weights } from './weights/types.js';

/** Options of `pe.loadModel`. */
export interface LoadModelOptions {
  /** config.json, as an object or its text. Not given with a file of llama2.c, which holds its own. */
  config?: unknown;
  /**
   * One safetensors file or all of a split model, or what `readSafetensors` gave; without `config`, a
   * `.bin` of llama2.c.
   */
  weights: ByteInput | readonly ByteInput[] | Weights;
  /** For prompts and results that are text. Without it they are ids. */
  tokenizer?: Tokenizer;
  /**
   * How matrices are held: `f32`, or rounded to `f16` (half the memory) or `int8` (a quarter, each row
   * with a scale). Default `f32`.
   */
  dtype?: 'f32' | 'f16' | 'int8';
  /** Stops the load. */
  signal?: AbortSignal;
  /** Called after each tensor with the numbers read so far, and all that there are. */
  onProgress?: (progress: { readonly loaded: number; readonly total: number }) => void;
}

/** Options of `pe.createModel`. */
export interface CreateModelOptions {
  /** A config.json, as an object or its text, with all sizes: that of a family which `loadModel` takes. */
  config: unknown;
  /** Of the random weights, an integer 0 … 2^53 − 1: the same everywhere. Default 0. */
  seed?: number;
  /** For prompts and results that are text. */
  tokenizer?: Tokenizer;
}

/** Options of `export`. */
export interface ExportOptions {
  /** `f16` rounds to the nearest float16. Default `f32`. */
  dtype?: 'f32' | 'f16';
}

/** A checkpoint as Hugging Face's libraries read it. */
export interface ExportedModel {
  /** For `config.json`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** For `model.safetensors`. */
  readonly weights: Uint8Array<ArrayBuffer>;
}

/** What may be swapped while the weights stay: how positions act, and what stays in sight. */
export interface ContextOptions {
  /** Tokens that there is room for. Default: what the call needs. */
  capacity?: number;
  /** A rule that stretches the context, instead of the model's own, in every layer that has RoPE. */
  scaling?: ScalingOptions;
  /** The encodings of a layer, instead of the model's own; `undefined` keeps these. */
  encoding?: (layer: number) => Encoding | readonly Encoding[] | undefined;
  /** An encoding whose rows are added to the input by position: sinusoidal or learned. */
  embedding?: Encoding;
  /** Keys in sight of a query in every layer, instead of the model's own windows. */
  window?: number;
  /** Keys at positions below it stay in sight of the window. Default 0. */
  sinks?: number;
  /** `slots`: positions count inside the cache (StreamingLLM). Default `absolute`. */
  positions?: 'absolute' | 'slots';
}

/** Text, or its ids. Text needs a tokenizer. */
export type Prompt = string | readonly number[] | Int32Array;

/** Options of `generate`. */
export interface GenerateOptions extends SampleOptions, ContextOptions {
  /** Most new tokens. Default 256. */
  maxTokens?: number;
  /** Ends at once where one of these texts appears; it and what follows is not given. */
  stop?: string | readonly string[];
  /** Ids that end a text. Default: the tokenizer's and those of the config. */
  stopIds?: readonly number[];
  /** Ends with its reason. */
  signal?: AbortSignal;
  /** Of an encoder–decoder: the decoder's first ids. Default: the config's `decoder_start_token_id`, or 0. */
  decoderStart?: readonly number[];
}

/** One new token. */
export interface GeneratedToken {
  /** Which prompt it goes on, where several were given; else 0. */
  readonly sequence: number;
  /** What was chosen. */
  readonly id: number;
  /**
   * Text that became certain by it, never part of a character or of a stop text; empty without a
   * tokenizer.
   */
  readonly text: string;
  /** What ended the sequence: an id, a text, or the number of tokens; `null` = it goes on. */
  readonly end: 'id' | 'text' | 'length' | null;
}

/** Options of `logits`. */
export interface LogitsOptions extends ContextOptions {
  /** Of an encoder–decoder: what the encoder reads. */
  encoder?: Prompt;
  /** Tokens of one pass. Default 128. */
  chunk?: number;
}

/** How well a model foresees a text. */
export interface Perplexity {
  /** −ln p of every token but the first, in their order. */
  readonly losses: Float32Array;
  /** e^(mean of the losses). */
  readonly perplexity: number;
}

/** Numbers of every layer that `trace` gives; names are those of {@link LayerTrace}. */
export type Traced = keyof LayerTrace;

/** What happens inside one layer, for T tokens. Shapes are `[heads, T, …]` or `[T, width]`. */
export interface LayerTrace {
  /** `[T, width]`: the residual stream on the way in. */
  readonly input: Float32Array;
  /** `[T, width]`: what attention reads. */
  readonly normed: Float32Array;
  /** `[heads, T, headDim]`, before the rotation. */
  readonly query: Float32Array;
  /** `[kvHeads, T, headDim]`, before the rotation. */
  readonly key: Float32Array;
  /** `[kvHeads, T, headDim]` */
  readonly value: Float32Array;
  /** `query` as the encoding turned it; like `query` where none turns. */
  readonly turnedQuery: Float32Array;
  /** The same of `key`. */
  readonly turnedKey: Float32Array;
  /** `[heads, T, T]`: scale · (q·k + content). */
  readonly scores: Float32Array;
  /** `[heads, T, T]`: after softcap and bias. */
  readonly biased: Float32Array;
  /** `[heads, T, T]`: after the mask; −∞ where hidden. */
  readonly logits: Float32Array;
  /** `[heads, T, T]`: after the softmax. */
  readonly weights: Float32Array;
  /** `[heads, T, headDim]`: what the heads found. */
  readonly heads: Float32Array;
  /** `[T, width]`: what attention adds to the stream. */
  readonly attention: Float32Array;
  /** `[T, width]`: what the MLP adds. */
  readonly mlp: Float32Array;
}

/** Options of `trace`. */
export interface TraceOptions<Name extends Traced = Traced> extends ContextOptions {
  /** What is wanted. Default: everything. */
  return?: readonly Name[];
}

/** What `trace` gives. */
export interface Trace<Name extends Traced = Traced> {
  /** Ids of the prompt, T of them. */
  readonly ids: Int32Array;
  /** What was asked for, of each layer. */
  readonly layers: readonly Pick<LayerTrace, Name>[];
  /** `[T, vocabulary]` */
  readonly logits: Float32Array;
}

/** A model in the module's memory. Whoever loads it disposes it. */
export interface LanguageModel {
  /** `model_type` of the config. */
  readonly modelType: string;
  /** What the engine makes of the config. */
  readonly spec: ModelSpec;
  /** As it was given to `loadModel`. */
  readonly tokenizer: Tokenizer | undefined;
  /** Longest sequence it was trained with; `null` = the config does not tell. */
  readonly trainedLength: number | null;
  /** What `inspect` found doubtful. */
  readonly warnings: readonly Note[];
  /** Bytes of the weights. */
  readonly bytes: number;
  /** Whether it was disposed; then nothing else works. */
  readonly disposed: boolean;
  /** Ids of a text, as prompts become them. */
  encode(text: string, options?: EncodeTextOptions): Int32Array;
  /**
   * Goes on from a prompt, or from several at once, token by token. Prompts of different lengths are
   * padded on the left, which changes nothing. Between tokens the page stays alive.
   */
  generate(
    prompt: Prompt | readonly Prompt[],
    options?: GenerateOptions,
  ): AsyncGenerator<GeneratedToken, void, undefined>;
  /** `[tokens, vocabulary]`: what each token of a prompt foresees (of an encoder: what it stands for). */
  logits(prompt: Prompt, options?: LogitsOptions): Float32Array;
  /** `[tokens, width]`: the last layer's output, normalised. */
  hidden(prompt: Prompt, options?: LogitsOptions): Float32Array;
  /** How well the model foresees each token of a text from those before it. */
  perplexity(text: Prompt, options?: LogitsOptions): Perplexity;
  /** A copy of a weight by its name in the engine, such as `decoder.0.mlp.up.weight`; held as `f32`. */
  tensor(name: string): Float32Array;
  /**
   * The weights as they are now, under the names and in the shapes that the family's checkpoints have,
   * with the config: what transformers, vLLM and `loadModel` read. A model held as `f32`.
   */
  export(options?: ExportOptions): ExportedModel;
  /** What happens inside, layer by layer. */
  trace<Name extends Traced = Traced>(prompt: Prompt, options?: TraceOptions<Name>): Trace<Name>;
  /** Frees the weights. */
  dispose(): void;
  /** The same, for `using`. */
  [Symbol.dispose](): void;
}

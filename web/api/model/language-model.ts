import { checkOptions, integer, wrong } from '../check.js';
import type { Note } from '../inspect/plan.js';
import { Context } from './context.js';
import { contextKeys, contextOptions } from './context-options.js';
import { encodeAll, type Encoded } from './encode.js';
import { exportModel } from './export.js';
import { generate } from './generate.js';
import type { LoadedModel } from './loaded.js';
import { perplexityOf } from './perplexity.js';
import type { ModelPlan } from './plan.js';
import { idsOf } from './prompt.js';
import type { ModelSpec } from './spec.js';
import type { EncodeTextOptions, Tokenizer } from './tokenizers/types.js';
import { trace } from './trace.js';
import type {
  ExportedModel,
  ExportOptions,
  GeneratedToken,
  GenerateOptions,
  LanguageModel,
  LogitsOptions,
  Perplexity,
  Prompt,
  Trace,
  Traced,
  TraceOptions,
} from './types.js';

const logitsKeys = [...contextKeys, 'encoder', 'chunk'];
const usualChunk = 128;

/** A loaded checkpoint; see {@link LanguageModel}. */
export class CheckpointModel implements LanguageModel {
  readonly modelType: string;
  readonly spec: ModelSpec;
  readonly tokenizer: Tokenizer | undefined;
  readonly trainedLength: number | null;
  readonly warnings: readonly Note[];
  readonly #model: LoadedModel;
  readonly #ends: readonly number[];
  readonly #decoderStart: number;

  constructor(
    model: LoadedModel,
    { modelType, trainedLength, warnings, special }: ModelPlan,
    tokenizer: Tokenizer | undefined,
  ) {
    this.modelType = modelType;
    this.spec = model.spec;
    this.tokenizer = tokenizer;
    this.trainedLength = trainedLength;
    this.warnings = warnings;
    this.#model = model;
    const { eos = null } = tokenizer ?? {};
    this.#ends = eos === null ? special.eos : [...new Set([eos, ...special.eos])];
    this.#decoderStart = special.decoderStart;
    Object.freeze(this);
  }

  /** What is inside a model of this package; throws for any other value. */
  static inside(value: unknown, argument: string): LoadedModel {
    if (typeof value === 'object' && value !== null && #model in value) return value.#model;
    throw wrong('argument', argument, value, 'what loadModel() of a loaded module returns');
  }

  get bytes(): number {
    return this.#model.transformer.bytes;
  }

  get disposed(): boolean {
    return this.#model.transformer.disposed;
  }

  encode(text: string, options?: EncodeTextOptions): Int32Array {
    if (this.tokenizer !== undefined) return this.tokenizer.encode(text, options);
    throw wrong('argument', 'tokenizer', undefined, 'a tokenizer when the model is loaded');
  }

  generate(
    prompt: Prompt | readonly Prompt[],
    options?: GenerateOptions,
  ): AsyncGenerator<GeneratedToken, void, undefined> {
    const { decoder } = this.spec;
    if (decoder === undefined) throw wrong('unsupported', 'the model', this.modelType, 'a decoder');
    // A list of numbers is one prompt, a list of anything else several.
    const several = Array.isArray(prompt) && typeof prompt[0] !== 'number';
    const prompts = several ? (prompt as readonly Prompt[]) : [prompt as Prompt];
    if (prompts.length === 0) throw wrong('shape', 'prompt', prompt, 'at least one prompt');
    const ids = prompts.map((each, i) => this.#ids(each, several ? `prompt[${i}]` : 'prompt'));
    const source = {
      model: this.#model,
      tokenizer: this.tokenizer,
      ends: this.#ends,
      decoderStart: this.#decoderStart,
    };
    return generate(source, ids, options);
  }

  logits(prompt: Prompt, options?: LogitsOptions): Float32Array {
    if (this.spec.hiddenOnly) {
      throw wrong('unsupported', 'logits', this.modelType, 'a checkpoint with a head, or hidden()');
    }
    return this.#results(prompt, 'logits', this.spec.vocabulary, options);
  }

  hidden(prompt: Prompt, options?: LogitsOptions): Float32Array {
    return this.#results(prompt, 'hidden', this.spec.width, options);
  }

  perplexity(text: Prompt, options?: LogitsOptions): Perplexity {
    if (this.spec.decoder === undefined) {
      throw wrong('unsupported', 'the model', this.modelType, 'a decoder, which foresees tokens');
    }
    const ids = this.#ids(text, 'text');
    if (ids.length < 2) throw wrong('shape', 'text', ids, 'at least two tokens');
    const losses = new Float32Array(ids.length - 1);
    this.#inChunks(ids, 'logits', options, (logits, first) =>
      perplexityOf(logits, this.spec.vocabulary, ids, first, losses),
    );
    const mean = losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
    return { losses, perplexity: Math.exp(mean) };
  }

  tensor(name: string): Float32Array {
    return this.#model.transformer.read(name);
  }

  export(options?: ExportOptions): ExportedModel {
    return exportModel(this.#model, options);
  }

  trace<Name extends Traced = Traced>(prompt: Prompt, options?: TraceOptions<Name>): Trace<Name> {
    return trace(this.#model, this.#ids(prompt, 'prompt'), options);
  }

  dispose(): void {
    this.#model.transformer.free();
  }

  /** What `using` calls. In engines without it this is a method of no consequence called `undefined`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  #ids(prompt: Prompt, argument: string): Int32Array {
    return idsOf(prompt, this.tokenizer, this.spec.vocabulary, argument);
  }

  #results(
    prompt: Prompt,
    results: 'hidden' | 'logits',
    width: number,
    options?: LogitsOptions,
  ): Float32Array {
    const ids = this.#ids(prompt, 'prompt');
    const out = new Float32Array(ids.length * width);
    this.#inChunks(ids, results, options, (rows, first) => out.set(rows, first * width));
    return out;
  }

  /** Passes ids through in pieces; `receive` gets the results of each, and the number of its first token. */
  #inChunks(
    ids: Int32Array,
    results: 'hidden' | 'logits',
    options: LogitsOptions | undefined,
    receive: (rows: Float32Array, first: number) => void,
  ): void {
    const given = checkOptions(options, logitsKeys, results) as LogitsOptions;
    const part = this.spec.decoder === undefined ? 'encoder' : 'decoder';
    // An encoder's tokens see each other, so that they cannot come in pieces.
    const chunk =
      part === 'encoder' ? ids.length : integer(given.chunk ?? usualChunk, 'chunk', 1, 1 << 20);
    const encoded = this.#encoded(given.encoder);
    const size = { batch: 1, tokens: ids.length };
    const context = new Context(this.#model, part, size, contextOptions(given));
    try {
      for (let first = 0; first < ids.length; first += chunk) {
        const piece = ids.subarray(first, first + chunk);
        const wanted = Array.from(piece.keys());
        const cross = encoded === undefined ? {} : { cross: encoded };
        const step = { ids: piece, tokens: piece.length, wanted, results, ...cross };
        receive(context.step(step)[results], first);
      }
    } finally {
      context.dispose();
      encoded?.free();
    }
  }

  #encoded(prompt: Prompt | undefined): Encoded | undefined {
    const both = this.spec.encoder !== undefined && this.spec.decoder !== undefined;
    if (!both) {
      if (prompt === undefined) return undefined;
      throw wrong('argument', 'encoder', prompt, 'nothing, since the model has one stack');
    }
    if (prompt === undefined) {
      throw wrong('argument', 'encoder', prompt, 'what the encoder reads');
    }
    return encodeAll(this.#model, [this.#ids(prompt, 'encoder')]);
  }
}

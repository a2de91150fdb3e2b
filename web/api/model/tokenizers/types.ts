/** Text as token ids and back, whatever tokenizer a model was trained with. */

/** What `encode` takes. */
export interface EncodeTextOptions {
  /** Whether to add what the model's texts begin (and end) with, such as BOS. Default true. */
  addSpecial?: boolean;
}

/** Turns ids that come one by one into text, never part of a character. */
export interface TokenStream {
  /** The text that is certain after one more id; empty while a character is incomplete. */
  push(id: number): string;
  /** What is left; an incomplete character becomes U+FFFD. The stream can then begin anew. */
  end(): string;
}

/** Text to ids and back. */
export interface Tokenizer {
  /** How many ids there are: 0 … vocabulary − 1. */
  readonly vocabulary: number;
  /** The id that texts begin with; `null` = none. */
  readonly bos: number | null;
  /** The id that ends a text; `null` = none. */
  readonly eos: number | null;
  /** Ids of a text. */
  encode(text: string, options?: EncodeTextOptions): Int32Array;
  /** Text of ids; special ones have none. */
  decode(ids: ArrayLike<number>): string;
  /** Decodes ids as they come: all that it gives, joined, is what `decode` gives. */
  stream(): TokenStream;
}

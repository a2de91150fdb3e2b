import { checkOptions, wrong } from '../../check.js';
import { PosencError } from '../../error.js';
import { checkId, checkIds } from '../ids.js';
import { checkEncode } from './check.js';
import type { TokenStream, Tokenizer } from './types.js';

/** The part of a `Tokenizer` of `@huggingface/tokenizers` that is used here. */
export interface HuggingFaceLike {
  /** Ids of a text. */
  encode(text: string, options?: { add_special_tokens?: boolean }): { ids: readonly number[] };
  /** Text of ids. */
  decode(ids: number[], options?: { skip_special_tokens?: boolean }): string;
  /** The id of a token. */
  token_to_id(token: string): number | undefined;
  /** Tokens and their ids. */
  get_vocab(withAddedTokens?: boolean): Map<string, number>;
}

/** Options of {@link huggingFaceTokenizer}. */
export interface HuggingFaceOptions {
  /** The token that texts begin with, as `bos_token` of tokenizer_config.json. Default: none. */
  bos?: string;
  /** The token that ends a text (`eos_token`). Default: none. */
  eos?: string;
}

/**
 * Takes a `Tokenizer` of `@huggingface/tokenizers` (or one with the same methods), which reads the
 * `tokenizer.json` of a model; this package does not import it.
 *
 * @throws PosencError `argument` for what is no tokenizer, `option` for a token that it does not have
 */
export function huggingFaceTokenizer(
  tokenizer: HuggingFaceLike,
  options?: HuggingFaceOptions,
): Tokenizer {
  const given = checkOptions(options, ['bos', 'eos'], 'huggingFaceTokenizer');
  const needed = ['encode', 'decode', 'token_to_id', 'get_vocab'] as const;
  const object = (tokenizer ?? {}) as Partial<HuggingFaceLike>;
  if (!needed.every((name) => typeof object[name] === 'function')) {
    const allowed = 'a Tokenizer of @huggingface/tokenizers';
    throw wrong('argument', 'tokenizer', tokenizer, allowed);
  }
  let vocabulary = 0;
  for (const id of tokenizer.get_vocab(true).values()) vocabulary = Math.max(vocabulary, id + 1);
  const idOf = (name: 'bos' | 'eos'): number | null => {
    const token = given[name];
    if (token === undefined) return null;
    const id = tokenizer.token_to_id(token);
    if (id === undefined) throw wrong('option', name, token, 'a token of the tokenizer');
    return id;
  };
  const decode = (ids: number[]): string => {
    // Some decoders take no empty list.
    return ids.length === 0 ? '' : tokenizer.decode(ids, { skip_special_tokens: true });
  };
  return {
    vocabulary,
    bos: idOf('bos'),
    eos: idOf('eos'),
    encode(text, encodeOptions) {
      const special = checkEncode(text, encodeOptions);
      const { ids } = tokenizer.encode(text, { add_special_tokens: special });
      if (!ids.every((id) => Number.isInteger(id) && id >= 0 && id < vocabulary)) {
        throw new PosencError('unsupported', 'tokenizer gave an id outside its vocabulary', {
          argument: 'tokenizer',
        });
      }
      return Int32Array.from(ids);
    },
    decode: (ids) => decode([...checkIds(ids, vocabulary)]),
    stream: () => textStream(decode, vocabulary),
  };
}

/** Longest wait for the end of a character: no valid one needs more than four bytes. */
const longestWait = 8;

/**
 * Text that grows with the ids: what a tokenizer makes of all of them, since blanks depend on the
 * neighbours, less an incomplete character at the end. Only ids since the last certain text are decoded
 * again, together with those of the text before it.
 */
function textStream(decode: (ids: number[]) => string, vocabulary: number): TokenStream {
  let context: number[] = [];
  let waiting: number[] = [];
  let all: number[] = [];
  let given = '';
  const reset = (): void => {
    context = [];
    waiting = [];
    all = [];
    given = '';
  };
  return {
    push(id) {
      all.push(checkId(id, vocabulary));
      waiting.push(id);
      const before = decode(context);
      const text = decode([...context, ...waiting]);
      const fresh = text.startsWith(before) ? text.slice(before.length) : '';
      const whole = !/[\uFFFD\uD800-\uDBFF]$/.test(fresh) || waiting.length >= longestWait;
      if (fresh === '' || !whole) return '';
      context = waiting;
      waiting = [];
      given += fresh;
      return fresh;
    },
    end() {
      const text = decode(all);
      const rest = text.startsWith(given) ? text.slice(given.length) : '';
      reset();
      return rest;
    },
  };
}

import { checkOptions, flag, unknownName, wrong } from '../../check.js';
import { PosencError, show } from '../../error.js';
import { isObject } from '../../inspect/fields.js';
import { checkId, checkIds } from '../ids.js';
import { checkEncode } from './check.js';
import type { Tokenizer } from './types.js';

/** Most characters of an alphabet. */
const most = 2 ** 20;

/** Options of {@link characterTokenizer}. */
export interface CharacterOptions {
  /**
   * Whether an id is what readers take for one character (a grapheme: é of two code points, a flag, a
   * family), by the engine's `Intl.Segmenter`; else a code point. Default false.
   */
  graphemes?: boolean;
  /** A character of the alphabet that stands for all outside it. Default: they are refused. */
  unknown?: string;
}

/** A character tokenizer as plain JSON. */
export interface CharacterTokenizerJson {
  readonly type: 'characters';
  /** As the option. */
  readonly graphemes: boolean;
  /** As the option; `null` = none. */
  readonly unknown: string | null;
  /** Characters by id. */
  readonly alphabet: readonly string[];
}

/** A tokenizer whose ids are characters. */
export interface CharacterTokenizer extends Tokenizer {
  /** Characters by id. */
  readonly alphabet: readonly string[];
  /** What {@link characterTokenizer} makes the same tokenizer of; `JSON.stringify` calls it. */
  toJSON(): CharacterTokenizerJson;
}

/**
 * A tokenizer with an id for each character: of those in a text, in the order of their code points; of an
 * alphabet, in the given order; or as `toJSON` of another wrote it.
 *
 * @throws PosencError `argument` or `option` for an alphabet that repeats itself or has no characters
 */
export function characterTokenizer(
  source: string | readonly string[] | CharacterTokenizerJson,
  options?: CharacterOptions,
): CharacterTokenizer {
  if (isObject(source)) return fromJson(source, options);
  const given = checkOptions(options, ['graphemes', 'unknown'], 'characterTokenizer');
  const graphemes = flag(given.graphemes, 'graphemes');
  const split = splitter(graphemes);
  const alphabet =
    typeof source === 'string'
      ? [...new Set(split(source))].sort(byCodePoints)
      : [...listOf(source)];
  if (alphabet.length === 0 || alphabet.length > most) {
    throw wrong('argument', 'source', source, `a text or an alphabet of 1 to ${most} characters`);
  }
  return make(alphabet, split, graphemes, given.unknown ?? null);
}

function listOf(source: unknown): readonly string[] {
  if (Array.isArray(source)) return source as string[];
  throw wrong('argument', 'source', source, 'a text, an alphabet or the JSON of a tokenizer');
}

function fromJson(source: object, options: CharacterOptions | undefined): CharacterTokenizer {
  const { type, graphemes, unknown, alphabet } = source as Partial<CharacterTokenizerJson>;
  if (type !== 'characters') throw unknownName('source.type', type, ['characters']);
  if (options !== undefined) {
    throw wrong('argument', 'options', options, 'nothing: the JSON has them');
  }
  const given = {
    graphemes: graphemes ?? false,
    ...(typeof unknown === 'string' ? { unknown } : {}),
  };
  return characterTokenizer(listOf(alphabet), given);
}

/** Splits a text into its characters. */
function splitter(graphemes: boolean): (text: string) => string[] {
  if (!graphemes) return (text) => [...text];
  const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
  return (text) => Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function byCodePoints(a: string, b: string): number {
  const [first, second] = [[...a], [...b]];
  for (let i = 0; i < Math.min(first.length, second.length); i++) {
    const difference = first[i]!.codePointAt(0)! - second[i]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return first.length - second.length;
}

function make(
  alphabet: readonly string[],
  split: (text: string) => string[],
  graphemes: boolean,
  unknown: string | null,
): CharacterTokenizer {
  const ids = new Map<string, number>();
  for (const [id, character] of alphabet.entries()) {
    if (typeof character !== 'string' || split(character).length !== 1) {
      const what = graphemes ? 'one character' : 'one code point';
      throw wrong('argument', `alphabet[${id}]`, character, what);
    }
    if (/\p{Surrogate}/u.test(character) || ids.has(character)) {
      throw wrong(
        'argument',
        `alphabet[${id}]`,
        character,
        'a whole character that is not there yet',
      );
    }
    ids.set(character, id);
  }
  const standIn = unknown === null ? undefined : ids.get(unknown);
  if (unknown !== null && standIn === undefined) {
    throw wrong('option', 'unknown', unknown, 'a character of the alphabet');
  }
  const frozen = Object.freeze([...alphabet]);
  const textOf = (id: number): string => frozen[id]!;
  return {
    alphabet: frozen,
    vocabulary: frozen.length,
    bos: null,
    eos: null,
    encode(text, options) {
      checkEncode(text, options);
      return Int32Array.from(split(text), (character, i) => {
        const id = ids.get(character) ?? standIn;
        if (id !== undefined) return id;
        const message = `text has ${show(character)} at character ${i}, which the alphabet lacks`;
        throw new PosencError('argument', message, { argument: 'text', received: show(character) });
      });
    },
    decode: (given) => Array.from(checkIds(given, frozen.length), textOf).join(''),
    stream: () => ({
      push: (id) => textOf(checkId(id, frozen.length)),
      end: () => '',
    }),
    toJSON: () => ({ type: 'characters', graphemes, unknown, alphabet: frozen }),
  };
}

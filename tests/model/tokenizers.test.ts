/** Characters, graphemes, and tokenizers of Hugging Face. */
import { Tokenizer as HuggingFace } from '@huggingface/tokenizers';
import { describe, expect, it } from 'vitest';
import { characterTokenizer } from '../../web/api/model/tokenizers/characters.js';
import { huggingFaceTokenizer } from '../../web/api/model/tokenizers/hugging-face.js';
import type { Tokenizer } from '../../web/api/model/tokenizers/types.js';
import { errorOf } from './bytes-of.js';

/** What a stream gives, piece by piece. */
function streamed(tokenizer: Tokenizer, ids: ArrayLike<number>): string[] {
  const stream = tokenizer.stream();
  return [...Array.from(ids, (id) => stream.push(id)), stream.end()];
}

describe('characterTokenizer', () => {
  it('numbers the characters of a text by code point', () => {
    const tokenizer = characterTokenizer('hello 你好 😀');
    expect(tokenizer.alphabet.join('')).toBe(' ehlo你好😀');
    expect(tokenizer).toMatchObject({ vocabulary: 8, bos: null, eos: null });
    const ids = tokenizer.encode('好 ole😀');
    expect(ids).toBeInstanceOf(Int32Array);
    expect([...ids]).toEqual([6, 0, 4, 3, 1, 7]);
    expect(tokenizer.decode(ids)).toBe('好 ole😀');
    expect(streamed(tokenizer, ids)).toEqual(['好', ' ', 'o', 'l', 'e', '😀', '']);
  });

  it('keeps graphemes whole', () => {
    const text = 'e\u0301👩‍👩‍👧🇨🇳a\r\n';
    const tokenizer = characterTokenizer(text, { graphemes: true });
    expect(tokenizer.vocabulary).toBe(5);
    expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
    expect(errorOf(() => tokenizer.encode('e')).message).toBe(
      'text has "e" at character 0, which the alphabet lacks',
    );
  });

  it('takes an alphabet in its order, and a stand-in for what it lacks', () => {
    const tokenizer = characterTokenizer(['b', '?', 'a'], { unknown: '?' });
    expect([...tokenizer.encode('abc')]).toEqual([2, 0, 1]);
    expect([...tokenizer.encode('')]).toEqual([]);
  });

  it('comes back from JSON', () => {
    for (const options of [{}, { graphemes: true }, { unknown: 'b' }]) {
      const tokenizer = characterTokenizer('abc', options);
      const json = JSON.parse(JSON.stringify(tokenizer)) as ReturnType<typeof tokenizer.toJSON>;
      expect(json).toEqual(tokenizer.toJSON());
      expect(characterTokenizer(json).toJSON()).toEqual(json);
    }
  });

  it.each([
    [[''], undefined, 'source is ""'],
    [[['a', 'a']], undefined, 'alphabet[1] is "a"'],
    [[['ab']], undefined, 'alphabet[0] is "ab", needs one code point'],
    [[['e\u0301']], undefined, 'needs one code point'],
    [['a\ud800'], undefined, 'alphabet[1] is'],
    [[['a', 7]], undefined, 'alphabet[1] is 7'],
    [[7], undefined, 'source is 7'],
    [['a', { unknown: 'b' }], undefined, 'unknown is "b"'],
    [['a', { grapheme: true }], undefined, 'did you mean graphemes?'],
    [[{ type: 'bpe' }], undefined, 'source.type is "bpe"'],
  ])('refuses %j', (given, _, message) => {
    const call = characterTokenizer as (...args: unknown[]) => unknown;
    expect(errorOf(() => call(...given)).message).toContain(message);
  });

  it('refuses ids and texts that are none', () => {
    const tokenizer = characterTokenizer('ab');
    expect(errorOf(() => tokenizer.decode([0, 2])).argument).toBe('ids[1]');
    expect(errorOf(() => tokenizer.decode('ab' as never)).argument).toBe('ids');
    expect(errorOf(() => tokenizer.stream().push(-1)).argument).toBe('id');
    expect(errorOf(() => tokenizer.encode(1 as never)).argument).toBe('text');
    expect(errorOf(() => tokenizer.encode('a', { special: true } as never)).code).toBe('option');
  });
});

/** Bytes of GPT-2's alphabet: the printable ones stand for themselves. */
const byteSymbols = (): string[] => {
  const printable = (byte: number): boolean =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode(printable(byte) ? byte : next++),
  );
};

function byteLevel(): Tokenizer {
  const vocab = Object.fromEntries(byteSymbols().map((symbol, id) => [symbol, id]));
  Object.assign(vocab, { he: 256, ll: 257, Ġw: 258, '<s>': 259 });
  const json = {
    version: '1.0',
    added_tokens: [
      {
        id: 259,
        content: '<s>',
        special: true,
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
      },
    ],
    normalizer: null,
    pre_tokenizer: {
      type: 'ByteLevel',
      add_prefix_space: false,
      trim_offsets: true,
      use_regex: true,
    },
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
      pair: [],
      special_tokens: { '<s>': { id: '<s>', ids: [259], tokens: ['<s>'] } },
    },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: { type: 'BPE', vocab, merges: ['h e', 'l l', 'Ġ w'], byte_fallback: false },
  };
  return huggingFaceTokenizer(new HuggingFace(json, {}), { bos: '<s>' });
}

describe('huggingFaceTokenizer', () => {
  it('encodes and decodes with the tokenizer that it is given', () => {
    const tokenizer = byteLevel();
    expect(tokenizer).toMatchObject({ vocabulary: 260, bos: 259, eos: null });
    const ids = tokenizer.encode('hello world');
    expect(ids).toBeInstanceOf(Int32Array);
    expect([...ids.slice(0, 5)]).toEqual([259, 256, 257, 111, 258]);
    expect([...tokenizer.encode('hello', { addSpecial: false })]).toEqual([256, 257, 111]);
    expect(tokenizer.decode(ids)).toBe('hello world');
    expect(tokenizer.decode([])).toBe('');
  });

  it.each(['hello world', 'a 你好，世界 b', '👩‍👩‍👧 é ñ', ' x  y ', '\uFFFD end'])(
    'streams %j without splitting a character',
    (text) => {
      const tokenizer = byteLevel();
      const ids = tokenizer.encode(text);
      const parts = streamed(tokenizer, ids);
      expect(parts.join('')).toBe(tokenizer.decode(ids));
      expect(parts.join('')).toBe(text);
      if (!text.includes('\uFFFD')) expect(parts.join('|')).not.toMatch(/\uFFFD|\p{Surrogate}/u);
    },
  );

  it('gives what is left of a character at the end, and begins anew', () => {
    const tokenizer = byteLevel();
    const stream = tokenizer.stream();
    expect([stream.push(0xe4), stream.push(0xbd)]).toEqual(['', '']);
    expect(stream.end()).toContain('\uFFFD');
    expect(stream.push(256)).toBe('he');
  });

  it.each([
    [undefined, {}, 'tokenizer is missing'],
    [{ encode() {} }, {}, 'tokenizer is an object'],
  ])('refuses %j', (given, options, message) => {
    expect(errorOf(() => huggingFaceTokenizer(given as never, options)).message).toContain(message);
  });

  it('refuses a token that it does not have', () => {
    const fake = {
      encode: () => ({ ids: [5] }),
      decode: () => '',
      token_to_id: () => undefined,
      get_vocab: () => new Map([['a', 0]]),
    };
    expect(errorOf(() => huggingFaceTokenizer(fake, { eos: '</s>' })).message).toContain(
      'eos is "</s>"',
    );
    expect(errorOf(() => huggingFaceTokenizer(fake).encode('a')).code).toBe('unsupported');
  });
});

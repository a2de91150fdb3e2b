import { PosencError } from '../../error.js';
import { readAll } from '../bytes/open.js';
import type { ByteInput, ByteOptions } from '../bytes/types.js';
import { BytesStream } from './bytes-stream.js';
import { checkId, checkIds } from '../ids.js';
import { checkEncode } from './check.js';
import { mergePairs } from './merge.js';
import type { PairRule } from './merge.js';
import type { TokenStream, Tokenizer } from './types.js';

/** Ids of the control tokens, and of the byte 0 (run.c). */
const [bos, eos, firstByte] = [1, 2, 3];

/** Most tokens, and most bytes of one. */
const most = { tokens: 2 ** 20, bytes: 2 ** 12 };

/** A token: its bytes, as a string of characters 0 … 255, and how early it is merged. */
interface Token {
  readonly piece: string;
  readonly score: number;
}

/**
 * Opens a `tokenizer.bin` of llama2.c (`tok512.bin` …). Like run.c: a blank goes before the text, pieces
 * are merged best score first, what has no piece becomes bytes, and the blank behind BOS is dropped again.
 *
 * @throws PosencError `config` where the file is broken
 */
export async function llama2cTokenizer(
  input: ByteInput,
  options?: ByteOptions,
): Promise<Tokenizer> {
  return make(readTokens(await readAll(input, options)));
}

const broken = (problem: string): PosencError =>
  new PosencError('config', `source is not a tokenizer.bin of llama2.c: ${problem}`, {
    argument: 'source',
    received: problem,
    allowed: 'a tokenizer.bin of llama2.c',
  });

/** int32 longest piece; for each token float32 score, int32 length, bytes. */
function readTokens(bytes: Uint8Array): Token[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tokens: Token[] = [];
  let at = 4;
  while (at < bytes.length) {
    const id = tokens.length;
    if (at + 8 > bytes.length) throw broken(`it ends inside token ${id}`);
    const score = view.getFloat32(at, true);
    const length = view.getInt32(at + 4, true);
    at += 8;
    if (Number.isNaN(score)) throw broken(`the score of token ${id} is NaN`);
    if (length < 0 || length > most.bytes) throw broken(`token ${id} would have ${length} bytes`);
    if (at + length > bytes.length) throw broken(`it ends inside token ${id}`);
    const piece = String.fromCharCode(...bytes.subarray(at, at + length));
    at += length;
    if (tokens.push({ piece, score }) > most.tokens) throw broken('it has too many tokens');
  }
  checkBytes(tokens);
  return tokens;
}

/** Ids 3 … 258 must be the bytes, which all that has no piece falls back to. */
function checkBytes(tokens: readonly Token[]): void {
  for (let byte = 0; byte < 256; byte++) {
    const piece = tokens[firstByte + byte]?.piece;
    const wanted = bytePiece(byte);
    if (piece !== wanted) throw broken(`token ${firstByte + byte} is not the byte ${wanted}`);
  }
}

const bytePiece = (byte: number): string =>
  `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;

/** Bytes as a string of characters 0 … 255, which can be a key. */
const keyOf = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');

function make(tokens: readonly Token[]): Tokenizer {
  const ids = new Map<string, number>();
  for (const [id, { piece }] of tokens.entries()) if (!ids.has(piece)) ids.set(piece, id);
  const pair: PairRule = (left, right) => {
    const id = ids.get(tokens[left]!.piece + tokens[right]!.piece);
    // run.c begins its search for the best at −1e10.
    return id === undefined || tokens[id]!.score <= -1e10 ? null : { id, score: tokens[id]!.score };
  };
  const idsOf = (character: string): number[] => {
    const key = keyOf(character);
    const id = ids.get(key);
    return id === undefined ? Array.from(key, (byte) => firstByte + byte.charCodeAt(0)) : [id];
  };
  const bytes = tokens.map(({ piece }, id) => bytesOf(piece, id));
  const { length: vocabulary } = tokens;

  const stream = (): TokenStream => {
    const text = new BytesStream();
    let previous = -1;
    return {
      push(given: number): string {
        const id = checkId(given, vocabulary);
        const own = bytes[id]!;
        const blank = previous === bos && own[0] === 0x20;
        previous = id;
        return text.push(blank ? own.subarray(1) : own);
      },
      end(): string {
        previous = -1;
        return text.end();
      },
    };
  };
  return {
    vocabulary,
    bos,
    eos,
    encode(text, options) {
      const special = checkEncode(text, options);
      const pieces = text === '' ? [] : [...` ${text}`].flatMap(idsOf);
      const merged = mergePairs(pieces, pair);
      return Int32Array.from(special ? [bos, ...merged] : merged);
    },
    decode(given) {
      const text = stream();
      const parts = Array.from(checkIds(given, vocabulary), (id) => text.push(id));
      return parts.join('') + text.end();
    },
    stream,
  };
}

/** What a token adds to a text: nothing if it is a control token, one byte if it is one of the bytes. */
function bytesOf(piece: string, id: number): Uint8Array {
  if (id < firstByte) return new Uint8Array();
  const byte = id - firstByte;
  if (byte < 256) return Uint8Array.of(byte);
  return Uint8Array.from(piece, (character) => character.charCodeAt(0));
}

/** llama2.c checkpoints and tokenizers: by hand, and the public 260K model where it is. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readLlama2c } from '../../web/api/model/llama2c/checkpoint.js';
import { planModel } from '../../web/api/model/plan.js';
import { streamTensors } from '../../web/api/model/stream.js';
import { llama2cTokenizer } from '../../web/api/model/tokenizers/llama2c.js';
import { readSafetensors } from '../../web/api/model/weights/read.js';
import { bytesOf, rejection } from './bytes-of.js';

const shared = process.env['POSENC_SHARED'] ?? '../../../shared';
const home = new URL(`${shared}/conformance/stories260k/`, import.meta.url);
const there = existsSync(home);

/** dim 4, hidden 3, one layer, two heads, one kv head: numbers count up from 0. */
function checkpoint(vocabulary: number): Uint8Array {
  const header = Int32Array.of(4, 3, 1, 2, 1, vocabulary, 5);
  const words = Math.abs(vocabulary) * 4;
  const layer = 4 + 16 + 8 + 8 + 16 + 4 + 3 * 12;
  const numbers = words + layer + 4 + 5 * 2 + (vocabulary < 0 ? words : 0);
  const bytes = new Uint8Array(28 + 4 * numbers);
  bytes.set(bytesOf(header));
  bytes.set(bytesOf(Float32Array.from({ length: numbers }, (_, i) => i)), 28);
  return bytes;
}

describe('a checkpoint', () => {
  it.each([6, -6])('with vocabulary %d', async (vocabulary) => {
    const { config, weights } = await readLlama2c(checkpoint(vocabulary));
    const plan = planModel(config, weights.tensors);
    expect(plan.spec).toMatchObject({
      vocabulary: 6,
      width: 4,
      decoder: { kvHeads: 1, hidden: 3 },
    });
    const tensors = new Map<string, Float32Array>();
    for await (const { name, data } of streamTensors(plan.tensors, weights))
      tensors.set(name, data);
    expect(tensors.get('embedding.weight')?.[0]).toBe(0);
    // Heads of two dimensions have one pair, which is the same in both layouts.
    expect([...tensors.get('decoder.0.attention.query.weight')!]).toEqual(
      Array.from({ length: 16 }, (_, i) => 28 + i),
    );
    expect(tensors.get('decoder.0.mlp.down.weight')?.[0]).toBe(24 + 56 + 12);
    expect(tensors.get('decoder.0.mlp.up.weight')?.[0]).toBe(24 + 56 + 24);
    expect(tensors.get('decoder.norm.weight')?.[0]).toBe(24 + 92);
    expect(tensors.get('head.weight')?.[0]).toBe(vocabulary > 0 ? undefined : 24 + 96 + 10);
  });

  it.each([
    ['cut short', (bytes: Uint8Array) => bytes.slice(0, -1), 'its sizes need'],
    ['without a whole header', (bytes: Uint8Array) => bytes.slice(0, 27), 'needs a header of 28'],
    [
      'of version 1',
      (bytes: Uint8Array) =>
        bytes.fill(0x61, 3, 4).fill(0x6b, 2, 3).fill(0x34, 1, 2).fill(0x32, 0, 1),
      '--version 0',
    ],
    ['of no layers', (bytes: Uint8Array) => bytes.fill(0, 8, 12), 'n_layers is 0'],
    ['of endless layers', (bytes: Uint8Array) => bytes.fill(0x7f, 8, 12), 'n_layers is 2139062143'],
    [
      'with odd heads',
      (bytes: Uint8Array) => bytes.fill(4, 12, 13),
      'no even multiple of n_heads 4',
    ],
  ])('%s is refused', async (_, change, message) => {
    const error = await rejection(() => readLlama2c(change(checkpoint(6))));
    expect(error.code).toBe('config');
    expect(error.message).toContain(message);
  });
});

describe('a broken tokenizer', () => {
  it.each([
    [new Uint8Array(4), 'token 3 is not the byte <0x00>'],
    [new Uint8Array(9), 'it ends inside token 0'],
    [bytesOf(Int32Array.of(1, 0, 5)), 'it ends inside token 0'],
    [bytesOf(Int32Array.of(1, 0, -5)), 'token 0 would have -5 bytes'],
    [bytesOf(Int32Array.of(1, 0x7fc00000, 0)), 'the score of token 0 is NaN'],
  ])('%#', async (bytes, message) => {
    expect((await rejection(() => llama2cTokenizer(bytes))).message).toContain(message);
  });
});

describe.skipIf(!there)('stories260K', () => {
  const file = (name: string): URL => new URL(name, home);

  it('is the same in both formats', async () => {
    const { config, weights } = await readLlama2c(file('stories260K.bin'));
    const other = await readSafetensors(file('model.safetensors'));
    expect([...weights.tensors.keys()].sort()).toEqual([...other.tensors.keys()].sort());
    for (const [name, { shape }] of weights.tensors) {
      expect(other.tensors.get(name)?.shape).toEqual(shape);
      expect(await weights.read(name)).toEqual(await other.read(name));
    }
    const theirs = planModel(readFileSync(file('config.json'), 'utf8'), other.tensors);
    expect(planModel(config, weights.tensors).spec).toEqual(theirs.spec);
    await Promise.all([weights.close(), other.close()]);
  });

  it.each(['greedy_0', 'greedy_1', 'greedy_2'])('has the prompt and text of %s', async (name) => {
    const tokenizer = await llama2cTokenizer(file('tok512.bin'));
    const { attributes, inputs, outputs } = JSON.parse(
      readFileSync(file(`${name}.json`), 'utf8'),
    ) as {
      attributes: { prompt_text: string; expected_text_runc_decode: string };
      inputs: { offset: number; nbytes: number }[];
      outputs: { offset: number; nbytes: number }[];
    };
    const bytes = readFileSync(file(`${name}.bin`));
    const idsAt = ({ offset, nbytes }: { offset: number; nbytes: number }): number[] =>
      Array.from({ length: nbytes / 8 }, (_, i) => Number(bytes.readBigInt64LE(offset + 8 * i)));
    const prompt = idsAt(inputs[0]!);
    const ids = [...prompt, ...idsAt(outputs[0]!)];
    expect([...tokenizer.encode(attributes.prompt_text)]).toEqual(prompt);
    expect(tokenizer.decode(prompt)).toBe(attributes.prompt_text);
    expect(tokenizer.decode(ids)).toBe(attributes.expected_text_runc_decode);
    const stream = tokenizer.stream();
    expect(ids.map((id) => stream.push(id)).join('') + stream.end()).toBe(tokenizer.decode(ids));
  });

  it('reads every text and gives it back', async () => {
    const tokenizer = await llama2cTokenizer(file('tok512.bin'));
    for (const text of [
      '',
      ' ',
      '  two',
      'héé 你好 👩‍👩‍👧 \u0000\n\ufeff',
      'x'.repeat(300),
      'a <s> b',
    ]) {
      const ids = tokenizer.encode(text);
      expect(ids[0]).toBe(1);
      expect(tokenizer.decode(ids)).toBe(text);
      expect([...tokenizer.encode(text, { addSpecial: false })]).toEqual([...ids.slice(1)]);
      const stream = tokenizer.stream();
      const parts = Array.from(ids, (id) => stream.push(id));
      expect(parts.join('') + stream.end()).toBe(text);
      expect(parts.every((part) => !/\p{Surrogate}|\uFFFD/u.test(part))).toBe(true);
    }
    const cut = tokenizer.stream();
    expect([cut.push(3 + 0xe4), cut.push(3 + 0xbd), cut.end(), cut.push(3 + 0x41)]).toEqual([
      ...['', '', '\uFFFD', 'A'],
    ]);
  });

  it('merges like run.c, which looks at all pairs each time', async () => {
    const bytes = readFileSync(file('tok512.bin'));
    const tokens: { piece: string; score: number }[] = [];
    for (let at = 4; at < bytes.length;) {
      const length = bytes.readInt32LE(at + 4);
      const piece = bytes.toString('latin1', at + 8, at + 8 + length);
      tokens.push({ piece, score: bytes.readFloatLE(at) });
      at += 8 + length;
    }
    const idOf = (piece: string): number => tokens.findIndex((token) => token.piece === piece);
    const slow = (text: string): number[] => {
      const ids = [...` ${text}`].map(idOf);
      for (;;) {
        const pairs = ids.slice(1).map((id, i) => idOf(tokens[ids[i]!]!.piece + tokens[id]!.piece));
        const found = pairs.filter((id) => id >= 0).map((id) => tokens[id]!.score);
        const at = pairs.findIndex((id) => id >= 0 && tokens[id]!.score === Math.max(...found));
        if (at < 0) return ids;
        ids.splice(at, 2, pairs[at]!);
      }
    };
    const tokenizer = await llama2cTokenizer(file('tok512.bin'));
    const text =
      'Once upon a time there was a little girl who loved the the theethe aaaaaaa seesaw.';
    for (let i = 0; i < text.length; i += 3) {
      const part = text.slice(i);
      expect([...tokenizer.encode(part, { addSpecial: false })]).toEqual(slow(part));
    }
  });

  it('encodes long texts in a moment', async () => {
    const tokenizer = await llama2cTokenizer(file('tok512.bin'));
    const text = 'Lily went to the park. '.repeat(10_000);
    expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
  });
});

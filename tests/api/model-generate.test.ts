/** Generation: batches, sampling, ends, stop texts, aborts; positions that are swapped; bad input. */
import { characterTokenizer, type GeneratedToken, type LanguageModel } from 'posenc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configOf, expectModel, filesOf, loadFamily, sequencesOf } from './model-golden.js';
import { errorOf, posenc, rejection } from './posenc.js';

/** A letter per id of the model. */
const alphabet = Array.from({ length: configOf('llama').vocab_size as number }, (_, i) =>
  String.fromCodePoint(0x4e00 + i),
);

async function all(tokens: AsyncGenerator<GeneratedToken>): Promise<GeneratedToken[]> {
  const list: GeneratedToken[] = [];
  for await (const token of tokens) list.push(token);
  return list;
}

const idsOf = async (tokens: AsyncGenerator<GeneratedToken>): Promise<number[]> =>
  (await all(tokens)).map(({ id }) => id);

let model: LanguageModel;
beforeAll(async () => {
  model = await loadFamily(posenc, 'llama');
});
afterAll(() => model.dispose());

const prompt = [5, 9, 2, 14];
const free = { maxTokens: 12, stopIds: [] };

describe('generate', () => {
  it('takes the largest logit, as prefill has it', async () => {
    const ids = [...prompt];
    for (let i = 0; i < 12; i++) {
      const last = model.logits(ids).slice(-model.spec.vocabulary);
      ids.push(last.indexOf(Math.max(...last)));
    }
    expect(await idsOf(model.generate(prompt, free))).toEqual(ids.slice(prompt.length));
  });

  it.each(['llama', 'mistral', 'bloom', 'gpt2', 'opt', 'gemma3', 't5'])(
    '%s: several prompts at once are each as if alone',
    async (family) => {
      const own = await loadFamily(posenc, family);
      const prompts = [[5, 9, 2, 14, 7, 3, 8], [3], [11, 4, 6]];
      const together = await all(own.generate(prompts, free));
      for (const [sequence, alone] of prompts.entries()) {
        const ids = together.filter((token) => token.sequence === sequence).map(({ id }) => id);
        expect(ids).toEqual(await idsOf(own.generate(alone, free)));
      }
      own.dispose();
    },
  );

  it('draws the same ids from the same seed, and others from another', async () => {
    const draw = (seed: number) => idsOf(model.generate(prompt, { ...free, temperature: 2, seed }));
    expect(await draw(1)).toEqual(await draw(1));
    expect(await draw(1)).not.toEqual(await draw(2));
    const one = await idsOf(model.generate(prompt, { ...free, temperature: 2, topK: 1 }));
    expect(one).toEqual(await idsOf(model.generate(prompt, free)));
  });

  it('ends at an id, with its reason', async () => {
    const ids = await idsOf(model.generate(prompt, free));
    const stop = ids[3]!;
    const tokens = await all(model.generate(prompt, { ...free, stopIds: [stop] }));
    expect(tokens.map(({ id }) => id)).toEqual(ids.slice(0, ids.indexOf(stop) + 1));
    expect(tokens.at(-1)!.end).toBe('id');
    expect((await all(model.generate(prompt, free))).at(-1)!.end).toBe('length');
  });

  it('ends before a stop text, wherever tokens part it', async () => {
    const tokenizer = characterTokenizer([...alphabet].join(''));
    const own = await loadFamily(posenc, 'llama', { tokenizer });
    const start = alphabet.slice(2, 6).join('');
    const text = (await all(own.generate(start, free))).map((token) => token.text).join('');
    expect([...text]).toHaveLength(12);
    const stop = [...text].slice(4, 7).join('');
    const tokens = await all(own.generate(start, { ...free, stop: ['never', stop] }));
    const shown = tokens.map((token) => token.text).join('');
    expect(shown).toBe(text.slice(0, text.indexOf(stop)));
    expect(tokens.at(-1)!.end).toBe('text');
    own.dispose();
  });

  it('stops when it is told to, and leaves nothing behind', async () => {
    const caches = posenc.info.liveCaches;
    const controller = new AbortController();
    const tokens = model.generate(prompt, {
      maxTokens: 1000,
      stopIds: [],
      signal: controller.signal,
    });
    await tokens.next();
    controller.abort(new Error('enough'));
    expect(await rejection(tokens.next())).toMatchObject({ code: 'aborted' });
    const left = model.generate(prompt, free);
    await left.next();
    await left.return();
    expect(posenc.info.liveCaches).toBe(caches);
  });

  it('keeps the memory flat', async () => {
    const run = () => idsOf(model.generate(prompt, { maxTokens: 1000, stopIds: [] }));
    await run();
    const before = posenc.info.memoryBytes;
    for (let i = 0; i < 20; i++) await run();
    expect(posenc.info.memoryBytes).toBe(before);
  }, 120_000);
});

describe('positions that are swapped', () => {
  it('a window hides what is farther, on the way and at once', () => {
    const { ids } = sequencesOf('llama')[1]!;
    const windowed = model.logits(ids!, { window: 4 });
    expectModel(model.logits(ids!, { window: 4, chunk: 1 }), windowed);
    expect(windowed.slice(-20)).not.toEqual(model.logits(ids!).slice(-20));
    const layers = model.trace(ids!, { window: 4, return: ['weights'] }).layers;
    const tokens = ids!.length;
    for (const { weights } of layers) {
      const last = weights.subarray((tokens - 1) * tokens, tokens * tokens);
      expect(last.slice(0, tokens - 4).every((weight) => weight === 0)).toBe(true);
    }
  });

  it('a scaling rule takes the place of the model’s own', () => {
    const { ids } = sequencesOf('llama')[1]!;
    const plain = model.logits(ids!);
    const stretched = model.logits(ids!, { scaling: { type: 'linear', factor: 4 } });
    expect(stretched).not.toEqual(plain);
    const same = model.logits(ids!, { scaling: { type: 'linear', factor: 1 } });
    expectModel(same, plain);
  });

  it('a rule that follows the length does so for each sequence', async () => {
    const scaling = { type: 'dynamic', factor: 4, originalMaxPosition: 4 } as const;
    const prompts = [[5, 9, 2, 14, 7, 3, 8, 1, 6], [3], [11, 4, 6, 2]];
    const together = await all(model.generate(prompts, { ...free, scaling }));
    for (const [sequence, alone] of prompts.entries()) {
      const ids = together.filter((token) => token.sequence === sequence).map(({ id }) => id);
      expect(ids).toEqual(await idsOf(model.generate(alone, { ...free, scaling })));
    }
  });

  it('other encodings by layer', () => {
    const { ids } = sequencesOf('llama')[0]!;
    const alibi = posenc.encoding('alibi', { heads: model.spec.decoder!.heads });
    const swapped = model.logits(ids!, { encoding: (layer) => (layer === 0 ? alibi : undefined) });
    expect(swapped).not.toEqual(model.logits(ids!));
    const none = model.logits(ids!, { encoding: () => [] });
    expectModel(model.logits(ids!, { encoding: () => [], chunk: 3 }), none);
    expect(none).not.toEqual(swapped);
  });

  it('positions that are slots, with a window and sinks: as long as one likes', async () => {
    const options = { ...free, maxTokens: 200, positions: 'slots', window: 6, sinks: 2 } as const;
    expect(await idsOf(model.generate(prompt, { ...options, capacity: 8 }))).toHaveLength(200);
  });
});

describe('bad input', () => {
  it.each<[string, () => unknown, object]>([
    ['no ids', () => model.logits([]), { argument: 'prompt', code: 'shape' }],
    ['an id that is none', () => model.logits([1, 1.5]), { argument: 'prompt[1]', code: 'range' }],
    ['text without tokenizer', () => model.logits('abc'), { argument: 'prompt', code: 'argument' }],
    ['chunk', () => model.logits([1], { chunk: 0 }), { argument: 'chunk', code: 'range' }],
    ['unknown', () => model.logits([1], { chunks: 1 } as never), { code: 'option' }],
    ['an encoder', () => model.logits([1], { encoder: [1] }), { argument: 'encoder' }],
    ['one token', () => model.perplexity([1]), { argument: 'text', code: 'shape' }],
    ['what to trace', () => model.trace([1], { return: ['keys' as never] }), { code: 'option' }],
    ['a small capacity', () => model.logits([1, 2, 3], { capacity: 2 }), { code: 'capacity' }],
    ['a tensor', () => model.tensor('decoder.9.mlp.up.weight'), { code: 'config' }],
  ])('%s', (_, call, expected) => {
    expect(errorOf(call)).toMatchObject(expected);
  });

  it('of generate', async () => {
    const cases = [
      { maxTokens: 0 },
      { temperature: -1 },
      { stop: 'a' },
      { decoderStart: [] as number[] },
    ];
    for (const options of cases.slice(0, 3)) {
      expect(await rejection(model.generate([1], options).next())).toBeInstanceOf(Error);
    }
    const bert = await loadFamily(posenc, 'bert');
    expect(errorOf(() => bert.generate([1])).code).toBe('unsupported');
    bert.dispose();
  });

  it('of loadModel', async () => {
    const config = configOf('llama');
    const weights = filesOf('llama');
    const cases: [object, object][] = [
      [{}, { argument: 'weights' }],
      [{ weights }, { argument: 'config' }],
      [
        { config: '{', weights },
        { argument: 'config', code: 'config' },
      ],
      [{ config, weights, dtype: 'f8' }, { argument: 'dtype' }],
      [
        { config: { ...config, vocab_size: 7 }, weights },
        { argument: 'weights', code: 'config' },
      ],
      [{ config: { ...config, model_type: 'mamba' }, weights }, { code: 'unsupported' }],
      [{ config, weights, tokenizer: { vocabulary: 1e6 } }, { argument: 'tokenizer.vocabulary' }],
      [{ config, weights, signal: AbortSignal.abort() }, { code: 'aborted' }],
    ];
    for (const [options, expected] of cases) {
      expect(await rejection(posenc.loadModel(options as never))).toMatchObject(expected);
    }
    const lost = await loadFamily(posenc, 'llama');
    lost.dispose();
    expect(errorOf(() => lost.logits([1])).code).toBe('disposed');
    expect(posenc.info.liveModels).toBe(1);
  });
});

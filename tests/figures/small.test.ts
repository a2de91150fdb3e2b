/** What the page Small model computes by itself: files, links, stages of a score, mistakes, curves. */
import { load, type LanguageModel } from 'posenc';
import { startRun } from 'posenc/lab';
import { describe, expect, it } from 'vitest';
import { chartPicture } from '../../web/site/.vitepress/theme/small-chart.js';
import {
  initialSettings,
  parseSmallLink,
  writeSmallLink,
} from '../../web/site/.vitepress/theme/small-link.js';
import { habit, mapLevels, strongest } from '../../web/site/.vitepress/theme/small-map.js';
import {
  fixed,
  percent,
  perplexity,
  visible,
} from '../../web/site/.vitepress/theme/small-numbers.js';
import { sortFiles } from '../../web/site/small/files.js';
import { look } from '../../web/site/small/jobs.js';
import { renumbered, restarted, trialOf } from '../../web/site/small/mistakes.js';
import { contextOf, factsOf, type Opened } from '../../web/site/small/opened.js';
import { detailOf } from '../../web/site/small/pieces.js';
import { mistakes, type Way } from '../../web/site/small/protocol.js';
import { openExport } from '../../web/site/small/checkpoint.js';
import { encodeSymbols, readingOf } from '../../web/site/small/reading.js';
import { shippedOf } from '../../web/site/small/shipped.js';
import { meanOf, pairShares, smoothed, stagesOf } from '../../web/site/small/stages.js';
import { lessons, prompts } from '../../web/site/small/texts.js';

const pe = await load();
const tokenizerless = {
  ...{ model_type: 'llama', hidden_size: 32, intermediate_size: 48, vocab_size: 40 },
  ...{ num_hidden_layers: 2, num_attention_heads: 4, num_key_value_heads: 2 },
  ...{ max_position_embeddings: 32 },
};
const model = await pe.createModel({ config: tokenizerless, seed: 3 });
const opened: Opened = {
  model,
  options: {},
  symbols: null,
  lesson: null,
  dispose: () => model.dispose(),
};
const ids = Array.from({ length: 24 }, (_, i) => (7 * i + i * i) % 40);
const positions = (way: Way) => ({ way, factor: 4, window: 8 });
const view = (way: Way) =>
  look({
    ...{ pe, opened, signal: new AbortController().signal, tell: () => {} },
    order: { text: '', ids, layer: 1, head: 2, positions: positions(way) },
  });

describe('files of a checkpoint', () => {
  const files = (...names: string[]) => names.map((name) => ({ name, size: 100 }));
  it('have roles by their names', () => {
    const sorted = sortFiles(
      files(
        ...['README.md', 'model-00002-of-00002.safetensors', 'config.json', 'tokenizer.json'],
        ...['model.safetensors.index.json', 'model-00001-of-00002.safetensors'],
      ),
    );
    expect(sorted.weights.map(({ name }) => name)).toEqual([
      'model-00001-of-00002.safetensors',
      'model-00002-of-00002.safetensors',
    ]);
    expect([sorted.config, sorted.index, sorted.tokenizer].map((file) => file?.name)).toEqual([
      ...['config.json', 'model.safetensors.index.json', 'tokenizer.json'],
    ]);
  });
  it('of llama2.c are two of a kind', () => {
    const { weights, tokenizer } = sortFiles(files('tok512.bin', 'stories260K.bin'));
    expect([weights[0]?.name, tokenizer?.name]).toEqual(['stories260K.bin', 'tok512.bin']);
  });
  it('without weights, or too large, are refused', () => {
    expect(() => sortFiles(files('config.json'))).toThrow('config.json');
    const huge = [{ name: 'model.safetensors', size: 5 * 2 ** 30 }];
    expect(() => sortFiles(huge)).toThrow('5.0 GiB');
  });
  it('that come with the site are named by recipe and name', () => {
    const found = {
      '../../../models/results/words/rope.safetensors': '/assets/rope.1.safetensors',
    };
    expect(shippedOf(found)).toEqual([{ id: 'words/rope', url: '/assets/rope.1.safetensors' }]);
  });
});

describe('addresses', () => {
  const initial = initialSettings('train-en', prompts.en);
  it('give back what was chosen', () => {
    const chosen = {
      ...{
        ...initial,
        prompt: 'a & b',
        way: 'yarn' as const,
        factor: 8,
        seed: 7,
        layer: 1,
        key: 3,
      },
      mistakes: [...mistakes],
      ways: ['own', 'alibi'] as Way[],
    };
    const hash = writeSmallLink(chosen, initial);
    expect(hash).toContain('ways=own,alibi');
    expect({ ...initial, ...parseSmallLink(hash) }).toEqual(chosen);
    expect(writeSmallLink(initial, initial)).toBe('');
  });
  it('leave out long texts and survive nonsense', () => {
    expect(writeSmallLink({ ...initial, prompt: 'x'.repeat(201) }, initial)).toBe('');
    expect(parseSmallLink('#way=none&seed=-4&factor=NaN&topP=9&ways=x&what=1')).toEqual({
      ...{ seed: 0, topP: 1, ways: [] },
    });
  });
});

describe('a score', () => {
  it.each(['own', 'nope', 'yarn', 'alibi'] as const)('is the sum of its stages (%s)', (way) => {
    const head = view(way);
    const query = 20;
    const stages = stagesOf(head, query);
    for (const { content, turned, bias, logit } of stages.slice(0, query + 1)) {
      expect(content + turned + bias).toBeCloseTo(logit, 4);
    }
    expect(
      stages.slice(query + 1).every(({ logit, weight }) => logit < -1e30 && weight === 0),
    ).toBe(true);
    expect(stages.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 5);
    const most = (of: 'turned' | 'bias') =>
      Math.max(...stages.slice(0, query + 1).map((stage) => Math.abs(stage[of])));
    expect(most('turned') > 1e-4).toBe(way === 'own' || way === 'yarn');
    expect(most('bias') > 1e-4).toBe(way === 'alibi');
  });

  it('is the sum of its pairs', () => {
    const head = view('own');
    const shares = pairShares(head, 20, 5);
    const stage = stagesOf(head, 20)[5]!;
    const sum = (of: 'before' | 'after') => shares.reduce((all, share) => all + share[of], 0);
    expect(sum('before')).toBeCloseTo(stage.content, 5);
    expect(sum('after')).toBeCloseTo(stage.content + stage.turned, 4);
    expect(pairShares(view('alibi'), 20, 5)).toEqual([]);
  });

  it('belongs to a map of squares and a sentence', () => {
    const head = view('own');
    const row = head.weights.subarray(20 * 24, 21 * 24);
    expect(row[strongest(head, 20)]).toBe(Math.max(...row));
    const { distance, share } = habit(head);
    expect(distance).toBeGreaterThan(0);
    expect(share).toBeLessThanOrEqual(1);
    const [only] = mapLevels([1, 0, 0, 0], 2, 10);
    expect(only).toEqual({ d: 'M0 0h10v10h-10z', opacity: 1 });
  });
});

describe('ways and mistakes', () => {
  it('of a Llama are all of them', () => {
    const facts = factsOf(opened, 'en', 1);
    expect(facts.encodings).toEqual(['rope']);
    expect(facts.ways).toHaveLength(8);
    expect(facts.mistakes).toEqual(mistakes);
  });

  it('of a GPT-2, whose table of positions stays, are fewer', async () => {
    const config = {
      ...{ model_type: 'gpt2', n_embd: 32, n_layer: 1, n_head: 2, n_positions: 32 },
      vocab_size: 40,
    };
    const gpt2 = await pe.createModel({ config });
    const facts = factsOf({ ...opened, model: gpt2 }, 'en', 1);
    expect(facts.encodings).toContain('learned');
    expect(facts.ways).toEqual(['own', 'window']);
    expect(facts.mistakes).toEqual(['evict']);
    gpt2.dispose();
  });

  it.each(['own', 'nope', 'linear', 'dynamic', 'yarn', 'alibi', 'window', 'sinks'] as const)(
    '%s reads a text',
    (way) => {
      const { losses } = model.perplexity(ids, contextOf(pe, opened, positions(way)));
      expect(losses.every(Number.isFinite)).toBe(true);
    },
  );

  it('angles one by one are RoPE where no mistake is made, and not where one is', () => {
    const trial = trialOf(pe, opened, { mistake: 'restart', tokens: ids.length, room: 8 });
    const right = model.perplexity(ids, trial.right).losses;
    const wrong = model.perplexity(ids, trial.wrong).losses;
    expect(trial.from).toBe(12);
    // Loss n is that of token n + 1, foreseen by token n.
    for (let i = 0; i < 12; i++) expect(wrong[i]).toBeCloseTo(right[i]!, 4);
    expect(
      Math.max(...wrong.slice(12).map((x, i) => Math.abs(x - right[12 + i]!))),
    ).toBeGreaterThan(1e-4);
  });

  it.each(mistakes)('%s changes nothing before its first token', (mistake) => {
    const { right, wrong, from } = trialOf(pe, opened, { mistake, tokens: ids.length, room: 8 });
    const [a, b] = [right, wrong].map((options) => model.perplexity(ids, options).losses);
    for (let i = 0; i < from - 1; i++) expect(b![i]).toBeCloseTo(a![i]!, 4);
  });

  it('place tokens where the faulty code does', () => {
    const place = (at: (token: number) => number) => [0, 1, 2, 3, 4, 5].map(at);
    expect(place(restarted(3))).toEqual([0, 1, 2, 0, 1, 2]);
    expect(place(renumbered(4))).toEqual([0, 1, 2, 3, 3, 3]);
  });
});

describe('numbers and curves', () => {
  it('tell a choice from its logits', () => {
    const logits = Float32Array.from([0, Math.log(2), -Infinity, Math.log(5)]);
    const plain = { tokenizer: undefined } as LanguageModel;
    const { probability, rank, best } = detailOf({ ...opened, model: plain }, logits, 1);
    expect([probability, rank]).toEqual([expect.closeTo(2 / 8, 6), 2]);
    expect(best.map(({ id }) => id)).toEqual([3, 1, 0, 2]);
    expect(best[0]!.text).toBe('#3');
  });
  it('are smoothed and drawn', () => {
    expect([...smoothed([0, 3, 6, 9], 1)]).toEqual([1.5, 3, 6, 7.5]);
    expect(meanOf([1, 2, 3], 1)).toBe(2.5);
    const line = { name: 'a', color: 'red', dash: '', losses: Float32Array.of(0, 1, 2, 5, 6) };
    const { paths, markX, yTicks } = chartPicture([line], 400, 3);
    expect(paths[0]).toMatch(/^M[\d.]+ [\d.]+(L[\d.]+ [\d.]+){4}$/);
    expect(markX).toBeGreaterThan(0);
    expect(yTicks.map(({ text }) => text)).toContain('10');
    expect(chartPicture([line], 400, 500).markX).toBeNull();
  });
  it('are written as a reader expects', () => {
    expect([percent(0.5), percent(0.0123), fixed(-1.234), fixed(-0.001), fixed(-Infinity)]).toEqual(
      [...['50\u00a0%', '1.2\u00a0%', '−1.23', '0.00', '−∞']],
    );
    expect([perplexity(0), perplexity(3), perplexity(20), perplexity(NaN)]).toEqual([
      ...['1', '20.1', '4.9e8', '–'],
    ]);
    expect([visible(' a'), visible('\n'), visible(' ')]).toEqual(['␣a', '↵', '␣']);
  });
});

describe('a model of the lab', () => {
  it.each(['rope', 'alibi', 'learned'] as const)(
    'that learned a task reads its symbols (%s)',
    async (encoding) => {
      const recipe = { task: 'copy', encoding, width: 16, layers: 1, heads: 2, steps: 1, batch: 2 };
      const run = await startRun({ pe, recipe });
      run.step();
      const model = await openExport(pe, run.export().weights);
      const facts = factsOf(model, 'en', 1);
      expect(facts.encodings).toEqual([encoding]);
      expect(facts.ways.includes('sinks')).toBe(encoding !== 'learned');
      const ids = encodeSymbols(model.symbols!, facts.reading.slice(0, 20));
      expect(ids).toHaveLength(20);
      for (const way of facts.ways) {
        const { losses } = model.model.perplexity(ids, contextOf(pe, model, positions(way)));
        expect(losses.every(Number.isFinite)).toBe(true);
      }
      model.dispose();
      run.dispose();
    },
  );

  it('reads what it knows of a lesson, or makes something up', () => {
    expect(readingOf(null, 'zh')).toBe(lessons.zh);
    const letters = [...new Set(lessons.en)].filter((letter) => letter !== 'T');
    expect(readingOf(letters, 'zh')).toBe(lessons.en.replaceAll('T', ''));
    expect(readingOf(['^', '=', '$', '0', '1', '10'], 'en')).toMatch(/^\^[01]+$/);
  });

  it('takes the longest symbol first', () => {
    expect([...encodeSymbols(['^', '1', '10', '0'], '^ 100 1')]).toEqual([0, 2, 3, 1]);
    expect(() => encodeSymbols(['^'], '^x')).toThrow('x');
  });
});

describe('lessons', () => {
  it.each(['zh', 'en'] as const)(
    'are long enough to be learned, and begin as the prompt (%s)',
    (lang) => {
      const characters = [...lessons[lang]];
      expect(characters.length).toBeGreaterThan(10 * (64 + 2));
      expect(lessons[lang].startsWith(prompts[lang])).toBe(true);
    },
  );
});

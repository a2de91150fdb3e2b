/** Runs of the lab: they learn, go on where they were saved, and are the same on every machine. */
import { readFileSync } from 'node:fs';
import { readSafetensors } from 'posenc';
import {
  fillRecipe,
  labEncodingNames,
  openModel,
  rateAt,
  resumeRun,
  startRun,
  type LabRun,
  type Recipe,
} from 'posenc/lab';
import { afterEach, describe, expect, it } from 'vitest';
import { posenc } from './posenc.js';

const tiny = {
  ...{ task: 'copy', train: [1, 3], test: [3, 6] },
  ...{ width: 16, heads: 2, layers: 2, batch: 16, steps: 400, warmup: 20, rate: 0.01 },
} as const satisfies Partial<Recipe>;

const pe = posenc;
const start = (recipe: Partial<Recipe>) =>
  startRun({ pe, recipe: { ...tiny, encoding: 'rope', ...recipe } });

function learn(run: LabRun, steps: number): number[] {
  for (let i = 0; i < steps; i++) run.step();
  return run.losses.slice(-steps);
}

/** Tables of a saved run that belong to its encoding. */
async function tablesOf(file: Uint8Array) {
  const weights = await readSafetensors(file);
  const names = [...weights.tensors.keys()].filter((name) => name.startsWith('posenc.encoding.'));
  const read = names.map(async (name) => [name, await weights.read(name)] as const);
  return new Map(await Promise.all(read));
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** Tables that encodings train: one of the model, or one a layer; the rest has nothing to train. */
const tables: Readonly<Record<string, number>> = {
  ...{ learned: 1, sinusoidal: 1, t5: 1, pope: 2, shaw: 4, transformer_xl: 6, kerple: 4 },
  ...{ fire: 12, cope: 2 },
};

afterEach(() => expect(pe.info).toMatchObject({ liveModels: 0, liveTensors: 0 }));

it('a run learns to copy, and says how well', async () => {
  const run = await start({});
  const first = run.evaluate(3);
  expect(first.loss).toBeGreaterThan(2);
  expect(first.exact).toBeLessThan(0.1);
  const reports = Array.from({ length: 400 }, () => run.step());
  expect(reports.map(({ step }) => step)).toEqual(Array.from({ length: 400 }, (_, i) => i + 1));
  for (const { step, rate } of reports) expect(rate).toBe(rateAt(step, run.recipe));
  expect(run.losses).toEqual(reports.map(({ loss }) => loss));
  expect(run.steps).toBe(400);
  // Of 19 symbols: ln 19 = 2.94 at first.
  expect(reports[0]!.loss).toBeGreaterThan(2.5);
  expect(Math.max(...run.losses.slice(-20))).toBeLessThan(0.1);
  const score = run.evaluate(3, { examples: 50 });
  expect(score).toMatchObject({ size: 3, examples: 50, exact: 1, tokens: 1, byDistance: [] });
  expect(score.lossByPlace).toHaveLength(4);
  const mean = score.lossByPlace.reduce((sum, loss) => sum + loss, 0) / 4;
  expect(score.loss).toBeCloseTo(mean, 8);
  expect(run.evaluate(3, { examples: 50 })).toEqual(score);
  // The model is there to be asked.
  const ids = [...'^abc='].map((symbol) => run.symbols.indexOf(symbol));
  const written: string[] = [];
  for await (const { id } of run.model.generate(ids, { maxTokens: 4, ...run.options })) {
    written.push(run.symbols[id]!);
  }
  expect(written.join('')).toBe('abc$');
  run.dispose();
});

describe.each(labEncodingNames)('%s', (encoding) => {
  const recipe = { encoding, steps: 6, dropout: 0.1, seed: 5, warmup: 1 } as const;

  it('trains its tables, goes on from a file with the same bits, and opens as it was', async () => {
    const run = await start(recipe);
    const begun = await tablesOf(run.save());
    expect(begun.size).toBe(tables[encoding] ?? 0);
    learn(run, 3);
    const file = run.save();
    const after = await tablesOf(file);
    for (const [name, numbers] of begun) {
      expect(after.get(name)!.length, name).toBe(numbers.length);
      expect(
        after.get(name)!.some((x, i) => x !== numbers[i]),
        name,
      ).toBe(true);
    }
    const again = await resumeRun({ pe, file });
    expect(again.recipe).toEqual(run.recipe);
    expect(again.steps).toBe(3);
    expect(again.losses).toEqual(run.losses);
    expect(learn(again, 3)).toEqual(learn(run, 3));
    expect(isSame(again.save(), run.save())).toBe(true);
    expect(again.evaluate(6)).toEqual(run.evaluate(6));

    const { weights, standard } = run.export();
    expect(standard).toBe(encoding === 'rope');
    const opened = await openModel({ pe, file: weights });
    expect(opened.recipe).toEqual(run.recipe);
    expect(opened.symbols).toEqual(run.symbols);
    expect(opened.tokenizer).toBeUndefined();
    const ids = [0, 5, 6, 5, 7, 8, 1, 5, 6];
    const logits = run.model.logits(ids, run.options);
    expect(opened.model.logits(ids, opened.options)).toEqual(logits);
    // All at once and token by token, as every encoding must.
    const [once, slow] = [128, 1].map((chunk) => run.model.logits(ids, { ...run.options, chunk }));
    for (const [i, x] of once!.entries()) expect(Math.abs(x - slow![i]!)).toBeLessThan(1e-4);
    for (const each of [run, again, opened]) each.dispose();
  });
});

describe('a recipe', () => {
  const { runs } = JSON.parse(
    readFileSync(new URL('../golden/lab.json', import.meta.url), 'utf8'),
  ) as { runs: { recipe: Recipe; losses: number[] }[] };

  it.each(
    runs.map(({ recipe, losses }) => [recipe.task, recipe.encoding, recipe, losses] as const),
  )('%s with %s gives these losses everywhere', async (_task, _encoding, recipe, losses) => {
    const run = await startRun({ pe, recipe });
    expect(learn(run, 20)).toEqual(losses);
    run.dispose();
  });

  it('gives other runs by seed', async () => {
    const [one, two] = [await start({ seed: 1 }), await start({ seed: 2 })];
    expect(learn(one, 1)).not.toEqual(learn(two, 1));
    for (const run of [one, two]) run.dispose();
  });

  it('of one step ends after it', async () => {
    const run = await start({ steps: 1, warmup: 0 });
    run.step();
    expect(() => run.step()).toThrow("step is 2, needs at most the recipe's 1 steps");
    expect(run.losses).toHaveLength(1);
    const again = await resumeRun({ pe, file: run.save() });
    expect(() => again.step()).toThrow('step is 2');
    for (const each of [run, again]) each.dispose();
  });
});

describe('a text', () => {
  const text = 'the cat sat on the mat. '.repeat(60);
  const recipe = fillRecipe({
    ...tiny,
    task: 'text',
    encoding: 'alibi',
    train: [16, 16],
    test: [16, 64],
    steps: 60,
  });

  it('is learned by its characters, and foreseen by place', async () => {
    const run = await startRun({ pe, recipe, text });
    expect(run.symbols.join('')).toBe([...new Set(text)].sort().join(''));
    learn(run, 30);
    const again = await resumeRun({ pe, file: run.save(), text });
    expect(learn(again, 30)).toEqual(learn(run, 30));
    const { lossByPlace, loss, tokens } = run.evaluate(64, { examples: 8 });
    expect(lossByPlace).toHaveLength(64);
    expect(loss).toBeCloseTo(lossByPlace.reduce((sum, x) => sum + x, 0) / 64, 8);
    expect(tokens).toBeGreaterThan(0.4);
    expect(loss).toBeLessThan(Math.log(run.symbols.length) - 1);
    // A character that was seen with its past is easier than the first one.
    expect(lossByPlace[20]!).toBeLessThan(lossByPlace[0]!);
    const opened = await openModel({ pe, file: run.export().weights });
    expect(opened.tokenizer!.decode(opened.tokenizer!.encode('the mat'))).toBe('the mat');
    const foreseen = opened.model.perplexity('the cat sat', opened.options);
    expect(foreseen).toEqual(run.model.perplexity('the cat sat', run.options));
    for (const each of [run, again, opened]) each.dispose();
  });
});

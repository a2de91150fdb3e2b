/** Files of the lab: what other libraries read, what other encodings start with, and what is refused. */
import { readSafetensors, writeSafetensors, type Posenc } from 'posenc';
import { openModel, resumeRun, startRun, type LabRun, type Recipe } from 'posenc/lab';
import { afterEach, describe, expect, it } from 'vitest';
import { errorOf, posenc, rejection } from './posenc.js';

const tiny = {
  ...{ task: 'copy', train: [1, 3], test: [3, 6] },
  ...{ width: 16, heads: 2, layers: 2, batch: 16, steps: 150, warmup: 10, rate: 0.01 },
} as const satisfies Partial<Recipe>;

const pe = posenc;
const begin = (recipe: Partial<Recipe>, weights?: Uint8Array) =>
  startRun({
    pe,
    recipe: { ...tiny, encoding: 'rope', ...recipe },
    ...(weights === undefined ? {} : { weights }),
  });

function learn(run: LabRun, steps: number): number[] {
  for (let i = 0; i < steps; i++) run.step();
  return run.losses.slice(-steps);
}

const ids = [0, 5, 6, 5, 1, 5, 6, 5];

afterEach(() => expect(pe.info).toMatchObject({ liveModels: 0, liveTensors: 0 }));

describe('checkpoints', () => {
  it.each([
    ['llama', 'rope', 'LlamaForCausalLM', { rope_theta: 10000, max_position_embeddings: 9 }],
    ['gpt2', 'learned', 'GPT2LMHeadModel', { n_positions: 15 }],
    ['gpt_neox', 'rope', 'GPTNeoXForCausalLM', { rotary_pct: 1 }],
    ['bloom', 'alibi', 'BloomForCausalLM', {}],
  ] as const)('of %s with %s are those of the family', async (family, encoding, name, facts) => {
    const run = await begin({ family, encoding });
    learn(run, 5);
    const { config, weights, standard } = run.export();
    expect(standard).toBe(true);
    expect(config).toMatchObject({
      architectures: [name],
      model_type: family,
      ...{ vocab_size: 19, tie_word_embeddings: true, dtype: 'float32', ...facts },
    });
    const names = [...(await readSafetensors(weights)).tensors.keys()];
    expect(names.filter((each) => each.startsWith('posenc'))).toEqual([]);
    const model = await pe.loadModel({ config, weights });
    expect(model.logits(ids)).toEqual(run.model.logits(ids, run.options));
    model.dispose();
    run.dispose();
  });

  it('as float16 are half as large and near', async () => {
    const run = await begin({ encoding: 'shaw' });
    learn(run, 50);
    const [full, half] = [run.export(), run.export({ dtype: 'f16' })];
    expect(half.config).toMatchObject({ dtype: 'float16' });
    expect(half.weights.length).toBeLessThan(full.weights.length * 0.65);
    const opened = await openModel({ pe, file: half.weights });
    const [near, exact] = [opened, run].map(({ model, options }) => model.logits(ids, options));
    expect(near).not.toEqual(exact);
    for (const [i, x] of exact!.entries()) expect(Math.abs(near![i]! - x)).toBeLessThan(0.05);
    opened.dispose();
    run.dispose();
  });

  it.each([
    ['linear', 2],
    ['yarn', 4],
    ['dynamic', 3],
  ] as const)('with the scaling %s say so, and compute with it', async (type, factor) => {
    const plain = await begin({});
    const scaling = { type, factor, originalLength: 4 };
    const run = await begin({ scaling });
    const rule = { rope_type: type, factor, original_max_position_embeddings: 4 };
    expect(run.export().config).toMatchObject({ rope_scaling: rule });
    expect(plain.export().config).not.toHaveProperty('rope_scaling');
    // The same seed makes the same weights: positions alone differ.
    const logits = run.model.logits(ids, run.options);
    expect(logits).not.toEqual(plain.model.logits(ids, plain.options));
    if (type === 'linear') {
      const scaled = plain.model.logits(ids, { scaling: { type, factor } });
      expect(logits).toEqual(scaled);
    }
    const opened = await openModel({ pe, file: run.export().weights });
    expect(opened.recipe.scaling).toEqual(scaling);
    expect(opened.model.logits(ids, opened.options)).toEqual(logits);
    for (const each of [plain, run, opened]) each.dispose();
  });
});

describe('weights of another run', () => {
  it('go on under another encoding', async () => {
    const rope = await begin({ steps: 400, warmup: 20 });
    learn(rope, 400);
    const { weights } = rope.export();
    const fresh = await begin({ encoding: 'nope' });
    const tuned = await begin({ encoding: 'nope' }, weights);
    expect(tuned.steps).toBe(0);
    expect(tuned.losses).toEqual([]);
    expect(tuned.recipe.encoding).toBe('nope');
    // Without its positions the model is not what it was, but the matrices are its own.
    expect(tuned.model.tensor('decoder.0.mlp.up.weight')).toEqual(
      rope.model.tensor('decoder.0.mlp.up.weight'),
    );
    expect(tuned.evaluate(3).exact).toBeLessThan(rope.evaluate(3).exact);
    const [first, later] = [learn(fresh, 150), learn(tuned, 150)].map(
      (losses) => losses.slice(-20).reduce((sum, loss) => sum + loss, 0) / 20,
    );
    expect(later).toBeLessThan(first!);
    for (const run of [rope, fresh, tuned]) run.dispose();
  });

  it('bring the tables of the same encoding', async () => {
    const run = await begin({ encoding: 'kerple' });
    learn(run, 5);
    const again = await begin({ encoding: 'kerple', steps: 7 }, run.save());
    expect(again.model.logits(ids, again.options)).toEqual(run.model.logits(ids, run.options));
    for (const each of [run, again]) each.dispose();
  });
});

describe('refuses', () => {
  /** Files of a run that learned with a table for long texts. */
  async function files() {
    const run = await begin({ encoding: 'learned', test: [50] });
    const made = {
      saved: run.save(),
      exported: run.export().weights,
      bare: run.model.export().weights,
    };
    run.dispose();
    const empty = { w: { shape: [1], data: Float32Array.of(0) } };
    const damaged = (text: string) => writeSafetensors(empty, { metadata: { 'posenc.run': text } });
    return { ...made, nothing: damaged('null'), noJson: damaged('{') };
  }

  const learned = { ...tiny, encoding: 'learned' } as const;
  const text = 'a'.repeat(1000);
  type Files = Awaited<ReturnType<typeof files>>;
  const cases: [string, (made: Files) => Promise<unknown>, string, string][] = [
    ['nothing', () => startRun(undefined as never), 'recipe.encoding', 'argument'],
    ['no module', () => startRun({ recipe: learned } as never), 'pe', 'argument'],
    [
      'a module that is not loaded',
      () => startRun({ pe: {} as Posenc, recipe: learned }),
      'pe',
      'argument',
    ],
    [
      'unknown options',
      () => startRun({ pe, recipe: learned, file: '' } as never),
      'file',
      'option',
    ],
    ['a text for a task', () => startRun({ pe, recipe: learned, text }), 'text', 'argument'],
    [
      'a text that is none',
      () => startRun({ pe, recipe: { task: 'text', encoding: 'rope' }, text: 5 } as never),
      'text',
      'argument',
    ],
    [
      'no text',
      () => startRun({ pe, recipe: { task: 'text', encoding: 'rope' } }),
      'text',
      'argument',
    ],
    [
      'too short a text',
      () => startRun({ pe, recipe: { task: 'text', encoding: 'rope' }, text }),
      'text',
      'shape',
    ],
    ['a table of other lengths', ({ exported }) => begin(learned, exported), 'weights', 'config'],
    [
      'weights of another width',
      ({ exported }) => begin({ width: 32 }, exported),
      'weights',
      'config',
    ],
    [
      'weights of another task',
      ({ exported }) => begin({ task: 'sum' }, exported),
      'weights',
      'config',
    ],
    ['weights of no run', ({ bare }) => begin({}, bare), 'file', 'config'],
    ['to resume nothing', () => resumeRun({ pe } as never), 'file', 'argument'],
    [
      'to resume what was exported',
      ({ exported }) => resumeRun({ pe, file: exported }),
      'file',
      'argument',
    ],
    [
      'to resume with a text',
      ({ saved }) => resumeRun({ pe, file: saved, text }),
      'text',
      'argument',
    ],
    [
      'to resume without a module',
      ({ saved }) => resumeRun({ file: saved } as never),
      'pe',
      'argument',
    ],
    [
      'to resume half a file',
      ({ saved }) => resumeRun({ pe, file: saved.subarray(0, 999) }),
      'file',
      'config',
    ],
    [
      'to resume what says null',
      ({ nothing }) => resumeRun({ pe, file: nothing }),
      'file',
      'config',
    ],
    [
      'to open what is to be resumed',
      ({ saved }) => openModel({ pe, file: saved }),
      'file',
      'argument',
    ],
    ['to open any other file', ({ bare }) => openModel({ pe, file: bare }), 'file', 'config'],
    ['to open what says null', ({ nothing }) => openModel({ pe, file: nothing }), 'file', 'config'],
    ['to open what is no JSON', ({ noJson }) => openModel({ pe, file: noJson }), 'file', 'config'],
    ['to open nothing', () => openModel({} as never), 'file', 'argument'],
  ];

  it.each(cases)('%s', async (_, call, argument, code) => {
    const error = await rejection(call(await files()));
    expect(error.message.length).toBeGreaterThan(10);
    expect(error).toMatchObject({ name: 'PosencError', argument, code });
  });

  it('sizes that were not foreseen, and unknown options', async () => {
    const run = await begin({ steps: 1, warmup: 0 });
    const calls: [() => unknown, string][] = [
      [() => run.evaluate(7), 'size is 7'],
      [() => run.evaluate(0), 'size is 0'],
      [() => run.evaluate(3, { examples: 0 }), 'examples is 0'],
      [() => run.evaluate(3, { example: 5 } as never), 'did you mean examples?'],
      [() => run.export({ dtype: 'int8' } as never), 'dtype is "int8"'],
    ];
    for (const [call, message] of calls) expect(call).toThrow(message);
    run.dispose();
    expect(() => run.step()).toThrow('disposed');
    run.dispose();
  });

  it('to go on where the loss is no number', async () => {
    const run = await begin({ rate: 1, clip: 0, warmup: 0, floor: 1, decay: 10 });
    const error = errorOf(() => learn(run, 150));
    expect(error).toMatchObject({
      code: 'range',
      argument: 'recipe.rate',
      allowed: 'a lower rate',
    });
    expect(error.message).toContain(`the loss of step ${run.steps + 1} is NaN`);
    // What was learned before stays, and nothing was learned of what is no number.
    expect(run.losses).toHaveLength(run.steps);
    expect(run.losses.every(Number.isFinite)).toBe(true);
    run.dispose();
  });

  it('the enough of a text is what its error says', async () => {
    const recipe = { ...tiny, task: 'text', encoding: 'rope', train: [4, 4], test: [8] } as const;
    const error = await rejection(startRun({ pe, recipe, text: 'a'.repeat(80) }));
    expect(error.message).toContain('at least 100 characters');
    (await startRun({ pe, recipe, text: 'a'.repeat(100) })).dispose();
  });
});

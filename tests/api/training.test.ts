/** Training against references in float64: gradients, AdamW, and what encodings learn. */
import { readFileSync } from 'node:fs';
import { readSafetensors, writeSafetensors, type Encoding, type LanguageModel } from 'posenc';
import { describe, expect, it } from 'vitest';
import { planModel } from '../../web/api/model/plan.js';
import { applyCut } from '../../web/api/model/stream.js';
import { builds } from './builds.js';
import { loadFamily, unpack } from './model-golden.js';
import { errorOf, expectGradient, posenc } from './posenc.js';

interface Packed {
  readonly shape: readonly number[];
  readonly float32: string;
}

/** One model of training.json. */
interface Run {
  readonly config: object;
  readonly batch: readonly (readonly number[])[];
  readonly losses: readonly number[];
  readonly gradientNorms: readonly number[];
  readonly zeroGradient: Readonly<Record<string, readonly (readonly [number, number])[]>>;
  readonly parameters: Readonly<Record<string, Record<'initial' | 'gradient' | 'after', Packed>>>;
}

const file = new URL('../golden/models/training.json', import.meta.url);
const { models } = JSON.parse(readFileSync(file, 'utf8')) as { models: Record<string, Run> };

/** Loads the model of a run, and tells by which tensor of the engine each of its parameters is known. */
async function open(build: typeof posenc, run: Run) {
  const tensors = Object.fromEntries(
    Object.entries(run.parameters).map(([name, { initial }]) => [
      name,
      { shape: initial.shape, data: unpack(initial) },
    ]),
  );
  const weights = await readSafetensors(writeSafetensors(tensors));
  const plan = planModel(run.config, weights.tensors);
  const model = await build.loadModel({ config: run.config, weights });
  /** A parameter as the engine has it. */
  const inEngine = (which: 'gradient' | 'after') =>
    plan.tensors.map(({ name, source, cut }) => {
      const { shape, ...packed } = run.parameters[source]![which];
      const data = applyCut(unpack({ shape, ...packed }), shape, cut);
      return { name, source, data };
    });
  return { model, inEngine };
}

describe.each(builds)('%s', (_, build) => {
  it.each(Object.keys(models))('%s: losses, gradients and three steps of AdamW', async (name) => {
    const run = models[name]!;
    const { model, inEngine } = await open(build, run);
    const trainer = build.trainer({ model, rate: 0.01, beta1: 0.9, beta2: 0.95, decay: 0.1 });
    const inputs = { ids: run.batch.flat(), batch: 2 };
    for (const [step, norm] of run.gradientNorms.entries()) {
      expect(trainer.learn(inputs)).toBeCloseTo(run.losses[step]!, 4);
      expect(trainer.norm() / norm).toBeCloseTo(1, 3);
      if (step === 0) {
        for (const { name, data } of inEngine('gradient')) {
          expectGradient(trainer.gradient(name), data);
        }
      }
      trainer.step();
    }
    expect(trainer.learn(inputs)).toBeCloseTo(run.losses[3]!, 3);
    for (const { name, source, data } of inEngine('after')) {
      if (source in run.zeroGradient) continue; // rounding alone moves some of its numbers
      model.tensor(name).forEach((x, i) => expect(Math.abs(x - data[i]!)).toBeLessThan(3e-4));
    }
    trainer.dispose();
    model.dispose();
  });
});

describe('what encodings learn', () => {
  const heads = 4;
  const headDim = 4;
  const ids = [3, 9, 14, 2, 9, 21, 7, 3, 9, 14, 5, 1, 0, 23, 8, 3];
  const random = posenc.random(5);

  /** Encodings with a tensor each. */
  const trained: Record<
    string,
    () => { tensor: ReturnType<typeof posenc.tensor>; encoding: Encoding }
  > = {
    t5: () => {
      const tensor = posenc.tensor(random.normal(8 * heads), [8 * heads]);
      const encoding = posenc.encoding('t5', { heads, buckets: 8, table: tensor });
      return { tensor, encoding };
    },
    shaw: () => {
      const tensor = posenc.tensor(random.normal(7 * headDim), [7 * headDim]);
      const encoding = posenc.encoding('shaw', { headDim, maxDistance: 3, keys: tensor });
      return { tensor, encoding };
    },
    learned: () => {
      const tensor = posenc.tensor(random.normal(16 * 12), [16 * 12]);
      const encoding = posenc.encoding('learned', { width: 16, table: tensor });
      return { tensor, encoding };
    },
  };

  it.each(Object.keys(trained))('%s: the gradient is that of the loss', async (name) => {
    const { tensor, encoding } = trained[name]!();
    const place = name === 'learned' ? { embedding: encoding } : { encoding: () => encoding };
    const before = tensor.read();
    const inputs = { ids, batch: 2 };
    // Without moments a step is x − rate · g / (|g| + 1), which tells g.
    const moving = (await open(posenc, models.llama!)).model;
    const mover = posenc.trainer({
      model: moving,
      ...place,
      clip: 0,
      beta1: 0,
      beta2: 0,
      epsilon: 1,
    });
    mover.learn(inputs);
    mover.step({ rate: 1e-3 });
    const after = tensor.read();
    const gradient = before.map((x, i) => {
      const y = (x - after[i]!) / 1e-3;
      return y / (1 - Math.abs(y));
    });
    expect(gradient.some((g) => Math.abs(g) > 1e-3)).toBe(true);

    const { model } = await open(posenc, models.llama!);
    const trainer = posenc.trainer({ model, ...place });
    for (let i = 0; i < before.length; i += 5) {
      const at = (d: number): number => {
        tensor.write(before.map((x, j) => (i === j ? x + d : x)));
        return trainer.learn(inputs);
      };
      const difference = (at(0.02) - at(-0.02)) / 0.04;
      expect(Math.abs(difference - gradient[i]!)).toBeLessThan(2e-3);
    }
    for (const each of [mover, trainer, moving, model, tensor]) each.dispose();
  });
});

describe('a run', () => {
  it('goes on where it was saved', async () => {
    const [a, b] = [await open(posenc, models.llama!), await open(posenc, models.llama!)];
    const first = posenc.trainer({ model: a.model });
    const inputs = { ids: models.llama!.batch.flat(), batch: 2 };
    for (let i = 0; i < 3; i++) {
      first.learn(inputs);
      first.step();
    }
    const again = posenc.trainer({ model: b.model });
    for (let i = 0; i < 3; i++) {
      again.learn(inputs);
      again.step();
    }
    expect(first.save()).toEqual(again.save());
    const third = posenc.trainer({ model: b.model });
    third.restore(again.save());
    expect(third.steps).toBe(3);
    for (const trainer of [first, third]) {
      trainer.learn(inputs);
      trainer.step();
    }
    expect(b.model.tensor('embedding.weight')).toEqual(a.model.tensor('embedding.weight'));
    for (const trainer of [first, again, third]) trainer.dispose();
    a.model.dispose();
    b.model.dispose();
  });

  it('refuses what it cannot train, and bad input', async () => {
    const bert = await loadFamily(posenc, 'bert');
    const gemma = await loadFamily(posenc, 'gemma2');
    const half = await loadFamily(posenc, 'llama', { dtype: 'f16' });
    for (const model of [bert, gemma, half]) {
      expect(errorOf(() => posenc.trainer({ model })).code).toBe('unsupported');
    }
    const model = await loadFamily(posenc, 'llama');
    const trainer = posenc.trainer({ model });
    const cases: [() => unknown, string, string][] = [
      [() => trainer.learn({ ids: [] }), 'ids', 'shape'],
      [() => trainer.learn({ ids: [1, 2, 3], batch: 2 }), 'ids', 'shape'],
      [() => trainer.learn({ ids: [1, 99] }), 'ids[1]', 'range'],
      [() => trainer.learn({ ids: [1, 2], targets: [1] }), 'targets', 'shape'],
      [
        () => trainer.learn({ ids: [1, 2], weights: Float32Array.of(1, NaN) }),
        'weights[1]',
        'range',
      ],
      [() => trainer.step({ rate: -1 }), 'rate', 'range'],
      [() => trainer.restore(new Uint8Array(3)), 'bytes', 'shape'],
      [() => posenc.trainer({ model: {} as LanguageModel }), 'model', 'argument'],
    ];
    for (const [call, argument, code] of cases) {
      expect(errorOf(call)).toMatchObject({ argument, code });
    }
    trainer.dispose();
    expect(errorOf(() => trainer.learn({ ids: [1, 2] })).code).toBe('disposed');
    for (const each of [bert, gemma, half, model]) each.dispose();
    expect(posenc.info.liveModels).toBe(0);
  });
});

/** Dropout of the trainer: off it changes nothing, on it depends on the seed and the step alone. */
import type { LanguageModel, TrainerOptions } from 'posenc';
import { afterAll, describe, expect, it } from 'vitest';
import { builds } from './builds.js';
import { loadFamily } from './model-golden.js';
import { errorOf, posenc } from './posenc.js';

const inputs = { ids: [1, 4, 9, 2, 2, 7, 30, 5, 8, 8, 3, 6], batch: 2 };

/** Losses of some steps, and the weights after them. */
async function trained(build: typeof posenc, options: Partial<TrainerOptions>, steps = 3) {
  const model = await loadFamily(build, 'llama');
  const trainer = build.trainer({ model, ...options });
  const losses: number[] = [];
  for (let step = 0; step < steps; step++) {
    // Twice a step: every call drops others.
    losses.push(trainer.learn(inputs), trainer.learn(inputs));
    trainer.step();
  }
  const weights = model.tensor('decoder.1.mlp.down.weight');
  const state = trainer.save();
  trainer.dispose();
  model.dispose();
  return { losses, weights, state };
}

describe.each(builds)('%s', (_, build) => {
  it('of 0 gives the bits of no dropout, whatever the seed', async () => {
    const plain = await trained(build, {});
    expect(await trained(build, { dropout: 0 })).toEqual(plain);
    expect(await trained(build, { dropout: 0, seed: 3 })).toEqual(plain);
  });

  it('is the same of the same seed, another one of another and of every call', async () => {
    const plain = await trained(build, {});
    const one = await trained(build, { dropout: 0.2, seed: 3 });
    expect(await trained(build, { dropout: 0.2, seed: 3 })).toEqual(one);
    const other = await trained(build, { dropout: 0.2, seed: 4 });
    for (const [i, loss] of one.losses.entries()) {
      expect(loss).not.toBe(other.losses[i]);
      expect(loss).not.toBe(plain.losses[i]);
    }
    expect(new Set(one.losses).size).toBe(one.losses.length);
    expect(one.weights).not.toEqual(other.weights);
    const none = await trained(build, { dropout: 0.2 });
    expect(await trained(build, { dropout: 0.2, seed: 0 })).toEqual(none);
  });
});

/** Steps without learning: the model stays, so that calls can be compared. */
const still = { rate: 0, decay: 0 };

describe('what is dropped', () => {
  let model: LanguageModel;
  afterAll(() => model.dispose());

  it('depends on the number of the step, so that a resumed run goes on as it would have', async () => {
    model = await loadFamily(posenc, 'llama');
    const options = { model, dropout: 0.3, seed: 9, ...still };
    const whole = posenc.trainer(options);
    const losses = [0, 1, 2].map(() => {
      const loss = whole.learn(inputs);
      whole.step();
      return loss;
    });
    expect(new Set(losses).size).toBe(3);
    const first = posenc.trainer(options);
    expect(first.learn(inputs)).toBe(losses[0]);
    first.step();
    first.learn(inputs); // what was begun is not saved
    const resumed = posenc.trainer(options);
    resumed.restore(first.save());
    expect(resumed.learn(inputs)).toBe(losses[1]);
    for (const each of [whole, first, resumed]) each.dispose();
  });

  it('is dropped while learning alone', () => {
    const before = model.logits([1, 2, 3]);
    const trainer = posenc.trainer({ model, dropout: 0.9, ...still });
    trainer.learn(inputs);
    expect(model.logits([1, 2, 3])).toEqual(before);
    trainer.dispose();
  });

  it('keeps the mean of what layers add: losses stay near those without', () => {
    const plain = posenc.trainer({ model });
    const expected = plain.learn(inputs);
    plain.dispose();
    // Of little dropout the mean loss is nearly that without; what is kept and not raised is not.
    const trainer = posenc.trainer({ model, dropout: 0.02, seed: 1, ...still });
    const losses = Array.from({ length: 200 }, () => trainer.learn(inputs));
    const mean = losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
    const spread = Math.sqrt(losses.reduce((sum, x) => sum + (x - mean) ** 2, 0) / losses.length);
    expect(spread).toBeGreaterThan(1e-3);
    expect(Math.abs(mean - expected)).toBeLessThan(spread);
    trainer.dispose();
  });

  it.each([
    ['dropout', -0.01, 'range'],
    ['dropout', 0.951, 'range'],
    ['dropout', NaN, 'range'],
    ['dropout', '0.1', 'argument'],
    ['seed', -1, 'range'],
    ['seed', 2 ** 20 + 1, 'range'],
    ['seed', 0.5, 'range'],
    ['seed', '1', 'argument'],
  ])('may not have the %s %s', (argument, value, code) => {
    const options = { model, [argument]: value } as TrainerOptions;
    const error = errorOf(() => posenc.trainer(options));
    expect(error).toMatchObject({ argument, code });
  });
});

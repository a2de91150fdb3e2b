/** Exports as other people's tools read them: tests/pack/export.py computes the logits once more. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load, type LanguageModel } from 'posenc';
import { startRun } from 'posenc/lab';
import { describe, expect, it } from 'vitest';
import { emptyFolder, root, runIn } from './install.js';

const python = (() => {
  try {
    execFileSync('python3', ['-c', 'pass']);
    return 'python3';
  } catch {
    return undefined;
  }
})();

const folder = await emptyFolder();
const posenc = await load({ variant: 'simd' });

interface Exported {
  readonly config: object;
  readonly weights: Uint8Array;
}

const ids = [3, 9, 14, 2, 9, 21, 7, 3, 9, 14, 5, 1, 0, 22];

/** Writes a checkpoint with the logits that this package gives, and has them computed once more. */
async function compare(
  name: string,
  { config, weights }: Exported,
  logits: Float32Array,
  text: readonly number[] = ids,
) {
  const own = join(folder, name);
  await mkdir(own);
  await writeFile(join(own, 'config.json'), JSON.stringify(config));
  await writeFile(join(own, 'model.safetensors'), weights);
  await writeFile(join(own, 'expected.json'), JSON.stringify({ ids: text, logits: [...logits] }));
  const { code, stdout, stderr } = await runIn(root, python!, 'tests/pack/export.py', own);
  expect(stdout, stderr).toMatch(/\{.*\}\n$/);
  return {
    code,
    ...(JSON.parse(stdout.trim().split('\n').at(-1)!) as { by: string; largest: number }),
  };
}

/** A model that has learned something, so that no bias is 0 and no norm 1. */
async function trained(config: object): Promise<LanguageModel> {
  const model = await posenc.createModel({ config, seed: 4 });
  const trainer = posenc.trainer({ model, rate: 0.02 });
  for (let step = 0; step < 30; step++) {
    trainer.learn({ ids: [...ids, ...ids.toReversed()], batch: 2 });
    trainer.step();
  }
  trainer.dispose();
  return model;
}

const llama = {
  architectures: ['LlamaForCausalLM'],
  ...{ model_type: 'llama', hidden_size: 16, intermediate_size: 24, num_hidden_layers: 2 },
  ...{ num_attention_heads: 4, num_key_value_heads: 2, max_position_embeddings: 64 },
  ...{ rms_norm_eps: 1e-5, rope_theta: 10000, vocab_size: 23, tie_word_embeddings: false },
};
const bloom = {
  architectures: ['BloomForCausalLM'],
  ...{ model_type: 'bloom', n_layer: 2, layer_norm_epsilon: 1e-5, vocab_size: 23 },
};

const cases: [string, object][] = [
  ['llama', llama],
  ['llama-tied', { ...llama, tie_word_embeddings: true, num_key_value_heads: 4 }],
  ['bloom', { ...bloom, hidden_size: 16, n_head: 4 }],
  ['bloom-3', { ...bloom, hidden_size: 18, n_head: 3 }],
];

describe.skipIf(python === undefined)('exports outside (needs python3)', () => {
  it.each(cases)('%s: the same logits', async (name, config) => {
    const model = await trained(config);
    const logits = model.logits(ids);
    const exported = model.export();
    model.dispose();
    // What is compared would notice: logits of thousandths could not.
    expect(Math.max(...logits) - Math.min(...logits)).toBeGreaterThan(5);
    expect(await compare(name, exported, logits)).toMatchObject({ code: 0 });

    const halves = { dtype: 'f16' } as const;
    const again = await posenc.loadModel(exported);
    const half = again.export(halves);
    const rounded = await posenc.loadModel(half);
    expect(await compare(`${name}-f16`, half, rounded.logits(ids))).toMatchObject({ code: 0 });
    for (const each of [again, rounded]) each.dispose();
  });

  it('a run of the lab: the same logits', async () => {
    const recipe = { task: 'copy', encoding: 'alibi', family: 'bloom', train: [1, 3] } as const;
    const sizes = { width: 16, heads: 2, batch: 8, steps: 30, warmup: 2, rate: 0.02 };
    const run = await startRun({ pe: posenc, recipe: { ...recipe, ...sizes, test: [3] } });
    while (run.steps < 30) run.step();
    const own = ids.map((id) => id % run.symbols.length);
    const exported = run.export();
    const logits = run.model.logits(own, run.options);
    run.dispose();
    expect(await compare('lab', exported, logits, own)).toMatchObject({ code: 0 });
  });

  it('another base is found out', async () => {
    const model = await trained(llama);
    const logits = model.logits(ids);
    const { config, weights } = model.export();
    model.dispose();
    const other = { ...config, rope_theta: 500 };
    const outcome = await compare('other-base', { config: other, weights }, logits);
    expect(outcome.code).toBe(1);
    expect(outcome.largest).toBeGreaterThan(1e-2);
  });
});

/** `export`: what a checkpoint was is what comes out, and models of it compute the same. */
import { readSafetensors, type LanguageModel, type Posenc } from 'posenc';
import { afterAll, describe, expect, it } from 'vitest';
import { builds } from './builds.js';
import { configOf, families, filesOf, loadFamily, sequencesOf } from './model-golden.js';
import { errorOf, posenc } from './posenc.js';

/** Logits of all golden texts of a family. */
const logitsOf = (model: LanguageModel, family: string): Float32Array[] =>
  sequencesOf(family).map(({ ids, decoder, encoder }) =>
    model.logits((decoder ?? ids)!, encoder === undefined ? {} : { encoder }),
  );

async function tensorsOf(files: readonly Uint8Array[]) {
  const found = new Map<string, { shape: readonly number[]; data: Float32Array; dtype: string }>();
  for (const file of files) {
    const weights = await readSafetensors(file);
    for (const [name, { shape, dtype }] of weights.tensors) {
      if (/^(F32|F16|BF16)$/.test(dtype)) {
        found.set(name, { shape, data: await weights.read(name), dtype });
      }
    }
  }
  return found;
}

/** Parts of other tasks, buffers, and the table of T5's cross attention, which nothing reads. */
const unread =
  /inv_freq|masked_bias|\.attn\.bias$|attention\.bias$|pooler|seq_relationship|EncDecAttention\.relative_attention_bias/;

const reload = (build: Posenc, { config, weights }: ReturnType<LanguageModel['export']>) =>
  build.loadModel({ config, weights });

describe.each(families)('%s', (family) => {
  it.each(builds)('%s: loads, exports and loads with the same logits', async (_, build) => {
    const model = await loadFamily(build, family);
    const exported = model.export();
    const again = await reload(build, exported);
    expect(again.spec).toEqual(model.spec);
    expect(logitsOf(again, family)).toEqual(logitsOf(model, family));
    expect(Buffer.compare(again.export().weights, exported.weights)).toBe(0);
    model.dispose();
    again.dispose();
  });

  it('has the tensors of the file it was loaded from, and what its config said', async () => {
    const model = await loadFamily(posenc, family);
    const { config, weights } = model.export();
    model.dispose();
    // All golden configs that say nothing of it, of models that have a head, have the embedding's.
    const tie = /^(bert|deberta-v2)$/.test(family) ? {} : { tie_word_embeddings: true };
    expect(config).toEqual({ ...tie, ...configOf(family), dtype: 'float32' });
    const written = await tensorsOf([weights]);
    const original = await tensorsOf(filesOf(family));
    for (const [name, tensor] of [...original]) {
      if (!unread.test(name) && family !== 'gpt2') continue;
      original.delete(name);
      // The golden file of GPT-2 lacks what `save_pretrained` writes before names.
      if (!unread.test(name)) original.set(`transformer.${name}`, tensor);
    }
    expect([...written.keys()].sort()).toEqual([...original.keys()].sort());
    for (const [name, { shape, data }] of written) {
      const source = original.get(name)!;
      expect(shape, name).toEqual(source.shape);
      // Gemma's norms gain 1 on the way in and lose it on the way out: half a step of numbers near 1.
      if (family.startsWith('gemma') && shape.length === 1) {
        const most = data.reduce((a, x, i) => Math.max(a, Math.abs(x - source.data[i]!)), 0);
        expect(most, name).toBeLessThanOrEqual(2 ** -24);
      } else expect(data, name).toEqual(source.data);
    }
  });

  it('as float16 is within half precision, and says so', async () => {
    const model = await loadFamily(posenc, family);
    const full = await tensorsOf([model.export().weights]);
    const { config, weights } = model.export({ dtype: 'f16' });
    expect(config['dtype']).toBe('float16');
    for (const [name, { data, dtype }] of await tensorsOf([weights])) {
      expect(dtype).toBe('F16');
      const exact = full.get(name)!.data;
      // Half of the last of 11 bits, or of the smallest step there is.
      const far = data.findIndex(
        (x, i) => Math.abs(x - exact[i]!) > Math.max(2 ** -25, Math.abs(exact[i]!) * 2 ** -11),
      );
      expect(far, name).toBe(-1);
    }
    const again = await posenc.loadModel({ config, weights });
    expect(again.spec).toEqual(model.spec);
    model.dispose();
    again.dispose();
  });
});

/** A file of llama2.c, version 0, with its own head: 8 wide, 2 heads of 4, 1 kv head, 2 layers. */
function llama2c(): Uint8Array {
  const [dim, hidden, layers, heads, kvHeads, vocabulary, length] = [8, 12, 2, 2, 1, 9, 16];
  const header = Int32Array.of(dim, hidden, layers, heads, kvHeads, -vocabulary, length);
  const kv = (dim * kvHeads) / heads;
  const matrices = 2 * dim * dim + 2 * kv * dim + 3 * dim * hidden;
  const count = 2 * vocabulary * dim + layers * (2 * dim + matrices) + dim + length * (dim / heads);
  const bytes = new Uint8Array(28 + 4 * count);
  bytes.set(new Uint8Array(header.buffer));
  const numbers = posenc.random(11).normal(count);
  bytes.set(new Uint8Array(numbers.buffer), 28);
  return bytes;
}

it('makes a checkpoint of Hugging Face out of a file of llama2.c', async () => {
  const model = await posenc.loadModel({ weights: llama2c() });
  const exported = model.export();
  expect(exported.config).toMatchObject({ model_type: 'llama', hidden_size: 8, vocab_size: 9 });
  const names = [...(await readSafetensors(exported.weights)).tensors.keys()];
  expect(names).toEqual(
    expect.arrayContaining([
      'model.embed_tokens.weight',
      'lm_head.weight',
      'model.layers.1.self_attn.k_proj.weight',
      'model.norm.weight',
    ]),
  );
  const again = await reload(posenc, exported);
  const ids = [1, 8, 3, 3, 0, 5];
  expect(again.logits(ids)).toEqual(model.logits(ids));
  expect(new Set(model.logits(ids)).size).toBeGreaterThan(9);
  model.dispose();
  again.dispose();
});

describe('a config that does not say whether the head is the embedding', () => {
  const { tie_word_embeddings: _, ...silent } = configOf('llama');

  it.each([true, false])('of a model where it is: %s', async (tied) => {
    const config = { ...silent, tie_word_embeddings: tied };
    const model = await posenc.createModel({ config, seed: 3 });
    const { weights } = model.export();
    const names = [...(await readSafetensors(weights)).tensors.keys()];
    expect(names.includes('lm_head.weight')).toBe(!tied);
    const loaded = await posenc.loadModel({ config: silent, weights });
    const exported = loaded.export();
    expect(exported.config).toMatchObject({ tie_word_embeddings: tied });
    expect(exported.weights).toEqual(weights);
    const again = await reload(posenc, exported);
    expect(again.logits([1, 2, 3])).toEqual(model.logits([1, 2, 3]));
    for (const each of [model, loaded, again]) each.dispose();
  });

  it('makes a Llama with a head of its own, as transformers does', async () => {
    const model = await posenc.createModel({ config: JSON.stringify(silent) });
    const { config, weights } = model.export();
    expect(config).toMatchObject({ tie_word_embeddings: false });
    expect([...(await readSafetensors(weights)).tensors.keys()]).toContain('lm_head.weight');
    model.dispose();
  });
});

describe('refuses', () => {
  it.each(['f16', 'int8'] as const)('weights that are held as %s', async (dtype) => {
    const model = await loadFamily(posenc, 'llama', { dtype });
    const error = errorOf(() => model.export());
    expect(error).toMatchObject({ code: 'unsupported', argument: 'the model' });
    expect(error.message).toBe(
      `the model is "held as ${dtype}", needs to be loaded with dtype "f32"`,
    );
    model.dispose();
  });

  it('unknown options, unknown types, and models that are gone', async () => {
    const model = await loadFamily(posenc, 'llama');
    const cases: [() => unknown, string, string][] = [
      [() => model.export({ dtype: 'int8' } as never), 'dtype', 'option'],
      [() => model.export({ type: 'f16' } as never), 'type', 'option'],
    ];
    for (const [call, argument, code] of cases) {
      expect(errorOf(call)).toMatchObject({ argument, code });
    }
    model.dispose();
    expect(errorOf(() => model.export()).code).toBe('disposed');
  });
});

afterAll(() => expect(builds.map(([, { info }]) => info.liveModels)).toEqual([0, 0]));

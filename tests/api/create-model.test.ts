/** Models of random weights: every family is whole, and its weights are as promised. */
import { readSafetensors, type CreateModelOptions } from 'posenc';
import { afterAll, describe, expect, it } from 'vitest';
import { builds } from './builds.js';
import { configOf, families, filesOf } from './model-golden.js';
import { posenc, rejection } from './posenc.js';

/** What writes into the residual stream, by the names that families have for it. */
const writing =
  /(o_proj|down_proj|c_proj|out_proj|fc_out|fc2|attention\.dense|self_attn\.dense|dense_4h_to_h|output\.dense|Attention\.o|DenseReluDense\.wo)\.weight$/;
const norms = /norm|layernorm|LayerNorm|ln_/i;
/** Matrices that GPT-2's files hold as [inputs, outputs]. */
const turned = /\.(c_attn|c_proj|c_fc)\.weight$/;

/** Parts of other tasks, buffers, and the table of T5's cross attention, which nothing reads. */
const unread =
  /inv_freq|masked_bias|\.attn\.bias$|attention\.bias$|pooler|seq_relationship|EncDecAttention\.relative_attention_bias/;

/** Layers of the golden configs, of encoder–decoders those of the larger part. */
const layersOf: Readonly<Record<string, number>> = { gemma3: 3 };

/** A model of a family, as files of its own name it. */
async function created(build: typeof posenc, family: string, seed?: number) {
  const config = configOf(family);
  const model = await build.createModel({ config, ...(seed === undefined ? {} : { seed }) });
  const weights = await readSafetensors(model.export().weights);
  const numbers = new Map<string, { shape: readonly number[]; data: Float32Array }>();
  for (const [name, { shape }] of weights.tensors) {
    numbers.set(name, { shape, data: await weights.read(name) });
  }
  return { model, numbers };
}

/** Mean of squares, in standard errors from what normal numbers of a variance have. */
function surprise(data: Float32Array, variance: number): number {
  const mean = data.reduce((sum, x) => sum + x * x, 0) / data.length;
  return Math.abs(mean / variance - 1) / Math.sqrt(2 / data.length);
}

describe.each(families)('%s', (family) => {
  it('has every tensor that its checkpoints must have', async () => {
    const { model, numbers } = await created(posenc, family);
    const files = await Promise.all(filesOf(family).map((file) => readSafetensors(file)));
    // The golden file of GPT-2 lacks what `save_pretrained` writes before names.
    const prefix = family === 'gpt2' ? 'transformer.' : '';
    const known = files
      .flatMap(({ tensors }) => [...tensors])
      .filter(([name, { dtype }]) => /^(F32|F16|BF16)$/.test(dtype) && !unread.test(name))
      .map(([name, { shape }]) => [prefix + name, shape] as const);
    const shapes = [...numbers].map(([name, { shape }]) => [name, shape] as const);
    expect(Object.fromEntries(shapes)).toEqual(Object.fromEntries(known));
    const { decoder, encoder, vocabulary } = model.spec;
    const ids = [1, 2, 3];
    const source = decoder !== undefined && encoder !== undefined ? { encoder: ids } : {};
    const logits = model.logits(ids, source);
    expect(logits.length).toBe(3 * vocabulary);
    expect(logits.every(Number.isFinite)).toBe(true);
    expect(new Set(logits).size).toBeGreaterThan(vocabulary);
    model.dispose();
  });

  it('has weights of the promised sizes', async () => {
    const { model, numbers } = await created(posenc, family);
    const gemma = family.startsWith('gemma');
    const seen = { matrix: 0, writing: 0, norm: 0, bias: 0 };
    for (const [name, { shape, data }] of numbers) {
      if (/\.bias$|relative_attention_bias|rel_embeddings/.test(name)) {
        seen.bias += 1;
        expect(
          data.every((x) => x === 0),
          name,
        ).toBe(true);
      } else if (shape.length === 1) {
        seen.norm += 1;
        expect(name).toMatch(norms);
        // Gemma's files hold norms less 1.
        expect(
          data.every((x) => x === (gemma ? 0 : 1)),
          name,
        ).toBe(true);
      } else {
        const columns = turned.test(name) ? shape[0]! : shape[1]!;
        const kind = writing.test(name) ? 'writing' : 'matrix';
        seen[kind] += 1;
        const sublayers = kind === 'writing' ? 2 * (layersOf[family] ?? 2) : 1;
        expect(surprise(data, 1 / (columns * sublayers)), name).toBeLessThan(5);
        const mean = data.reduce((sum, x) => sum + x, 0) / data.length;
        expect(Math.abs(mean) * Math.sqrt(data.length * columns * sublayers), name).toBeLessThan(5);
      }
    }
    expect(seen.writing).toBeGreaterThanOrEqual(2 * 2);
    expect(seen.matrix).toBeGreaterThan(4);
    expect(seen.norm).toBeGreaterThan(2);
    model.dispose();
  });

  it('is the same of the same seed in every build, another one of another', async () => {
    const bytes = new Map<string, Buffer>();
    for (const [name, build] of builds) {
      for (const seed of [undefined, 0, 1, 2 ** 53 - 1]) {
        const { model } = await created(build, family, seed);
        bytes.set(`${name} ${seed}`, Buffer.from(model.export().weights));
        model.dispose();
      }
    }
    for (const seed of [undefined, 1, 2 ** 53 - 1]) {
      expect(bytes.get(`relaxed ${seed}`)!.equals(bytes.get(`simd ${seed}`)!), String(seed)).toBe(
        true,
      );
    }
    const is = (seed: number | undefined) =>
      bytes.get(`simd ${seed}`)!.equals(bytes.get('simd 0')!);
    expect([undefined, 1, 2 ** 53 - 1].map(is)).toEqual([true, false, false]);
  });
});

describe('bad input', () => {
  const llama = configOf('llama');
  const without = (key: string) => ({ ...llama, [key]: undefined });
  const cases: [string, unknown, string, string, string][] = [
    ['no config', {}, 'argument', 'config', 'a config.json'],
    ['no vocabulary', { config: without('vocab_size') }, 'config', 'config', 'embed_tokens'],
    ['no hidden size', { config: without('intermediate_size') }, 'config', 'config', 'mlp.up_proj'],
    [
      'a family that is not there',
      { config: { model_type: 'mamba' } },
      'unsupported',
      'model_type',
      'llama',
    ],
    ['text that is no JSON', { config: '{' }, 'config', 'config', 'JSON'],
    ['a negative seed', { config: llama, seed: -1 }, 'range', 'seed', '0'],
    ['half a seed', { config: llama, seed: 0.5 }, 'range', 'seed', '0.5'],
    ['a seed that is text', { config: llama, seed: '1' }, 'argument', 'seed', '"1"'],
    ['an unknown option', { config: llama, sead: 1 }, 'option', 'sead', 'did you mean seed?'],
    [
      'a tokenizer of more ids',
      { config: llama, tokenizer: { vocabulary: 1000 } },
      'shape',
      'tokenizer.vocabulary',
      'at most',
    ],
  ];

  it.each(cases)('%s', async (_, options, code, argument, message) => {
    const error = await rejection(posenc.createModel(options as CreateModelOptions));
    expect(error).toMatchObject({ code, argument });
    expect(error.message).toContain(message);
    expect(posenc.info.liveModels).toBe(0);
  });

  it('the build lite has no models', async () => {
    const { load } = await import('posenc');
    const lite = await load({ variant: 'lite' });
    const error = await rejection(
      Promise.resolve().then(() => lite.createModel({ config: llama })),
    );
    expect(error.code).toBe('unsupported');
  });
});

afterAll(() => expect(builds.map(([, { info }]) => info.liveModels)).toEqual([0, 0]));

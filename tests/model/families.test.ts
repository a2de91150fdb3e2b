/** Every family from a tiny config and the names and shapes of its checkpoint alone. */
import { describe, expect, it } from 'vitest';
import { planModel } from '../../web/api/model/plan.js';
import { modelTypes } from '../../web/api/model/families/index.js';
import type { WeightInfo } from '../../web/api/model/weights/types.js';
import { errorOf } from './bytes-of.js';
import { samples } from './family-samples.js';

type Shapes = Readonly<Record<string, readonly number[]>>;

const infos = (shapes: Shapes): Map<string, WeightInfo> =>
  new Map(Object.entries(shapes).map(([name, shape]) => [name, { dtype: 'F32', shape }]));

it('has a sample of every model type', () => {
  expect(new Set(samples.map(({ config }) => config.model_type))).toEqual(new Set(modelTypes));
});

describe.each(samples)('$name', ({ config, shapes, engine, ignored = {}, spec }) => {
  it('gives the tensors of the engine', () => {
    const plan = planModel(config, infos({ ...shapes, ...ignored }));
    const names = Object.fromEntries(plan.tensors.map(({ name, shape }) => [name, shape]));
    expect(names).toMatchObject(engine);
    expect(plan.spec).toMatchObject(spec);
    expect(new Set(plan.tensors.map(({ name }) => name)).size).toBe(plan.tensors.length);
    const used = new Set(plan.tensors.map(({ source }) => source));
    expect([...used].sort()).toEqual(Object.keys(shapes).sort());
  });

  it('names what is missing, unknown, or of another shape, in one error', () => {
    const given: Record<string, readonly number[]> = { ...shapes, 'odd.weight': [1] };
    const ofLayer = Object.keys(shapes).filter((name) => name.includes('.1.'));
    const [lost, bent] = [ofLayer[2]!, ofLayer[3]!];
    delete given[lost];
    given[bent] = [...given[bent]!, 7];
    const { code, message } = errorOf(() => planModel(config, infos(given)));
    expect(code).toBe('config');
    // Names of tables have no prefix, and are the newer ones.
    const bare = /it lacks "([^"]+)"/.exec(message)?.[1] ?? '?';
    expect(lost.replace('.gamma', '.weight').endsWith(bare)).toBe(true);
    expect(message).toContain('it has unknown "odd.weight"');
    expect(message).toContain(`"${bent}" has the shape [${given[bent].join(', ')}], needs [`);
  });
});

describe('what models do not run', () => {
  const { config, shapes } = samples.find(({ name }) => name === 'llama')!;
  const refusal = (change: object): string => {
    const error = errorOf(() => planModel({ ...config, ...change }, infos(shapes)));
    expect(error.code).toBe('unsupported');
    return error.message;
  };
  it.each([
    [{ quantization_config: { bits: 4 } }, 'quantization_config is an object, needs none'],
    [{ num_local_experts: 8 }, 'num_local_experts is 8, needs 0 or 1'],
    [{ hidden_act: 'quick_gelu' }, 'hidden_act is "quick_gelu", needs silu, swish, gelu'],
    [{ model_type: 'falcon' }, 'model_type is "falcon", needs "llama", "mistral"'],
    [{ model_type: 'lama' }, 'did you mean "llama"?'],
    [{ kv_lora_rank: 8 }, 'kv_lora_rank is 8, needs none'],
  ])('%j', (change, message) => {
    expect(refusal(change)).toContain(message);
  });

  const sampleOf = (name: string) => samples.find((sample) => sample.name === name)!;
  it.each([
    ['gpt2', { scale_attn_by_inverse_layer_idx: true }, 'scale_attn_by_inverse_layer_idx is true'],
    ['opt', { word_embed_proj_dim: 4 }, 'word_embed_proj_dim is 4, needs hidden_size (8)'],
    ['mpt', { attn_config: { clip_qkv: 6 } }, 'attn_config.clip_qkv is 6, needs none'],
    ['mpt', { attn_config: { alibi: false } }, 'attn_config.alibi is false, needs true'],
    ['bloom', { apply_residual_connection_post_layernorm: true }, 'needs false'],
    ['phi', { qk_layernorm: true }, 'qk_layernorm is true, needs false'],
    ['gemma3', { use_bidirectional_attention: true }, 'needs false'],
    ['bert', { position_embedding_type: 'relative_key' }, 'needs absolute'],
    ['deberta', { conv_kernel_size: 3 }, 'conv_kernel_size is 3, needs 0'],
    ['deberta', { norm_rel_ebd: 'batch' }, 'norm_rel_ebd is "batch"'],
    ['deberta', { pos_att_type: ['p2p'] }, 'pos_att_type is "p2p", needs c2p and p2c'],
    ['t5', { feed_forward_proj: 'gated-mish' }, 'feed_forward_proj is "mish"'],
    ['minimind', { use_moe: true }, 'use_moe is true, needs false'],
  ])('%s with %j', (name, change, message) => {
    const sample = sampleOf(name);
    const changed = { ...sample.config, ...change };
    const error = errorOf(() => planModel(changed, infos(sample.shapes)));
    expect(error.code).toBe('unsupported');
    expect(error.message).toContain(message);
  });

  it('numbers that are quantised, and one tensor under two names', () => {
    const tensors = infos(shapes);
    tensors.set('model.norm.weight', { dtype: 'I8', shape: [8] });
    expect(errorOf(() => planModel(config, tensors)).message).toBe(
      'tensor "model.norm.weight" is I8, needs F32, F16 or BF16',
    );
    const twice = infos({ ...shapes, 'norm.weight': [8] });
    expect(errorOf(() => planModel(config, twice)).message).toBe(
      'tensors "model.norm.weight" and "norm.weight" are the same one of the model',
    );
  });
});

describe('positions', () => {
  const planOf = (name: string, change: object = {}) => {
    const sample = samples.find((each) => each.name === name)!;
    return planModel({ ...sample.config, ...change }, infos(sample.shapes)).spec;
  };
  it('have the rule that stretches, and follow the length', () => {
    const rope_scaling = { rope_type: 'dynamic', factor: 2 };
    const [layer] = planOf('llama', { rope_scaling }).decoder!.layers;
    expect(layer?.encodings[0]?.options).toMatchObject({
      scaling: { type: 'dynamic', factor: 2, originalMaxPosition: 64 },
    });
    expect(layer?.encodings[0]?.options).not.toHaveProperty('length');
  });

  it('differ by layer', () => {
    const { layers } = planOf('gemma3').decoder!;
    expect(layers.map(({ window }) => window)).toEqual([4, undefined]);
    expect(layers.map(({ encodings }) => encodings[0]!.options['base'])).toEqual([10000, 1e6]);
    const still = planOf('smollm3', { no_rope_layers: [1, 0] }).decoder!.layers;
    expect(still.map(({ encodings }) => encodings.length)).toEqual([1, 0]);
  });

  it('of UMT5 have a table per layer', () => {
    const { encoder } = planOf('umt5');
    expect(encoder!.layers[1]!.encodings[0]!.tensors).toEqual({
      table: { tensor: 'encoder.1.attention.relative.weight' },
    });
  });

  it('of MPT have its largest bias', () => {
    const { layers } = planOf('mpt', { attn_config: { alibi_bias_max: 16 } }).decoder!;
    expect(layers[0]?.encodings).toEqual([{ name: 'alibi', options: { heads: 2, biasMax: 16 } }]);
  });
});

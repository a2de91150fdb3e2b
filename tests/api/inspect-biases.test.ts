/** Models without rotation: biases by distance, and tables of positions. */
import { describe, expect, it } from 'vitest';
import { inspect } from 'posenc';
import type { LayerGroup, Plan } from 'posenc';

const codes = (plan: Plan): string[] =>
  [...plan.warnings, ...plan.assumptions].map(({ code }) => code);

const only = (plan: Plan): LayerGroup => {
  expect(plan.layerGroups).toHaveLength(1);
  return plan.layerGroups[0]!;
};

describe('biases', () => {
  it('T5: buckets that saturate at 91 in the encoder and 113 in the decoder', () => {
    const plan = inspect({ model_type: 't5', num_layers: 12, num_heads: 12, d_kv: 64 });
    expect(plan).toMatchObject({ layers: 24, headDim: 64 });
    expect(plan.layerGroups).toMatchObject([
      { layerType: 'encoder', softmaxScale: 1, buckets: { bidirectional: true, saturatesAt: 91 } },
      { layerType: 'decoder', layers: { 0: 12 }, buckets: { saturatesAt: 113, perLayer: false } },
    ]);
    const umt5 = inspect({ model_type: 'umt5', num_layers: 2, num_decoder_layers: 3 });
    expect(umt5.layerGroups.map(({ layers }) => layers)).toEqual([
      [0, 1],
      [2, 3, 4],
    ]);
    expect(umt5.layerGroups[0]!.buckets!.perLayer).toBe(true);
  });

  it('T5 encoders and decoders alone', () => {
    const alone = { model_type: 'mt5', num_layers: 2, is_encoder_decoder: false };
    expect(only(inspect(alone)).layerType).toBe('encoder');
    expect(only(inspect({ ...alone, is_decoder: true })).layerType).toBe('decoder');
  });

  it('Falcon: rotation, but RW has ALiBi divided by √(head size)', () => {
    const sizes = { model_type: 'falcon', hidden_size: 512, num_attention_heads: 8 };
    expect(only(inspect(sizes))).toMatchObject({ encoding: 'rope', options: { headDim: 64 } });
    const group = only(inspect({ ...sizes, alibi: true }));
    expect(group).toMatchObject({ encoding: 'alibi', options: null, softmaxScale: 1 / 8 });
    expect(group.slopes).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((h) => 2 ** -h / 8));
  });

  it('MPT: by attn_config', () => {
    const mpt = (attn_config: object) =>
      only(inspect({ model_type: 'mpt', d_model: 768, n_heads: 6, n_layers: 2, attn_config }));
    const slopes = [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125];
    expect(mpt({ alibi: true })).toMatchObject({
      encoding: 'alibi',
      slopes,
      options: { heads: 6 },
    });
    const half = mpt({ alibi: true, alibi_bias_max: 4, softmax_scale: 0.5 });
    expect(half).toMatchObject({ options: null, softmaxScale: 0.5 });
    expect(half.slopes[0]).toBe(0.5);
    expect(mpt({ alibi: false })).toMatchObject({ encoding: 'learned' });
    expect(mpt({ alibi: false, rope: true })).toMatchObject({ encoding: 'rope' });
  });

  it('Baichuan: 7B rotates, 13B has ALiBi; Jina-BERT has it on both sides', () => {
    const sized = (hidden_size: number, num_attention_heads: number) =>
      inspect({ model_type: 'baichuan', hidden_size, num_attention_heads, num_hidden_layers: 2 });
    expect(only(sized(4096, 32)).encoding).toBe('rope');
    expect(only(sized(5120, 40)).encoding).toBe('alibi');
    const jina = inspect({ model_type: 'bert', position_embedding_type: 'alibi' });
    expect(only(jina)).toMatchObject({ encoding: 'alibi', computed: true, options: null });
  });

  it('DeBERTa: log buckets and shared scale in v2 and v3, plain distances in v1', () => {
    const v3 = inspect({
      model_type: 'deberta-v2',
      hidden_size: 768,
      num_attention_heads: 12,
      num_hidden_layers: 12,
      max_position_embeddings: 512,
      relative_attention: true,
      position_buckets: 256,
      max_relative_positions: -1,
      pos_att_type: 'p2c|c2p',
      position_biased_input: false,
    });
    expect(only(v3)).toMatchObject({
      encoding: 'deberta',
      disentangled: {
        terms: ['c2c', 'c2p', 'p2c'],
        buckets: 256,
        maxDistance: 512,
        absolute: false,
      },
    });
    expect(only(v3).softmaxScale).toBeCloseTo(1 / Math.sqrt(3 * 64), 15);
    const v1 = inspect({ model_type: 'deberta', relative_attention: true, pos_att_type: ['c2p'] });
    expect(only(v1).disentangled).toMatchObject({ buckets: null, absolute: true });
    const wrong = { model_type: 'deberta', relative_attention: true, pos_att_type: 'c2x' };
    expect(() => inspect(wrong)).toThrow(/^pos_att_type is "c2x", needs a list/);
  });
});

describe('learned tables', () => {
  it.each([
    ['gpt2', { n_positions: 1024 }, 1024, 0],
    ['bert', { max_position_embeddings: 512 }, 512, 0],
    ['opt', { max_position_embeddings: 2048 }, 2048, 2],
    ['roberta', { max_position_embeddings: 514, pad_token_id: 1 }, 512, 2],
    ['xlm-roberta', { max_position_embeddings: 514 }, 512, 2],
    ['camembert', { max_position_embeddings: 514, pad_token_id: 5 }, 508, 6],
  ])('%s %j: %i positions from row %i', (model_type, sizes, positions, offset) => {
    const plan = inspect({ model_type, ...sizes }, { length: positions + 1 });
    expect(only(plan).table).toMatchObject({ positions, offset });
    expect(codes(plan)).toContain('table-ends');
  });

  it('GPT-Neo does not divide by √(head size)', () => {
    expect(only(inspect({ model_type: 'gpt_neo' })).softmaxScale).toBe(1);
  });
});

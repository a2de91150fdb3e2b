/** Model types that only their own code explains; facts from their classes in transformers 4 and 5. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inspect, load } from 'posenc';
import type { LayerGroup, Plan, SinusoidalOptions } from 'posenc';

const golden = JSON.parse(
  readFileSync(new URL('../golden/families.json', import.meta.url), 'utf8'),
) as {
  tolerance: { rtol: number };
  deepseek_v4: { main: number[]; compress: number[] };
  glm4_moe: { headDim: number; inverseFrequencies: number[] };
};

const codes = (plan: Plan): string[] =>
  [...plan.warnings, ...plan.assumptions].map(({ code }) => code);

const only = (plan: Plan): LayerGroup => {
  expect(plan.layerGroups).toHaveLength(1);
  return plan.layerGroups[0]!;
};

function expectNear(given: readonly number[], wanted: readonly number[]): void {
  expect(given).toHaveLength(wanted.length);
  given.forEach((value, i) => {
    expect(Math.abs(value / wanted[i]! - 1), `at ${i}`).toBeLessThanOrEqual(golden.tolerance.rtol);
  });
}

/** The fields of DeepSeek-V4-Flash's config.json that concern position. */
const v4 = {
  model_type: 'deepseek_v4',
  ...{ hidden_size: 4096, num_hidden_layers: 43, num_attention_heads: 64 },
  ...{ num_key_value_heads: 1, head_dim: 512, qk_rope_head_dim: 64, sliding_window: 128 },
  ...{ rope_theta: 10000, compress_rope_theta: 160000, max_position_embeddings: 1048576 },
  compress_ratios: [0, 0, ...Array.from({ length: 41 }, (_, i) => (i % 2 === 0 ? 4 : 128)), 0],
  rope_scaling: {
    ...{ type: 'yarn', factor: 16, beta_fast: 32, beta_slow: 1 },
    original_max_position_embeddings: 65536,
  },
};

describe('DeepSeek-V4', () => {
  it('sliding layers turn by 10000 plainly, compressed ones by 160000 with YaRN', () => {
    const plan = inspect(v4);
    const [main, sparse, heavy] = plan.layerGroups as [LayerGroup, LayerGroup, LayerGroup];
    expect(plan).toMatchObject({ trainedLength: 65536, effectiveLength: 1048576 });
    expect(main).toMatchObject({ layerType: 'sliding_attention', layers: [0, 1], window: 128 });
    expect(sparse).toMatchObject({ layerType: 'compressed_sparse_attention', window: null });
    expect(sparse.layers).toHaveLength(21);
    expect(heavy.layers).toHaveLength(20);
    expectNear(main.inverseFrequencies, golden.deepseek_v4.main);
    for (const group of [sparse, heavy]) {
      expectNear(group.inverseFrequencies, golden.deepseek_v4.compress);
      expect(group).toMatchObject({ base: 160000, attentionFactor: 1, rule: { factor: 16 } });
    }
    for (const group of plan.layerGroups) {
      expect(group).toMatchObject({
        ...{ layout: 'interleaved', rotaryDim: 64, rotaryStart: 448, sinks: true, computed: true },
        latent: { nope: 448, rotary: 64, value: 512 },
        softmaxScale: 1 / Math.sqrt(512),
      });
    }
    expect(plan.warnings).toEqual([]);
  });

  it('as transformers 5 writes it, main and compress, gives the same tables', () => {
    const { rope_scaling, ...rest } = v4;
    const share = { partial_rotary_factor: 0.125, qk_rope_head_dim: undefined };
    const written = inspect({
      ...{ ...rest, ...share },
      rope_parameters: {
        main: { rope_type: 'default', rope_theta: 10000, ...share },
        compress: { ...rope_scaling, rope_theta: 160000, attention_factor: 1, ...share },
      },
    });
    const simple = (plan: Plan) => plan.layerGroups.map((group) => ({ ...group, scaling: null }));
    expect(simple(written)).toEqual(simple(inspect(v4)));
    expect(written.warnings).toEqual([]);
  });

  it('without ratios: two heavily compressed layers, then both kinds in turn', () => {
    const plan = inspect({ ...v4, num_hidden_layers: 6, compress_ratios: null });
    expect(plan.layerGroups.map(({ layerType, layers }) => [layerType, layers])).toEqual([
      ['heavily_compressed_attention', [0, 1, 2, 4]],
      ['compressed_sparse_attention', [3, 5]],
    ]);
  });

  it('a base beside the rule is that of the sliding layers', () => {
    const rope_parameters = { ...v4.rope_scaling, rope_theta: 10000 };
    const plan = inspect({ ...v4, rope_scaling: null, rope_parameters });
    expect(plan.layerGroups.map(({ base }) => base)).toEqual([10000, 160000, 160000]);
  });

  it.each([
    [
      { compress_ratios: [0, 4] },
      /^compress_ratios is an array of length 2, needs an entry for each/,
    ],
    [
      { num_hidden_layers: 2, compress_ratios: [0, 7] },
      /^compress_ratios\[1\] is 7, needs one of 0/,
    ],
    [{ head_dim: 64 }, /^qk_rope_head_dim is 64, needs less than head_dim \(64\)/],
  ])('%j is refused', (change, message) => {
    expect(() => inspect({ ...v4, ...change })).toThrow(message);
  });
});

describe('Kimi Linear', () => {
  const kimi = {
    ...{ model_type: 'kimi_linear', hidden_size: 2304, num_hidden_layers: 27 },
    ...{ num_attention_heads: 32, kv_lora_rank: 512, qk_nope_head_dim: 128, qk_rope_head_dim: 64 },
    ...{ v_head_dim: 128, mla_use_nope: true, model_max_length: 1048576 },
  };
  const full = [4, 8, 12, 16, 20, 24, 27];
  const kda = Array.from({ length: 27 }, (_, i) => i + 1).filter((layer) => !full.includes(layer));
  const lists = { full_attn_layers: full, kda_layers: kda };

  it('no layer turns; those with attention are counted from 1 in the config', () => {
    const plan = inspect({ ...kimi, linear_attn_config: lists });
    expect(plan.layerGroups).toMatchObject([
      { layerType: 'linear_attention', encoding: 'nope', softmaxScale: null },
      { layerType: 'full_attention', encoding: 'nope', softmaxScale: 1 / Math.sqrt(192) },
    ]);
    expect(plan.layerGroups[1]!.layers).toEqual(full.map((layer) => layer - 1));
    expect(plan).toMatchObject({ headDim: 192, trainedLength: 1048576, warnings: [] });
  });

  it.each([
    [
      { ...lists, full_attn_layers: [28] },
      /full_attn_layers\[0\] is 28, needs a layer, counted from 1/,
    ],
    [
      { ...lists, full_attn_layers: [1, ...full] },
      /kda_layers is an array of length 20, needs with/,
    ],
    [
      { ...lists, kda_layers: [1] },
      /kda_layers is an array of length 1, needs with full_attn_layers/,
    ],
  ])('%j is refused', (linear_attn_config, message) => {
    expect(() => inspect({ ...kimi, linear_attn_config })).toThrow(message);
  });
});

it('an empty glm4_moe config: the head size rounded down, and an odd share of it turns', () => {
  const plan = inspect({ model_type: 'glm4_moe' });
  expect(plan.headDim).toBe(golden.glm4_moe.headDim);
  expect(only(plan)).toMatchObject({ rotaryDim: 22, options: null, computed: true });
  expectNear(only(plan).inverseFrequencies, golden.glm4_moe.inverseFrequencies);
  expect(codes(plan)).toEqual(expect.arrayContaining(['head-dim-floored', 'rotary-dim-odd']));
});

describe('two stacks', () => {
  it.each([
    ['bart', 'learned', [12, 12], 1024, 2, null],
    ['mbart', 'learned', [12, 12], 1024, 2, null],
    ['blenderbot', 'learned', [2, 24], 128, 0, null],
    ['pegasus', 'sinusoidal', [12, 12], 1024, 0, 'd/2'],
    ['marian', 'sinusoidal', [12, 12], 1024, 0, 'd/2'],
  ] as const)('%s: %s', (model_type, encoding, layers, positions, offset, denominator) => {
    const plan = inspect({ model_type });
    expect(plan.layerGroups.map((group) => group.layers.length)).toEqual(layers);
    expect(plan.layers).toBe(layers[0] + layers[1]);
    for (const group of plan.layerGroups) {
      expect(group).toMatchObject({ encoding, computed: true, table: { positions, offset } });
      if (denominator !== null)
        expect(group.options).toMatchObject({ layout: 'halves', denominator });
    }
  });

  it('a decoder alone, with heads of its own', () => {
    const alone = { is_encoder_decoder: false, is_decoder: true, decoder_layers: 6 };
    const plan = inspect({
      model_type: 'mbart',
      d_model: 512,
      decoder_attention_heads: 4,
      ...alone,
    });
    expect(only(plan)).toMatchObject({ layerType: 'decoder', layers: [0, 1, 2, 3, 4, 5] });
    expect(only(plan).softmaxScale).toBeCloseTo(1 / Math.sqrt(128), 15);
  });

  it.each(['marian', 'whisper', 'm2m_100'])(
    '%s: the module makes the same sinusoids',
    async (type) => {
      const pe = await load();
      const { options, inverseFrequencies } = inspect({ model_type: type }).layerGroups[0]!;
      const made = pe.encoding('sinusoidal', options as SinusoidalOptions);
      expectNear([...made.inverseFrequencies], inverseFrequencies);
    },
  );

  it('M2M-100: the sinusoids start after the padding and have no end', () => {
    const plan = inspect({ model_type: 'm2m_100', pad_token_id: 1 }, { length: 2000 });
    for (const group of plan.layerGroups) {
      expect(group.options).toMatchObject({ offset: 2, zeroPadding: true, denominator: 'd/2-1' });
    }
    expect(codes(plan)).not.toContain('table-ends');
  });
});

describe('distances', () => {
  it.each(['bert', 'roberta', 'xlm-roberta', 'electra', 'camembert', 'albert'])(
    '%s with relative keys has one vector per distance, and none beyond',
    (model_type) => {
      const sizes = { max_position_embeddings: 512, hidden_size: 768, num_attention_heads: 12 };
      const relative = { model_type, ...sizes, position_embedding_type: 'relative_key' };
      const plan = inspect(relative, { length: 513 });
      expect(only(plan)).toMatchObject({
        ...{ encoding: 'shaw', table: null, softmaxScale: 1 / 8, effectiveLength: 512 },
        distances: { terms: ['q·r'], vectors: 'learned', width: 64, maxDistance: 511 },
      });
      expect(codes(plan)).toContain('distances-end');
      const both = inspect({ ...relative, position_embedding_type: 'relative_key_query' });
      expect(only(both).distances!.terms).toEqual(['q·r', 'k·r']);
      expect(both.warnings).toEqual([]);
    },
  );

  it.each([
    ['xlnet', {}, 24, null],
    ['transfo-xl', { clamp_len: 1000, mem_len: 1600 }, 18, 1000],
  ])(
    '%s: sinusoids of the distance meet queries and two learned vectors',
    (model_type, more, count, far) => {
      const plan = inspect({ model_type, ...more });
      expect(plan.layers).toBe(count);
      expect(only(plan)).toMatchObject({
        ...{ encoding: 'transformer_xl', softmaxScale: 1 / 8, computed: true },
        distances: {
          terms: ['q·r', 'u·k', 'v·r'],
          width: 1024,
          maxDistance: far,
          beyond: 'clipped',
        },
      });
      const frequencies = only(plan).inverseFrequencies;
      expect(frequencies).toHaveLength(512);
      expect(frequencies[256]).toBeCloseTo(0.01, 15); // 10000^(−2·256/1024)
    },
  );

  it('MPNet: a table and T5 buckets, both', () => {
    expect(only(inspect({ model_type: 'mpnet', max_position_embeddings: 514 }))).toMatchObject({
      table: { positions: 512, offset: 2 },
      buckets: { count: 32, maxDistance: 128, bidirectional: true, saturatesAt: 91 },
      softmaxScale: 1 / 8,
    });
  });

  it('LongT5: the encoder sees 127 tokens to each side, the decoder all before it', () => {
    const [encoder, decoder] = inspect({ model_type: 'longt5' }).layerGroups;
    expect(encoder).toMatchObject({
      encoding: 't5',
      window: 255,
      buckets: { bidirectional: true },
    });
    expect(decoder).toMatchObject({
      encoding: 't5',
      window: null,
      buckets: { bidirectional: false },
    });
  });

  it('DeBERTa without relative attention has its table, or nothing', () => {
    expect(only(inspect({ model_type: 'deberta' }))).toMatchObject({
      encoding: 'learned',
      table: { positions: 512 },
    });
    const nothing = { model_type: 'deberta-v2', position_biased_input: false };
    expect(only(inspect(nothing)).encoding).toBe('nope');
  });

  it.each(['wav2vec2', 'hubert'])(
    '%s: a convolution of 128 frames tells the order',
    (model_type) => {
      expect(only(inspect({ model_type }))).toMatchObject({
        encoding: 'convolution',
        convolution: { kernel: 128, groups: 16 },
      });
    },
  );
});

describe('tables', () => {
  it.each([
    ['albert', {}, 512, 128, 0],
    ['electra', {}, 512, 128, 0],
    ['electra', { embedding_size: 768, hidden_size: 768 }, 512, 768, 0],
    ['distilbert', { dim: 768, n_heads: 12, n_layers: 6 }, 512, 768, 0],
    ['gpt_neo', {}, 2048, 2048, 0],
    ['opt', {}, 2048, 768, 2],
    ['xlm-roberta', { max_position_embeddings: 514, pad_token_id: 1 }, 512, 768, 2],
  ])(
    '%s %j: %i positions of width %i from row %i',
    (model_type, sizes, positions, width, offset) => {
      const { table } = only(inspect({ model_type, ...sizes }));
      expect(table).toEqual({ positions, width, offset });
    },
  );

  it('DistilBERT with frozen sinusoids', () => {
    const plan = inspect({ model_type: 'distilbert', sinusoidal_pos_embds: true });
    expect(only(plan)).toMatchObject({
      encoding: 'sinusoidal',
      options: { width: 768, layout: 'interleaved', denominator: 'd/2' },
      table: { positions: 512 },
    });
  });
});

describe('layers that are not told their positions', () => {
  it('Jamba: attention in the fifth of every eight layers, none of them turns', () => {
    const plan = inspect({ model_type: 'jamba' });
    expect(plan.layerGroups).toMatchObject([
      { layerType: 'mamba', encoding: 'nope', softmaxScale: null },
      { layerType: 'attention', encoding: 'nope', layers: [4, 12, 20, 28] },
    ]);
    const offset = { model_type: 'jamba', attn_layer_period: 4, attn_layer_offset: 4 };
    expect(() => inspect(offset)).toThrow(
      /^attn_layer_offset is 4, needs less than attn_layer_period/,
    );
  });

  it.each([
    ['mamba', 'mamba', 32],
    ['mamba2', 'mamba', 64],
    ['falcon_mamba', 'mamba', 64],
    ['rwkv', 'recurrent', 32],
  ])('%s: %s in all %i layers, and no heads', (model_type, layerType, count) => {
    const plan = inspect({ model_type });
    expect(plan).toMatchObject({ layers: count, heads: null, headDim: null });
    expect(only(plan)).toMatchObject({ layerType, encoding: 'nope', computed: true, factors: [] });
    expect(codes(plan)).toContain('layers-recurrent');
  });
});

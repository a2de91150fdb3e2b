/** Real models, layer by layer; numbers from their configs, papers and public code. */
import { describe, expect, it } from 'vitest';
import { inspect } from 'posenc';
import type { LayerGroup, Plan } from 'posenc';

const groupOf = (plan: Plan, layerType: string): LayerGroup =>
  plan.layerGroups.find((group) => group.layerType === layerType)!;

const only = (plan: Plan): LayerGroup => {
  expect(plan.layerGroups).toHaveLength(1);
  return plan.layerGroups[0]!;
};

/** Layers by type, as `sliding_attention: 0 1 2`. */
const layersOf = (plan: Plan): Record<string, readonly number[]> =>
  Object.fromEntries<readonly number[]>(
    plan.layerGroups.map(({ layerType, layers }) => [String(layerType), layers]),
  );

describe('per-layer-type tables', () => {
  it('Gemma 3 4B: five sliding layers at base 10000, then a full one at 1e6, stretched by 8', () => {
    const plan = inspect({
      model_type: 'gemma3',
      text_config: {
        hidden_size: 2560,
        model_type: 'gemma3_text',
        num_hidden_layers: 34,
        rope_scaling: { factor: 8.0, rope_type: 'linear' },
        sliding_window: 1024,
      },
    });
    const sliding = groupOf(plan, 'sliding_attention');
    const full = groupOf(plan, 'full_attention');
    expect(full.layers).toEqual([5, 11, 17, 23, 29]);
    expect(sliding).toMatchObject({ base: 10000, window: 1024, rule: { type: 'none' } });
    expect(full).toMatchObject({ base: 1e6, window: null, rule: { type: 'linear', factor: 8 } });
    expect(full.inverseFrequencies[0]).toBe(1 / 8);
    expect(sliding.inverseFrequencies[0]).toBe(1);
    // max_position_embeddings counts after the stretch.
    expect(plan).toMatchObject({ trainedLength: 131072, effectiveLength: 131072 });
    expect(full.softmaxScale).toBe(1 / 16);
    expect(plan.warnings).toEqual([]);
  });

  it('Gemma 3 nested, as transformers 5 writes it, gives the same tables', () => {
    const sizes = { model_type: 'gemma3_text', num_hidden_layers: 12 };
    const old = inspect({
      ...sizes,
      rope_theta: 1e6,
      rope_local_base_freq: 10000,
      rope_scaling: { rope_type: 'linear', factor: 8 },
    });
    const renewed = inspect({
      ...sizes,
      rope_parameters: {
        full_attention: { rope_type: 'linear', factor: 8, rope_theta: 1e6 },
        sliding_attention: { rope_type: 'default', rope_theta: 10000 },
      },
    });
    expect(renewed.layerGroups).toEqual(old.layerGroups);
  });

  it('Gemma 4: wider heads in full layers, of which a quarter of the pairs turns', () => {
    const plan = inspect({ model_type: 'gemma4_text', num_hidden_layers: 30 });
    const full = groupOf(plan, 'full_attention');
    expect(full).toMatchObject({ rotaryDim: 512, base: 1e6, softmaxScale: 1 });
    expect(full.inverseFrequencies).toHaveLength(256);
    expect(full.wavelengths).toHaveLength(64);
    expect(full.inverseFrequencies[64]).toBe(0);
    expect(full.rule).toEqual({ type: 'proportional', partialRotaryFactor: 0.25, factor: 1 });
    expect(groupOf(plan, 'sliding_attention')).toMatchObject({ rotaryDim: 256, window: 512 });
  });

  it('Gemma 2: sliding and full layers take turns, with one base', () => {
    const plan = inspect({ model_type: 'gemma2', num_hidden_layers: 4 });
    expect(layersOf(plan)).toEqual({ sliding_attention: [0, 2], full_attention: [1, 3] });
    expect(plan.layerGroups.map(({ base }) => base)).toEqual([10000, 10000]);
  });

  it('ModernBERT: every third layer is full; a window of 128 is 64 tokens to each side', () => {
    const plan = inspect({
      model_type: 'modernbert',
      num_hidden_layers: 7,
      global_rope_theta: 160000,
      local_rope_theta: 10000,
      local_attention: 128,
    });
    expect(layersOf(plan)).toEqual({ full_attention: [0, 3, 6], sliding_attention: [1, 2, 4, 5] });
    expect(groupOf(plan, 'full_attention').base).toBe(160000);
    expect(groupOf(plan, 'sliding_attention')).toMatchObject({ base: 10000, window: 129 });
  });

  it('gpt-oss: YaRN without rounding everywhere, sinks, a window of 128 in every other layer', () => {
    const plan = inspect({ model_type: 'gpt_oss', num_hidden_layers: 24 });
    const [sliding, full] = plan.layerGroups;
    expect(sliding).toMatchObject({ window: 128, sinks: true, layerType: 'sliding_attention' });
    expect(full).toMatchObject({ window: null, sinks: true });
    expect(full!.attentionFactor).toBeCloseTo(1.34657, 5);
    expect(full!.rule).toMatchObject({ type: 'yarn', truncate: false });
    expect(plan).toMatchObject({ trainedLength: 4096, effectiveLength: 131072 });
  });

  it('Qwen3-Next: three layers without positions, then one with a quarter of the head turning', () => {
    const plan = inspect({ model_type: 'qwen3_next', num_hidden_layers: 8, rope_theta: 1e7 });
    expect(layersOf(plan)).toEqual({
      linear_attention: [0, 1, 2, 4, 5, 6],
      full_attention: [3, 7],
    });
    expect(groupOf(plan, 'full_attention')).toMatchObject({ rotaryDim: 64, base: 1e7 });
    expect(groupOf(plan, 'linear_attention')).toMatchObject({
      encoding: 'nope',
      softmaxScale: null,
    });
  });
});

describe('layers without rotation', () => {
  it('SmolLM3: every fourth', () => {
    const plan = inspect({ model_type: 'smollm3' });
    const still = plan.layerGroups.find(({ encoding }) => encoding === 'nope')!;
    expect(still.layers).toEqual([3, 7, 11, 15, 19, 23, 27, 31, 35]);
    expect(still.softmaxScale).toBe(1 / Math.sqrt(128));
  });

  it('Llama 4: chunks where it rotates, a temperature where it does not', () => {
    const plan = inspect({
      model_type: 'llama4_text',
      num_hidden_layers: 8,
      no_rope_layers: [1, 1, 1, 0, 1, 1, 1, 0],
      attention_chunk_size: 8192,
      attn_temperature_tuning: 4,
      floor_scale: 8192,
      attn_scale: 0.1,
    });
    const [rotating, still] = plan.layerGroups;
    expect(rotating).toMatchObject({ encoding: 'rope', chunk: 8192, layout: 'interleaved' });
    expect(still).toMatchObject({
      encoding: 'nope',
      layers: [3, 7],
      chunk: null,
      temperature: { scale: 0.1, floor: 8192, shift: 1 },
    });
    expect(still!.factors.map(({ on }) => on)).toEqual(['softmax', 'query']);
  });

  it('Command R7B: full layers; EXAONE 4: full layers of a model with a window', () => {
    for (const model_type of ['cohere2', 'exaone4']) {
      const plan = inspect({ model_type, num_hidden_layers: 8 });
      expect(groupOf(plan, 'full_attention')).toMatchObject({ encoding: 'nope', layers: [3, 7] });
      expect(groupOf(plan, 'sliding_attention')).toMatchObject({ encoding: 'rope', window: 4096 });
    }
    const unwindowed = inspect({ model_type: 'exaone4', sliding_window: null });
    expect(only(unwindowed)).toMatchObject({ encoding: 'rope', layerType: 'full_attention' });
  });

  it('a config that says nope', () => {
    const plan = inspect({ model_type: 'granitemoehybrid', position_embedding_type: 'nope' });
    expect(only(plan)).toMatchObject({ encoding: 'nope', computed: true });
  });

  it('refuses lists that cannot be', () => {
    const smollm3 = { model_type: 'smollm3', num_hidden_layers: 4 };
    const list = (no_rope_layers: unknown) => () => inspect({ ...smollm3, no_rope_layers });
    expect(list([1, 1, 0])).toThrow(/no_rope_layers is an array of length 3, needs one entry for/);
    expect(list([1, 1, 2, 0])).toThrow(/no_rope_layers\[2\] is 2, needs 0 \(no rotation\) or 1/);
    // An empty list is the same as none, as in Llama 4's configs.
    expect(inspect({ ...smollm3, no_rope_layers: [] })).toEqual(inspect(smollm3));
  });
});

describe('latent attention', () => {
  const v3 = {
    model_type: 'deepseek_v3',
    num_hidden_layers: 61,
    max_position_embeddings: 163840,
    kv_lora_rank: 512,
    qk_nope_head_dim: 128,
    qk_rope_head_dim: 64,
    v_head_dim: 128,
    rope_scaling: {
      ...{ type: 'yarn', factor: 40, beta_fast: 32, beta_slow: 1, mscale: 1, mscale_all_dim: 1 },
      original_max_position_embeddings: 4096,
    },
  };

  it('DeepSeek-V3: the last 64 of 192 turn; cos and sin × 1, the softmax × 1.8739', () => {
    const group = only(inspect(v3));
    expect(group).toMatchObject({
      latent: { nope: 128, rotary: 64, value: 128 },
      rotaryStart: 128,
      rotaryDim: 64,
      layout: 'interleaved',
      attentionFactor: 1,
      options: { headDim: 64, rotaryDim: 64 },
    });
    expect(group.softmaxScale! * Math.sqrt(192)).toBeCloseTo(1.8739, 4);
    expect(group.factors.map(({ on, from }) => [on, from])).toEqual([
      ['softmax', 'head-size'],
      ['softmax', 'mscale_all_dim'],
    ]);
  });

  it('Kimi K2: its own base and betas', () => {
    const rope_scaling = { ...v3.rope_scaling, factor: 32, beta_fast: 1 };
    const kimi = { ...v3, model_type: 'kimi_k2', rope_scaling, rope_theta: 50000 };
    expect(only(inspect(kimi))).toMatchObject({ computed: true, base: 50000, rotaryStart: 128 });
  });

  it('rope_interleave false: halves', () => {
    expect(only(inspect({ ...v3, rope_interleave: false })).layout).toBe('half');
  });

  it('GLM-4.7-Flash and Youtu split their heads elsewhere', () => {
    expect(only(inspect({ model_type: 'glm4_moe_lite' })).rotaryStart).toBe(192);
    expect(only(inspect({ model_type: 'youtu' })).rotaryStart).toBe(128);
  });
});

describe('sections for images', () => {
  const sections = (model_type: string, rope_scaling: object, head_dim = 128) =>
    only(inspect({ model_type, head_dim, rope_theta: 1e6, rope_scaling, num_hidden_layers: 2 }))
      .sections!;

  it('Qwen2-VL: chunks', () => {
    const { axes, order } = sections('qwen2_vl', { type: 'mrope', mrope_section: [16, 24, 24] });
    expect(order).toBe('chunked');
    const chunk = (axis: number, size: number): number[] => Array<number>(size).fill(axis);
    expect(axes).toEqual([...chunk(0, 16), ...chunk(1, 24), ...chunk(2, 24)]);
  });

  it('Qwen3-VL: 20 times time, height, width, then four times time', () => {
    const rule = { rope_type: 'default', mrope_interleaved: true, mrope_section: [24, 20, 20] };
    const { axes } = sections('qwen3_vl_text', rule);
    const turns = Array.from({ length: 60 }, (_, pair) => pair % 3);
    expect(axes).toEqual([...turns, 0, 0, 0, 0]);
  });

  it('the small sections of the reference', () => {
    const rule = { rope_type: 'default', mrope_interleaved: true, mrope_section: [4, 2, 2] };
    expect(sections('qwen3_vl_text', rule, 16).axes).toEqual([0, 1, 2, 0, 1, 2, 0, 0]);
  });
});

describe('rotary families with their own spelling', () => {
  it('ChatGLM: half of kv_channels, neighbours, a multiple of the base', () => {
    const plan = inspect({
      model_type: 'chatglm',
      kv_channels: 128,
      hidden_size: 4096,
      num_attention_heads: 32,
      num_layers: 40,
      rope_ratio: 500,
      seq_length: 131072,
      multi_query_group_num: 2,
    });
    expect(plan).toMatchObject({ kvHeads: 2, trainedLength: 131072 });
    expect(only(plan)).toMatchObject({ base: 5e6, rotaryDim: 64, layout: 'interleaved' });
  });

  it('GPT-J: rotary_dim of each head, neighbours', () => {
    const group = only(inspect({ model_type: 'gptj' }));
    expect(group).toMatchObject({ rotaryDim: 64, layout: 'interleaved', base: 10000 });
  });

  it('DBRX: base and key heads inside attn_config', () => {
    const attn_config = { rope_theta: 500000, kv_n_heads: 8 };
    const sizes = { d_model: 6144, n_heads: 48, n_layers: 40, max_seq_len: 32768 };
    const plan = inspect({ model_type: 'dbrx', ...sizes, attn_config });
    expect(plan).toMatchObject({ kvHeads: 8, trainedLength: 32768, headDim: 128, warnings: [] });
    expect(only(plan).base).toBe(500000);
  });

  it('the part of a wrapper is read as the wrapper is', () => {
    const text_config = { model_type: 'mllama_text_model', num_hidden_layers: 40 };
    const plan = inspect({ model_type: 'mllama', text_config });
    expect(plan).toMatchObject({ modelType: 'mllama_text_model', trainedLength: 131072 });
    expect(only(plan)).toMatchObject({ computed: true, base: 500000 });
  });

  it('MiniMax: rotary_dim 64 of 128', () => {
    const group = inspect({ model_type: 'minimax_m2', rotary_dim: 64 }).layerGroups[0];
    expect(group).toMatchObject({ rotaryDim: 64, base: 5e6 });
  });

  it('MiniMind: YaRN only when it is switched on, without its factor', () => {
    expect(only(inspect({ model_type: 'minimind' })).rule).toEqual({ type: 'none' });
    const on = only(inspect({ model_type: 'minimind', inference_rope_scaling: true }));
    expect(on.rule).toMatchObject({ type: 'yarn', factor: 16, originalMaxPosition: 2048 });
    expect(on.attentionFactor).toBe(1);
  });

  it('Hunyuan: alpha raises the base at every length', () => {
    const rope_scaling = { type: 'dynamic', factor: 1, alpha: 1000 };
    const config = { model_type: 'hunyuan_v1_dense', head_dim: 128, rope_scaling };
    const [group] = inspect(config).layerGroups;
    expect(group!.inverseFrequencies[1]! ** -64).toBeCloseTo(10000 * 1000 ** (128 / 126), 0);
  });

  it('Ministral 3: YaRN by default, and a temperature', () => {
    const group = only(inspect({ model_type: 'ministral3' }));
    expect(group.temperature).toEqual({ scale: 0.1, floor: 16384, shift: 0 });
    expect(group.attentionFactor).toBe(1);
  });
});

describe('lengths', () => {
  const yarn = (factor: number, original: number) => {
    return { rope_type: 'yarn', factor, original_max_position_embeddings: original };
  };

  it.each([
    [{ max_position_embeddings: 32768, rope_scaling: yarn(4, 32768) }, 32768, 131072],
    [{ max_position_embeddings: 131072, rope_scaling: yarn(4, 32768) }, 32768, 131072],
    [{ max_position_embeddings: 4096, rope_scaling: { type: 'linear', factor: 4 } }, 4096, 16384],
    [{ max_position_embeddings: 4096, rope_scaling: { type: 'dynamic', factor: 2 } }, 4096, 8192],
    [{ max_position_embeddings: 8192 }, 8192, 8192],
  ])('%j: trained %i, claimed %i', (config, trainedLength, effectiveLength) => {
    const plan = inspect({ model_type: 'llama', ...config });
    expect(plan).toMatchObject({ trainedLength, effectiveLength, length: trainedLength });
    expect(only(plan)).toMatchObject({ trainedLength, effectiveLength });
  });
});

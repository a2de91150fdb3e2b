import { describe, expect, it } from 'vitest';
import { inspect } from 'posenc';
import type { LayerGroup, Plan } from 'posenc';

const codes = (plan: Plan): string[] =>
  [...plan.warnings, ...plan.assumptions].map(({ code }) => code);

function only(plan: Plan): LayerGroup {
  expect(plan.layerGroups).toHaveLength(1);
  return plan.layerGroups[0]!;
}

describe('models of this field', () => {
  const llama3 = {
    model_type: 'llama',
    hidden_size: 4096,
    num_hidden_layers: 32,
    num_attention_heads: 32,
    num_key_value_heads: 8,
    max_position_embeddings: 8192,
    rope_theta: 500000.0,
  };

  it('Llama 3 8B: every number', () => {
    const plan = inspect(llama3);
    expect(plan).toMatchObject({
      path: '',
      layers: 32,
      heads: 32,
      kvHeads: 8,
      headDim: 128,
      trainedLength: 8192,
      length: 8192,
      warnings: [],
    });
    const group = only(plan);
    expect(group.layers).toEqual(Array.from({ length: 32 }, (_, i) => i));
    expect(group).toMatchObject({
      layerType: 'full_attention',
      window: null,
      scaling: { type: 'default', parameters: {} },
      slopes: [],
      table: null,
    });
    expect(group.softmaxScale).toBeCloseTo(1 / Math.sqrt(128), 15);
    // 2π·500000^(i/64) > 8192 from i = 35: 64·ln(8192/2π)/ln(500000) = 34.98.
    expect(group).toMatchObject({ incompletePairs: 29, firstIncompletePair: 35 });
    expect(codes(plan)).toEqual(['layout-half']);
  });

  it('new style rope_parameters gives the same plan as old style', () => {
    const { rope_theta, ...rest } = llama3;
    const renewed = inspect({ ...rest, rope_parameters: { rope_theta, rope_type: 'default' } });
    expect(renewed).toEqual(inspect(llama3));
  });

  it('takes the same config as text', () => {
    expect(inspect(JSON.stringify(llama3))).toEqual(inspect(llama3));
  });

  it('Pythia: rotary_pct and rotary_emb_base, or their v5 spelling', () => {
    const sizes = {
      model_type: 'gpt_neox',
      hidden_size: 768,
      num_attention_heads: 12,
      num_hidden_layers: 12,
      max_position_embeddings: 2048,
    };
    const old = inspect({ ...sizes, rotary_pct: 0.25, rotary_emb_base: 10000 });
    const parameters = { rope_theta: 10000, partial_rotary_factor: 0.25, rope_type: 'default' };
    expect(inspect({ ...sizes, rope_parameters: parameters })).toEqual(old);
    expect(only(old).options).toEqual({ headDim: 64, rotaryDim: 16, base: 10000, layout: 'half' });
    expect(old.assumptions).toEqual([]);
  });

  it('Mistral 7B v0.1: a window of 4096 in every layer, v0.2: none', () => {
    const config = { model_type: 'mistral', num_hidden_layers: 32, rope_theta: 10000 };
    const first = inspect({ ...config, sliding_window: 4096 });
    expect(only(first)).toMatchObject({ window: 4096, layerType: 'sliding_attention' });
    // Distances never exceed the window: pairs slower than 4096 tokens a turn never complete one.
    expect(only(first).incompletePairs).toBe(
      only(first).wavelengths.filter((wavelength) => wavelength > 4096).length,
    );
    expect(only(inspect({ ...config, sliding_window: null })).window).toBeNull();
    const silent = inspect(config);
    expect(only(silent).window).toBe(4096);
    expect(silent.assumptions.map(({ fields }) => fields[0])).toContain('sliding_window');
  });

  it('Qwen2.5: the window counts only when switched on, and only from max_window_layers', () => {
    const config = {
      model_type: 'qwen2',
      hidden_size: 3584,
      num_attention_heads: 28,
      num_key_value_heads: 4,
      num_hidden_layers: 28,
      max_position_embeddings: 32768,
      rope_theta: 1000000,
      sliding_window: 4096,
      max_window_layers: 21,
    };
    const off = inspect({ ...config, use_sliding_window: false });
    expect(only(off).window).toBeNull();
    expect(codes(off)).toContain('window-off');
    const on = inspect({ ...config, use_sliding_window: true });
    expect(on.layerGroups.map(({ layers, window }) => [layers.length, layers[0], window])).toEqual([
      [21, 0, null],
      [7, 21, 4096],
    ]);
    const all = inspect({ ...config, use_sliding_window: true, max_window_layers: 28 });
    expect(codes(all)).toContain('window-unused');
  });

  it('Qwen3: head_dim is its own and may differ from hidden_size / heads', () => {
    const plan = inspect({
      model_type: 'qwen3',
      hidden_size: 1024,
      num_attention_heads: 16,
      num_key_value_heads: 8,
      head_dim: 128,
      num_hidden_layers: 28,
      max_position_embeddings: 40960,
      rope_theta: 1000000,
    });
    expect(plan.headDim).toBe(128);
    expect(codes(plan)).toEqual(['head-dim-explicit']);
  });

  it('Qwen 1: raises its base by itself past seq_length', () => {
    const config = {
      model_type: 'qwen',
      hidden_size: 4096,
      num_attention_heads: 32,
      num_hidden_layers: 32,
      kv_channels: 128,
      rotary_pct: 1.0,
      rotary_emb_base: 10000,
      seq_length: 8192,
      max_position_embeddings: 32768,
      use_dynamic_ntk: true,
      use_logn_attn: true,
    };
    const within = inspect(config, { length: 8192 });
    expect(only(within)).toMatchObject({ computed: true, rotaryDim: 128 });
    expect(codes(within)).toEqual(['claimed-length', 'dynamic-base', 'log-n']);
    // modeling_qwen.py: alpha = 2^⌈log2(16384/8192) + 1⌉ − 1 = 3.
    const beyond = only(inspect(config, { length: 16384 }));
    expect(beyond.options).toMatchObject({ scaling: { type: 'ntk', factor: 3 } });
    expect(beyond.inverseFrequencies[1]! ** -64).toBeCloseTo(10000 * 3 ** (128 / 126), 6);
    expect(beyond.factors).toContainEqual({ on: 'query', value: null, from: 'log-n' });
    const still = { ...config, use_dynamic_ntk: false, use_logn_attn: false };
    const plain = only(inspect(still, { length: 16384 }));
    expect(plain.inverseFrequencies).toEqual(only(within).inverseFrequencies);
    expect(plain.factors.map(({ on }) => on)).toEqual(['softmax']);
  });

  it('BLOOM: ALiBi slopes in the paper order, also between powers of two', () => {
    const plan = inspect({
      model_type: 'bloom',
      n_layer: 30,
      n_head: 6,
      hidden_size: 384,
      seq_length: 2048,
    });
    const group = only(plan);
    expect(group).toMatchObject({ encoding: 'alibi', computed: true, options: { heads: 6 } });
    expect(group.slopes).toEqual([0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]);
    expect(
      inspect({ model_type: 'bloom', seq_length: 2048, n_head: 2, n_embed: 8, n_layer: 1 })
        .layerGroups[0]?.slopes,
    ).toEqual([0.0625, 0.00390625]);
  });

  it('GPT-2: a table that ends, and an own scale per layer when asked for', () => {
    const config = { model_type: 'gpt2', n_layer: 3, n_head: 12, n_embd: 768, n_positions: 1024 };
    expect(only(inspect(config, { length: 1024 }))).toMatchObject({
      encoding: 'learned',
      table: { positions: 1024, width: 768 },
      softmaxScale: 0.125,
    });
    expect(inspect(config, { length: 1025 }).warnings).toMatchObject([
      { code: 'table-ends', level: 'error' },
    ]);
    const byLayer = inspect({ ...config, scale_attn_by_inverse_layer_idx: true });
    expect(byLayer.layerGroups.map(({ softmaxScale }) => softmaxScale)).toEqual([
      0.125,
      0.0625,
      0.125 / 3,
    ]);
    expect(only(inspect({ ...config, scale_attn_weights: false })).softmaxScale).toBe(1);
  });
});

describe('layer types', () => {
  const sizes = {
    model_type: 'qwen3',
    num_hidden_layers: 4,
    max_position_embeddings: 4096,
    head_dim: 64,
    use_sliding_window: true,
    sliding_window: 512,
    layer_types: ['sliding_attention', 'full_attention', 'sliding_attention', 'full_attention'],
  };

  it('nested rope_parameters hold for their own layers', () => {
    const plan = inspect({
      ...sizes,
      rope_parameters: {
        full_attention: { rope_type: 'default', rope_theta: 1000000 },
        sliding_attention: { rope_type: 'default', rope_theta: 10000 },
      },
    });
    expect(plan.layerGroups).toMatchObject([
      { layers: [0, 2], layerType: 'sliding_attention', base: 10000, window: 512 },
      { layers: [1, 3], layerType: 'full_attention', base: 1000000, window: null },
    ]);
    expect(codes(plan)).not.toContain('contradiction');
  });

  it('a base at the top does not contradict those of the layer types', () => {
    const rope_parameters = {
      full_attention: { rope_theta: 1000000 },
      sliding_attention: { rope_theta: 10000 },
    };
    const plan = inspect({ ...sizes, rope_theta: 1000000, rope_parameters });
    expect(plan.layerGroups.map(({ base }) => base)).toEqual([10000, 1000000]);
    expect(plan.warnings).toEqual([]);
  });

  it('the window rules of the Qwen mixtures', () => {
    const config = { num_hidden_layers: 4, use_sliding_window: true, sliding_window: 8 };
    const windows = (type: string, more = {}): unknown[] =>
      inspect({ model_type: type, ...config, ...more }).layerGroups.map((group) => [
        group.window,
        ...group.layers,
      ]);
    expect(windows('qwen2_moe', { max_window_layers: 3 })).toEqual([
      [8, 0, 2],
      [null, 1, 3],
    ]);
    expect(windows('qwen3_moe')).toEqual([[8, 0, 1, 2, 3]]);
    expect(windows('qwen3_moe', { sliding_window: 0 })).toEqual([[null, 0, 1, 2, 3]]);
  });

  it('a nested rule that is unknown takes only its own layers with it', () => {
    const plan = inspect({
      ...sizes,
      rope_parameters: {
        full_attention: { rope_type: 'magic', rope_theta: 1000000, factor: 4 },
        sliding_attention: { rope_theta: 10000 },
      },
    });
    expect(plan.layerGroups.map(({ computed }) => computed)).toEqual([true, false]);
    const note = plan.warnings.find(({ code }) => code === 'rule-unknown');
    expect(note?.fields).toEqual(['rope_parameters.full_attention.rope_type']);
  });

  it('every layer is in exactly one group', () => {
    const plan = inspect({ ...sizes, rope_theta: 10000 });
    const layers = plan.layerGroups.flatMap((group) => group.layers);
    expect([...layers].sort((a, b) => a - b)).toEqual([0, 1, 2, 3]);
  });
});

describe('a plan', () => {
  it('is plain JSON', () => {
    const plan = inspect({ model_type: 'llama', rope_scaling: { type: 'yarn', factor: 4 } });
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });

  it('keeps the parameters of a rule', () => {
    const parameters = {
      factor: 8,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 8192,
    };
    const group = only(
      inspect({ model_type: 'llama', rope_scaling: { rope_type: 'llama3', ...parameters } }),
    );
    expect(group).toMatchObject({ computed: true, scaling: { type: 'llama3', parameters } });
  });

  it('computes a longer length only from the trained one', () => {
    const config = { model_type: 'llama', max_position_embeddings: 2048, rope_theta: 10000 };
    const long = only(inspect(config, { length: 8192 }));
    expect(long).toEqual(only(inspect(config)));
  });
});

/** Reports of others about configs and formulas (numbers as in the shared list), as tests named after the symptom. */
import { describe, expect, it } from 'vitest';
import {
  PosencError,
  convertProjection,
  inspect,
  mropePositions,
  positionsFromMask,
  scaleFrequencies,
} from 'posenc';
import type { LayerGroup, Plan } from 'posenc';

const codes = (plan: Plan): string[] =>
  [...plan.warnings, ...plan.assumptions].map(({ code }) => code);

const first = (config: object, length?: number): LayerGroup =>
  inspect(config, length === undefined ? {} : { length }).layerGroups[0]!;

const llama = {
  model_type: 'llama',
  hidden_size: 4096,
  num_attention_heads: 32,
  max_position_embeddings: 2048,
  rope_theta: 10000,
};
const withRule = (rope_scaling: object) => ({ ...llama, rope_scaling });

/** base^(2/d) inverted: the base of a table of 64 pairs. */
const baseOf = (group: LayerGroup): number => group.inverseFrequencies[1]! ** -64;

/** Unscaled frequency / scaled one, three digits. */
const divisors = (group: LayerGroup, from: number, to: number): number[] =>
  group.divisors.slice(from, to).map((d) => Number(d.toPrecision(6)));

describe('layout and partial rotation', () => {
  it.each([
    ['1: TinyLlama', { hidden_size: 2048, num_attention_heads: 32, num_key_value_heads: 4 }, 64],
    ['2: Llama 2 70B', { hidden_size: 8192, num_attention_heads: 64, num_key_value_heads: 8 }, 128],
  ])('%s: key rows were permuted with the number of query heads', (_, sizes, headDim) => {
    const { heads, kvHeads, layerGroups } = inspect({ ...llama, ...sizes });
    expect({ heads, kvHeads }).toEqual({
      heads: sizes.num_attention_heads,
      kvHeads: sizes.num_key_value_heads,
    });
    expect(layerGroups[0]!.options).toMatchObject({ headDim, layout: 'half' });
    const rows = Float32Array.from({ length: kvHeads! * headDim }, (_, row) => row);
    const move = { headDim, from: 'half', to: 'interleaved' } as const;
    const moved = convertProjection(rows, { ...move, heads: kvHeads! });
    // Rows of the second key head stay in it: its first pair is (0, headDim / 2) of that head.
    expect([...moved.slice(headDim, headDim + 2)]).toEqual([headDim, 1.5 * headDim]);
    expect(() => convertProjection(rows, { ...move, heads: heads! })).toThrow(PosencError);
  });

  it('4: interleaved models were exported as halves (the layout is part of the plan)', () => {
    const layouts = ['llama', 'gptj', 'glm4', 'cohere', 'deepseek_v3', 'gpt_neox', 'glm4_moe'];
    expect(layouts.map((model_type) => first({ model_type }).layout)).toEqual([
      ...['half', 'interleaved', 'interleaved', 'interleaved', 'interleaved', 'half', 'half'],
    ]);
  });

  it('7: GLM rotated 128 of 128 dimensions when the key was absent', () => {
    expect(first({ model_type: 'glm4', head_dim: 128 }).rotaryDim).toBe(64);
  });

  it('7: GLM-4.5 too turns 64 of 128, but in halves', () => {
    const glm45 = { model_type: 'glm4_moe', head_dim: 128, partial_rotary_factor: 0.5 };
    expect(first(glm45)).toMatchObject({ rotaryDim: 64, layout: 'half' });
    expect(codes(inspect({ model_type: 'glm4', head_dim: 128 }))).toContain(
      'rotary-fraction-default',
    );
  });

  it('9: an explicit partial_rotary_factor was overwritten by rotary_dim / head_dim', () => {
    const config = { model_type: 'minimax_m2', partial_rotary_factor: 0.5, rotary_dim: 128 };
    const plan = inspect(config);
    expect(plan.layerGroups[0]!.rotaryDim).toBe(64);
    expect(codes(plan)).toContain('contradiction');
  });

  it('10: a partial factor of other layers halved the rope head of latent attention', () => {
    const config = { model_type: 'glm4_moe_lite', partial_rotary_factor: 0.5 };
    expect(first(config).rotaryDim).toBe(64);
  });

  it('12: a term of DeBERTa was computed but never used, or needed another one', () => {
    for (const term of ['c2p', 'p2c', 'p2p']) {
      const config = { model_type: 'deberta', relative_attention: true, pos_att_type: [term] };
      expect(first(config).disentangled!.terms).toEqual(['c2c', term]);
    }
  });
});

describe('tables of positions', () => {
  it.each([
    [1, 512],
    [3, 510],
  ])('21: of 514 rows of RoBERTa with padding row %i only %i can be used', (padding, usable) => {
    const config = { model_type: 'roberta', max_position_embeddings: 514, pad_token_id: padding };
    const { table } = first(config);
    expect(table).toMatchObject({ positions: usable, offset: padding + 1 });
    const last = positionsFromMask(Array<boolean>(usable).fill(true), { start: table!.offset });
    expect(Math.max(...last.positions)).toBe(513);
    expect(codes(inspect(config, { length: usable }))).not.toContain('table-ends');
    expect(codes(inspect(config, { length: usable + 1 }))).toContain('table-ends');
  });

  it('21: padding tokens were counted', () => {
    const start = first({ model_type: 'roberta', max_position_embeddings: 514 }).table!.offset;
    const { positions } = positionsFromMask([true, true, false], { start, paddingPosition: 1 });
    expect([...positions]).toEqual([2, 3, 1]);
  });

  it('22: OPT was read from row 0 instead of row 2', () => {
    const { table } = first({ model_type: 'opt' });
    expect(table).toMatchObject({ positions: 2048, offset: 2 });
    const { positions } = positionsFromMask([true, true, true], { start: table!.offset });
    expect([...positions]).toEqual([2, 3, 4]);
  });
});

describe('windows', () => {
  it('83: a window of 4 was taken for five keys, or for four beside the token itself', () => {
    const mistral = { model_type: 'mistral', sliding_window: 4, num_hidden_layers: 2 };
    const plan = inspect({ ...llama, ...mistral });
    expect(plan.layerGroups[0]!.window).toBe(4);
    const seen = [6, 7, 8, 9, 10].filter((key) => 10 - key < plan.layerGroups[0]!.window!);
    expect(seen).toEqual([7, 8, 9, 10]);
    const note = plan.assumptions.find(({ code }) => code === 'window-counts-self');
    expect(note!.en).toMatch(/4 keys, the token itself included/);
  });

  it('83: a window of both sides was read as one of the past', () => {
    const config = { model_type: 'modernbert', local_attention: 128, num_hidden_layers: 3 };
    expect(inspect(config).layerGroups[1]!.window).toBe(64 + 1 + 64);
  });
});

describe('spelling of configs', () => {
  it('37: KeyError rope_type on old configs with type', () => {
    const old = first(withRule({ type: 'linear', factor: 2 }));
    expect(first(withRule({ rope_type: 'linear', factor: 2 }))).toEqual(old);
    expect(first(withRule({ type: 'linear', rope_type: 'linear', factor: 2 }))).toEqual(old);
    expect(() => inspect(withRule({ type: 'linear', rope_type: 'yarn', factor: 2 }))).toThrow(
      /rope_type is "yarn" but rope_scaling\.type is "linear"/,
    );
    const plan = inspect(withRule({ type: 'linear' }));
    expect(plan.warnings[0]!.fields).toEqual(['rope_scaling.factor']);
  });

  it('38: nested yarn raised KeyError', () => {
    const plan = inspect({
      ...llama,
      layer_types: Array(32).fill('full_attention'),
      rope_parameters: { full_attention: { rope_type: 'yarn', factor: 4, rope_theta: 10000 } },
    });
    expect(plan.layerGroups[0]).toMatchObject({
      computed: true,
      rule: { type: 'yarn', factor: 4 },
    });
  });

  it('truncate of one layer type was read from the wrong object and ignored', () => {
    const rule = { rope_type: 'yarn', factor: 32, truncate: false, rope_theta: 150000 };
    const plan = inspect({
      ...llama,
      layer_types: Array(32).fill('full_attention'),
      rope_parameters: { full_attention: rule },
    });
    expect(plan.layerGroups[0]!.rule).toMatchObject({ type: 'yarn', truncate: false });
  });

  it('40: yarn without original_max_position_embeddings', () => {
    const plan = inspect(withRule({ type: 'yarn', factor: 4 }));
    expect(plan.layerGroups[0]!.rule).toMatchObject({ originalMaxPosition: 2048 });
    expect(plan.warnings.map(({ code }) => code)).toContain('original-length-assumed');
  });

  it('50: absent rope_scaling fell through to a scale of 2', () => {
    for (const rope_scaling of [undefined, null, {}, { rope_type: 'default' }]) {
      expect(first({ ...llama, rope_scaling }).divisors.every((d) => d === 1)).toBe(true);
    }
  });

  it("51: a factor of 1/8, as llama.cpp's flag takes it", () => {
    const config = withRule({ type: 'linear', factor: 0.125 });
    expect(() => inspect(config)).toThrow(PosencError);
    expect(() => inspect(config)).toThrow(/--rope-freq-scale is 1\/factor: did you mean 8\?/);
  });

  it('62: no_rope_layers was read as the list of layers without rotation', () => {
    const plan = inspect({
      model_type: 'smollm3',
      num_hidden_layers: 4,
      no_rope_layers: [1, 1, 1, 0],
    });
    expect(plan.layerGroups.map(({ encoding, layers }) => [encoding, layers])).toEqual([
      ['rope', [0, 1, 2]],
      ['nope', [3]],
    ]);
    expect(codes(plan)).toContain('no-rope-meaning');
  });

  it('the factor-4 recipe of Qwen2.5 silently became no scaling', () => {
    const rule = { type: 'yarn', factor: 4, original_max_position_embeddings: 32768 };
    const config = { model_type: 'qwen2', max_position_embeddings: 32768, rope_scaling: rule };
    const plan = inspect(config, { length: 100000 });
    expect(plan.layerGroups[0]!.rule).toMatchObject({ factor: 4 });
    expect(plan.warnings.find(({ code }) => code === 'factor-recomputed')!.en).toMatch(
      /no scaling at all/,
    );
  });
});

describe('YaRN and DeepSeek', () => {
  const mla = (mscale: number, mscale_all_dim: number) => ({
    model_type: 'deepseek_v3',
    max_position_embeddings: 163840,
    rope_scaling: {
      ...{ type: 'yarn', factor: 40, mscale, mscale_all_dim },
      original_max_position_embeddings: 4096,
    },
  });

  it.each([
    [1, 1.8739],
    [0.707, 1.5896],
  ])('42: the factor on the softmax was missing (mscale %f: × %f)', (mscale, factor) => {
    const group = first(mla(mscale, mscale));
    expect(group.attentionFactor).toBe(1);
    expect(group.softmaxScale! * Math.sqrt(192)).toBeCloseTo(factor, 4);
  });

  it('43: the softmax factor used mscale instead of mscale_all_dim', () => {
    const group = first(mla(1, 0.707));
    expect(group.attentionFactor).toBeCloseTo(1.0857, 4);
    expect(group.softmaxScale! * Math.sqrt(192)).toBeCloseTo(1.5896, 4);
  });

  it('45: an explicit attention_factor of 1 was ignored', () => {
    expect(first(withRule({ type: 'yarn', factor: 16, attention_factor: 1 })).attentionFactor).toBe(
      1,
    );
    expect(first(withRule({ type: 'yarn', factor: 16 })).attentionFactor).toBeCloseTo(1.27726, 5);
  });

  it('46: changing a config after the model was built did nothing', () => {
    const rule = { type: 'yarn' as const, factor: 4, originalMaxPosition: 2048 };
    const rotation = { base: 10000, rotaryDim: 64 };
    const before = scaleFrequencies(rotation, rule).inverseFrequencies;
    rule.factor = 8;
    expect(scaleFrequencies(rotation, rule).inverseFrequencies).not.toEqual(before);
  });

  it('59: YaRN of OLMo 3 was applied to sliding layers', () => {
    const plan = inspect({
      model_type: 'olmo3',
      num_hidden_layers: 8,
      max_position_embeddings: 65536,
      rope_theta: 500000,
      rope_scaling: { rope_type: 'yarn', factor: 8, original_max_position_embeddings: 8192 },
    });
    const [sliding, full] = plan.layerGroups;
    expect(sliding).toMatchObject({
      layers: [0, 1, 2, 4, 5, 6],
      rule: { type: 'none' },
      base: 500000,
    });
    expect(full).toMatchObject({ layers: [3, 7], rule: { type: 'yarn' }, base: 500000 });
    expect(sliding!.attentionFactor).toBe(1);
  });

  const v4 = {
    ...{ model_type: 'deepseek_v4', num_hidden_layers: 4, compress_ratios: [0, 4, 128, 4] },
    rope_theta: 10000,
    rope_scaling: { type: 'yarn', factor: 16, original_max_position_embeddings: 65536 },
  };

  it('60: DeepSeek-V4 turned all layers by one base, of sliding or of compressed ones', () => {
    const types = (config: object) =>
      inspect(config).layerGroups.map(({ layerType, base, rule }) => [layerType, base, rule!.type]);
    const tables = (compressed: number) => [
      ['sliding_attention', 10000, 'none'],
      ['compressed_sparse_attention', compressed, 'yarn'],
      ['heavily_compressed_attention', compressed, 'yarn'],
    ];
    expect(types({ ...v4, compress_rope_theta: 160000 })).toEqual(tables(160000));
    // Silence means 160000; the 40000 of the dispute has to stand in the config.
    expect(types(v4)).toEqual(tables(160000));
    expect(codes(inspect(v4))).toContain('base-default');
    expect(types({ ...v4, compress_rope_theta: 40000 })).toEqual(tables(40000));
  });

  it('61: the output of DeepSeek-V4 was not turned back (told)', () => {
    const note = inspect(v4).assumptions.find(({ code }) => code === 'turns-back');
    expect(note!.en).toMatch(/output has to be turned back by the query's position/);
    expect(codes(inspect({ model_type: 'deepseek_v3' }))).not.toContain('turns-back');
  });
});

describe('dynamic NTK', () => {
  const dynamic = withRule({ type: 'dynamic', factor: 2 });

  it('47: cached keys used an older base', () => {
    expect(baseOf(first(dynamic, 2049))).toBeCloseTo(10009.9, 1);
    expect(baseOf(first(dynamic, 4096))).toBeCloseTo(30527.7, 1);
    expect(codes(inspect(dynamic, { length: 2049 }))).toContain('dynamic-cache');
    expect(codes(inspect(dynamic, { length: 2048 }))).not.toContain('dynamic-cache');
  });

  it('48: the base was not reset after a long input', () => {
    expect(baseOf(first(dynamic, 8192))).toBeCloseTo(72195.9, 1);
    expect(baseOf(first(dynamic, 100))).toBeCloseTo(10000, 6);
  });

  it('49: dynamic was implemented as static', () => {
    const bases = [2048, 3000, 4096].map((length) => baseOf(first(dynamic, length)));
    expect(bases[0]).toBeLessThan(bases[1]!);
    expect(bases[1]).toBeLessThan(bases[2]!);
  });
});

describe('Llama 3 bands', () => {
  const bands = (factor: number) => ({
    rope_type: 'llama3',
    ...{ factor, low_freq_factor: 1, high_freq_factor: 4 },
    original_max_position_embeddings: 8192,
  });

  it('52: Llama 3.1 was loaded without its bands: 29 kept, 6 blended, 29 divided by 8', () => {
    const group = first({ ...llama, rope_theta: 500000, rope_scaling: bands(8) });
    expect(group.divisors.filter((d) => d === 1)).toHaveLength(29);
    expect(group.divisors.filter((d) => Math.abs(d - 8) < 1e-12)).toHaveLength(29);
  });

  it('53: Llama 3.2 1B: pairs 15 to 17 blended, 18 to 31 divided by 32', () => {
    const config = { ...llama, head_dim: 64, rope_theta: 500000, rope_scaling: bands(32) };
    const group = first(config);
    expect(divisors(group, 14, 19)).toEqual([1, 1.65133, 3.29226, 9.66673, 32]);
  });
});

describe('LongRoPE', () => {
  const phi3 = {
    model_type: 'phi3',
    hidden_size: 64,
    num_attention_heads: 4,
    max_position_embeddings: 131072,
    original_max_position_embeddings: 4096,
    rope_scaling: { type: 'su', short_factor: Array(8).fill(1), long_factor: Array(8).fill(4) },
  };

  it('55: the long factors were chosen at exactly 4096', () => {
    expect(first(phi3, 4096).inverseFrequencies[0]).toBe(1);
    expect(first(phi3, 4097).inverseFrequencies[0]).toBe(0.25);
  });

  it('56: the set was chosen by the allocated context instead of the sequence', () => {
    expect(first(phi3, 100).inverseFrequencies).toEqual(first(phi3, 4096).inverseFrequencies);
    expect(first(phi3, 100).attentionFactor).toBeCloseTo(1.1902, 4);
  });

  it('57: crossing 4096 mixed keys of both sets (told)', () => {
    const note = inspect(phi3).assumptions.find(({ code }) => code === 'longrope-switch');
    expect(note!.en).toMatch(/up to 4096 tokens .* invalidates every cached key/);
  });

  it('lists of another width are refused', () => {
    const rope_scaling = { ...phi3.rope_scaling, long_factor: [1, 2], short_factor: [1, 2] };
    expect(() => inspect({ ...phi3, rope_scaling })).toThrow(
      /^rope_scaling\.short_factor is an array of length 2, needs 8 numbers, one for each pair$/,
    );
  });
});

describe('M-RoPE', () => {
  const vision = (rope_scaling: object) =>
    first({ model_type: 'qwen3_vl_text', head_dim: 128, rope_theta: 5e6, rope_scaling });

  it('63: interleaved sections were done as chunks, or without the bound of the section', () => {
    const { axes } = vision({ mrope_section: [24, 20, 20], mrope_interleaved: true }).sections!;
    expect(axes.slice(57)).toEqual([0, 1, 2, 0, 0, 0, 0]);
    expect([0, 1, 2].map((axis) => axes.filter((a) => a === axis).length)).toEqual([24, 20, 20]);
  });

  it('63: text counts up on all three axes, so order and sections do not matter to it', () => {
    const { positions } = mropePositions([{ text: 3 }]);
    expect([...positions]).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 2]);
  });

  it('64: rope_type default beside mrope_section was taken for plain RoPE', () => {
    const group = vision({ rope_type: 'default', mrope_section: [24, 20, 20] });
    expect(group.sections).not.toBeNull();
    const plain = first({ model_type: 'qwen3_vl_text', head_dim: 128, rope_theta: 5e6 });
    expect(group.inverseFrequencies).toEqual(plain.inverseFrequencies);
  });
});

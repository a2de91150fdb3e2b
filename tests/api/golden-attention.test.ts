/** Attention of PyTorch, ONNX and Hugging Face, through the functions that have their semantics and by `attention`. */
import type { AttentionInputs, OnnxAttentionInputs, OnnxRotaryEmbeddingInputs } from 'posenc';
import type { OnnxLinearAttentionInputs, OnnxTensor, Posenc, ShapedArray, Tap } from 'posenc';
import { describe, expect, test } from 'vitest';
import { builds } from './builds.js';
import {
  floats,
  golden,
  integers,
  tensor,
  type GoldenCase,
  type GoldenTensor,
} from './golden-tables.js';
import { expectNear } from './posenc.js';

const taps = ['scores', 'capped', 'logits', 'weights'] as const;

/** A NaN that the source gives means: not specified. Some expected numbers are of half precision. */
function expectGolden(actual: Float32Array, { values }: GoldenTensor, precision = 'f32'): void {
  expect(actual.some(Number.isNaN)).toBe(false);
  const expected = values.map((x, i) => (Number.isNaN(x) ? actual[i]! : x));
  if (precision === 'f32') return expectNear(actual, expected);
  expect(actual.length).toBe(expected.length);
  const excess = expected.map((x, i) => Math.abs(actual[i]! - x) - (1e-3 + 2e-3 * Math.abs(x)));
  expect(Math.max(...excess)).toBeLessThanOrEqual(0);
}

/** The masks of a case that go by positions. */
function rulesOf({ numbers }: GoldenCase): Partial<AttentionInputs> {
  const { causal, window = 0, before = -1, after = -1, chunk } = numbers;
  const sides = { ...(before >= 0 && { before }), ...(after >= 0 && { after }) };
  return {
    causal: causal === 1,
    window: window > 0 ? window : sides,
    ...(chunk !== undefined && { chunk }),
  };
}

/** Bytes and the four dimensions of a mask, or numbers that are added. */
function pairsOf({ tensors: { mask, bias } }: GoldenCase): Partial<AttentionInputs> {
  if (mask) return { mask: Uint8Array.from(mask.values), maskShape: mask.shape };
  if (bias) return { mask: Float32Array.from(bias.values), maskShape: bias.shape };
  return {};
}

function inputsOf(given: GoldenCase, wanted: readonly Tap[]): AttentionInputs {
  const [query, key, value] = ['query', 'key', 'value'].map((name) => tensor(given, name));
  const [batch = 1, heads = 1, queries = 1, headDim = 1] = query!.shape;
  const [, kvHeads = 1, keys = 1] = key!.shape;
  const { softcap = 0, scale = 1 } = given.numbers;
  const { query_positions: positions, key_mask: padding } = given.tensors;
  const sinkLogits = floats(given, 'sink_logits');
  return {
    query: floats(given, 'query')!,
    key: floats(given, 'key')!,
    value: floats(given, 'value')!,
    shape: { batch, heads, kvHeads, queries, keys, headDim, valueDim: value!.shape[3]! },
    ...rulesOf(given),
    ...pairsOf(given),
    scale,
    queryPositions: positions ? integers(given, 'query_positions') : 0,
    return: wanted,
    ...(softcap > 0 && { softcap }),
    ...(padding && { keyMask: Uint8Array.from(padding.values) }),
    ...(sinkLogits && { sinkLogits }),
  };
}

function check(posenc: Posenc, given: GoldenCase): void {
  const wanted = taps.filter((tap) => tap in given.tensors);
  const result = posenc.attention(inputsOf(given, wanted));
  const { precision } = given.words;
  expectGolden(result.output as Float32Array, tensor(given, 'output'), precision);
  for (const tap of wanted) expectGolden(result[tap]!, tensor(given, tap));
}

/** Which pairs a rule shows: those with a weight. */
function checkShown(posenc: Posenc, given: GoldenCase): void {
  const { shape, values } = tensor(given, 'shown');
  const [queries = 1, keys = 1] = shape;
  const [query, key] = [new Float32Array(queries), new Float32Array(keys)];
  const { weights } = posenc.attention({
    ...{ query, key, value: key, shape: { heads: 1, queries, keys, headDim: 1 } },
    ...rulesOf(given),
    return: ['weights'],
  });
  expect(Array.from(weights!, (weight) => Number(weight > 0))).toEqual(values);
}

describe.each(builds)('%s: attention', (_, posenc) => {
  describe.each(['sdpa', 'onnx_attention', 'onnx_flex_attention', 'attention_extra'])(
    '%s',
    (group) => {
      test.each(golden(group).cases)('$name', (given) =>
        given.tensors.shown ? checkShown(posenc, given) : check(posenc, given),
      );
    },
  );
});

/** The mask of a case as PyTorch takes it. Positions of queries stand for the mask of a lower right triangle. */
function maskOf(given: GoldenCase): ShapedArray<Float32Array | Uint8Array> | undefined {
  const { mask, bias, key_mask: padding, query_positions: positions } = given.tensors;
  if (bias) return { data: Float32Array.from(bias.values), shape: bias.shape };
  if (mask) return { data: Uint8Array.from(mask.values), shape: mask.shape };
  if (padding) {
    const [batch = 1, keys = 1] = padding.shape;
    return { data: Uint8Array.from(padding.values), shape: [batch, 1, 1, keys] };
  }
  if (!positions) return undefined;
  const [batch = 1, queries = 1] = positions.shape;
  const keys = tensor(given, 'key').shape[2]!;
  const data = positions.values.flatMap((position) =>
    Array.from({ length: keys }, (_, n) => Number(n <= position)),
  );
  return { data: Uint8Array.from(data), shape: [batch, 1, queries, keys] };
}

describe.each(builds)('%s: scaledDotProductAttention', (_, posenc) => {
  test.each(golden('sdpa').cases)('$name', (given) => {
    const shaped = (name: string): ShapedArray => ({
      data: floats(given, name)!,
      shape: tensor(given, name).shape,
    });
    const attnMask = maskOf(given);
    const { data, shape } = posenc.scaledDotProductAttention(
      ...([shaped('query'), shaped('key'), shaped('value')] as const),
      {
        isCausal: given.numbers.causal === 1 && attnMask === undefined,
        scale: given.numbers.scale!,
        enableGqa: true,
        ...(attnMask && { attnMask }),
      },
    );
    expect(shape).toEqual(tensor(given, 'output').shape);
    expectGolden(data, tensor(given, 'output'));
  });
});

/** Inputs of a node: the types tell booleans and integers from numbers. */
function nodeInputs<Inputs>({ tensors }: GoldenCase, names: readonly string[]): Inputs {
  const given = names.filter((name) => name in tensors);
  const inputs = Object.fromEntries(
    given.map((name): [string, OnnxTensor<unknown>] => {
      const { shape, values, type } = tensors[name]!;
      if (type === 'u8') return [name, { data: Uint8Array.from(values), dims: shape }];
      if (type === 'i32') return [name, { data: BigInt64Array.from(values, BigInt), dims: shape }];
      return [name, { data: Float32Array.from(values), dims: shape }];
    }),
  );
  return inputs as Inputs;
}

const attentionInputs = [
  ...['Q', 'K', 'V', 'attn_mask', 'past_key', 'past_value', 'nonpad_kv_seqlen'],
];
const attentionOutputs = ['Y', 'present_key', 'present_value', 'qk_matmul_output'] as const;

describe.each(builds)('%s: onnxAttention', (_, posenc) => {
  test.each(golden('onnx_attention_node').cases)('$name', (given) => {
    const outputs = attentionOutputs.filter((name) => name in given.tensors);
    const inputs = nodeInputs<OnnxAttentionInputs>(given, attentionInputs);
    const result = posenc.onnxAttention(inputs, given.numbers, outputs);
    expect(Object.keys(result).sort()).toEqual([...outputs].sort());
    for (const name of outputs) {
      const { shape, values } = tensor(given, name);
      const { data, dims } = result[name]!;
      expect(dims, name).toEqual(shape);
      if (name.startsWith('present')) expect(Array.from(data), name).toEqual(values);
      else expectNear(data, values);
    }
  });
});

describe.each(builds)('%s: onnxRotaryEmbedding', (_, posenc) => {
  test.each(golden('onnx_rotary_node').cases)('$name', (given) => {
    const inputs = nodeInputs<OnnxRotaryEmbeddingInputs>(given, [
      'X',
      'cos_cache',
      'sin_cache',
      'position_ids',
    ]);
    const { data, dims } = posenc.onnxRotaryEmbedding(inputs, given.numbers);
    expect(dims).toEqual(tensor(given, 'Y').shape);
    expectNear(data, tensor(given, 'Y').values);
  });
});

const linearInputs = ['query', 'key', 'value', 'past_state', 'decay', 'beta'];

describe.each(builds)('%s: onnxLinearAttention', (_, posenc) => {
  test.each(golden('onnx_linear_attention').cases)('$name', (given) => {
    const inputs = nodeInputs<OnnxLinearAttentionInputs>(given, linearInputs);
    const { precision, ...words } = given.words;
    const attributes = { ...given.numbers, ...words };
    const result = posenc.onnxLinearAttention(inputs, attributes as never);
    for (const name of ['output', 'present_state'] as const) {
      expect(result[name].dims, name).toEqual(tensor(given, name).shape);
      expectGolden(result[name].data, tensor(given, name), precision);
    }
  });
});

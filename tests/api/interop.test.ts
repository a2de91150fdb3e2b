/** What the golden nodes of ONNX and PyTorch leave open, against the definition in float64. */
import { describe, expect, test } from 'vitest';
import type { OnnxAttentionInputs, OnnxTensor, ShapedArray } from 'posenc';
import { expectNear, numbers, posenc } from './posenc.js';
import { attention as reference, type ReferenceInputs } from './reference.js';

const sizes = { batch: 2, heads: 4, kvHeads: 2, queries: 3, keys: 5, headDim: 4, valueDim: 6 };
const { batch, heads, kvHeads, queries, keys, headDim, valueDim } = sizes;
const count = (dims: readonly number[]): number =>
  dims.reduce((product, size) => product * size, 1);
const array = (seed: number, ...dims: number[]): OnnxTensor => ({
  data: numbers(count(dims), seed),
  dims,
});
const Q = array(1, batch, heads, queries, headDim);
const K = array(2, batch, kvHeads, keys, headDim);
const V = array(3, batch, kvHeads, keys, valueDim);

/** What the definition gives where query i stands at i + offset. */
function expected(change: Partial<ReferenceInputs>, offset: (batch: number) => number = () => 0) {
  return reference({
    ...sizes,
    ...{ query: Q.data, key: K.data, value: V.data },
    queryPosition: (b, m) => m + offset(b),
    keyPosition: (_b, n) => n,
    ...change,
  });
}

describe('onnxAttention', () => {
  const mask = numbers(heads * queries * 2, 4);
  const real = [2, 5];
  const nonpad_kv_seqlen = { data: BigInt64Array.from(real, BigInt), dims: [2] };
  const isReal = (b: number, n: number) => n < real[b]!;
  const cases: [
    name: string,
    inputs: Partial<OnnxAttentionInputs>,
    attributes: object,
    change: Partial<ReferenceInputs>,
    offset?: (b: number) => number,
  ][] = [
    ['nothing', {}, {}, {}],
    [
      'both sides of a window',
      {},
      { left_window_size: 1, right_window_size: 0 },
      {
        sees: (_b, _h, m, n) => n >= m - 1 && n <= m,
      },
    ],
    ['a window to the right', {}, { right_window_size: 1 }, { sees: (_b, _h, m, n) => n <= m + 1 }],
    [
      'a window at the end of the real keys',
      { nonpad_kv_seqlen },
      { left_window_size: 1 },
      { isReal, sees: (b, _h, m, n) => n >= m + real[b]! - queries - 1 },
    ],
    ['real keys alone', { nonpad_kv_seqlen }, {}, { isReal }],
    [
      'real keys, causal',
      { nonpad_kv_seqlen },
      { is_causal: 1 },
      { isReal, causal: true },
      (b) => real[b]! - queries,
    ],
    [
      'a mask per head that ends early',
      { attn_mask: { data: mask, dims: [heads, queries, 2] } },
      {},
      {
        sees: (_b, _h, _m, n) => n < 2,
        added: (_b, h, m, n) => mask[(h * queries + m) * 2 + n]!,
      },
    ],
    [
      'a mask of one key is filled up, not shared',
      { attn_mask: { data: [true], dims: [1] } },
      {},
      { sees: (_b, _h, _m, n) => n === 0 },
    ],
    [
      'a mask that hides all of a row',
      { attn_mask: { data: [true, false, true], dims: [queries, 1] } },
      {},
      { sees: (_b, _h, m, n) => m !== 1 && n === 0 },
    ],
    ['precision', {}, { softmax_precision: 10, softcap: 0, scale: 0.25 }, { scale: 0.25 }],
  ];

  test.each(cases)('%s', (_, inputs, attributes, change, offset) => {
    const { Y, qk_matmul_output } = posenc.onnxAttention(
      { Q, K, V, ...inputs },
      { ...attributes, qk_matmul_output_mode: 3 },
    );
    const { output, weights } = expected(change, offset);
    expect(Y.dims).toEqual([batch, heads, queries, valueDim]);
    expectNear(Y.data, output);
    expect(qk_matmul_output!.dims).toEqual([batch, heads, queries, keys]);
    expectNear(qk_matmul_output!.data, weights);
  });

  test('tensors of the module and of onnxruntime give the same as arrays', () => {
    class OrtTensor {
      readonly #given: OnnxTensor;
      readonly type = 'float32';
      constructor(given: OnnxTensor) {
        this.#given = given;
      }
      get data() {
        return this.#given.data;
      }
      get dims() {
        return this.#given.dims;
      }
    }
    const plain = posenc.onnxAttention({ Q, K, V });
    using query = posenc.tensor(Q.data, Q.dims);
    using key = posenc.tensor(K.data, K.dims);
    const mixed = posenc.onnxAttention({ Q: query, K: key, V: new OrtTensor(V) });
    expect(mixed).toEqual(plain);
  });

  test('present keys are a copy of the new ones, in four dimensions', () => {
    const { present_key: present, qk_matmul_output: product } = posenc.onnxAttention({ Q, K, V });
    expect(present).toEqual(K);
    expect(present!.data).not.toBe(K.data);
    expect(product).toBeUndefined();
    const packed = { data: K.data, dims: [batch, keys, kvHeads * headDim] };
    const { present_value: values } = posenc.onnxAttention(
      { Q: { data: Q.data, dims: [batch, queries, heads * headDim] }, K: packed, V: packed },
      { q_num_heads: heads, kv_num_heads: kvHeads },
    );
    expect(values!.dims).toEqual([batch, kvHeads, keys, headDim]);
    // Token 1 of head 1 of the second entry.
    const from = ((1 * keys + 1) * kvHeads + 1) * headDim;
    const to = ((1 * kvHeads + 1) * keys + 1) * headDim;
    expect(values!.data.slice(to, to + headDim)).toEqual(K.data.slice(from, from + headDim));
  });

  test('outputs are those asked for', () => {
    const { Y } = posenc.onnxAttention({ Q, K, V });
    expect(posenc.onnxAttention({ Q, K, V }, {}, [])).toEqual({ Y });
    const asked = posenc.onnxAttention({ Q, K, V }, {}, ['Y', 'qk_matmul_output']);
    expect(Object.keys(asked)).toEqual(['Y', 'qk_matmul_output']);
    expectNear(asked.qk_matmul_output!.data, expected({}).scores);
  });

  test('sequences may be empty', () => {
    const none = array(1, batch, kvHeads, 0, headDim);
    const nothing = array(1, batch, kvHeads, 0, valueDim);
    const without = posenc.onnxAttention({ Q, K: none, V: nothing }, { is_causal: 1 });
    expect(without.Y.data).toEqual(new Float32Array(batch * heads * queries * valueDim));
    const first = posenc.onnxAttention({ Q, K, V, past_key: none, past_value: nothing });
    expect(first).toEqual(posenc.onnxAttention({ Q, K, V }));
    const cached = { Q, K: none, V: nothing, past_key: K, past_value: V };
    const only = posenc.onnxAttention(cached, { is_causal: 1 });
    expectNear(only.Y.data, expected({ causal: true }, () => keys).output);
    expect(only.present_key).toEqual(K);
    const noQueries = { Q: array(1, batch, heads, 0, headDim), K, V };
    expect(posenc.onnxAttention(noQueries).Y.dims).toEqual([batch, heads, 0, valueDim]);
  });
});

describe('onnxRotaryEmbedding', () => {
  const [tokens, rows] = [5, 7];
  const X = array(5, batch, heads, tokens, 6);
  const position_ids = { data: Int32Array.of(6, 0, 3, 3, 1, 2, 4, 5, 0, 6), dims: [batch, tokens] };

  /** The pairs of each head by the rows of tables that are no cosines. */
  function turned(rotaryDim: number, isPair: boolean, cos: OnnxTensor, sin: OnnxTensor): number[] {
    const out = Array.from(X.data);
    for (let row = 0; row < batch * heads * tokens; row++) {
      const entry = Math.floor(row / (heads * tokens));
      const table = position_ids.data[entry * tokens + (row % tokens)]! * (rotaryDim / 2);
      for (let p = 0; p < rotaryDim / 2; p++) {
        const [i, j] = isPair ? [2 * p, 2 * p + 1] : [p, p + rotaryDim / 2];
        const [a, b] = [X.data[row * 6 + i]!, X.data[row * 6 + j]!];
        out[row * 6 + i] = a * cos.data[table + p]! - b * sin.data[table + p]!;
        out[row * 6 + j] = a * sin.data[table + p]! + b * cos.data[table + p]!;
      }
    }
    return out;
  }

  test.each([
    [0, 0],
    [1, 0],
    [0, 4],
    [1, 4],
    [0, 2],
  ])('interleaved %d, rotary_embedding_dim %d', (interleaved, rotary_embedding_dim) => {
    const rotaryDim = rotary_embedding_dim || 6;
    const [cos_cache, sin_cache] = [array(6, rows, rotaryDim / 2), array(7, rows, rotaryDim / 2)];
    const caches = { cos_cache, sin_cache, position_ids };
    const attributes = { interleaved, rotary_embedding_dim };
    const expectedX = turned(rotaryDim, interleaved === 1, cos_cache, sin_cache);
    const before = X.data.slice();
    const Y = posenc.onnxRotaryEmbedding({ X, ...caches }, attributes);
    expect(Y.dims).toEqual(X.dims);
    expectNear(Y.data, expectedX);
    expect(X.data).toEqual(before);
    using resident = posenc.tensor(X.data, X.dims);
    expect(posenc.onnxRotaryEmbedding({ X: resident, ...caches }, attributes)).toEqual(Y);
    expect(resident.read()).toEqual(before);

    // Heads side by side: the same numbers, token by token.
    const at = (i: number) => {
      const [d, h, t] = [i % 6, Math.floor(i / 6) % heads, Math.floor(i / (6 * heads)) % tokens];
      return ((Math.floor(i / (6 * heads * tokens)) * heads + h) * tokens + t) * 6 + d;
    };
    const packed = { data: X.data.map((_, i) => X.data[at(i)]!), dims: [batch, tokens, heads * 6] };
    const side = posenc.onnxRotaryEmbedding(
      { X: packed, ...caches },
      { ...attributes, num_heads: heads },
    );
    expect(side.dims).toEqual(packed.dims);
    expectNear(
      side.data,
      Array.from(side.data, (_, i) => expectedX[at(i)]!),
    );
  });

  test('takes no tokens', () => {
    const none = {
      X: array(1, 1, 2, 0, 4),
      cos_cache: array(1, 1, 0, 2),
      sin_cache: array(1, 1, 0, 2),
    };
    expect(posenc.onnxRotaryEmbedding(none)).toEqual(none.X);
  });
});

describe('onnxLinearAttention', () => {
  const attributes = { q_num_heads: 4, kv_num_heads: 2, scale: 0.5 };
  const whole = {
    query: array(1, 1, 7, 4 * 3),
    key: array(2, 1, 7, 2 * 3),
    value: array(3, 1, 7, 2 * 5),
    decay: { data: numbers(7 * 2, 4).map((x) => -Math.abs(x)), dims: [1, 7, 2] },
    beta: { data: numbers(7, 5).map((x) => 1 / (1 + Math.exp(-x))), dims: [1, 7, 1] },
  };
  type Inputs = typeof whole;

  const tokensOf = (first: number, last: number): Inputs => {
    const cut = ({ data, dims: [, , width = 1] }: OnnxTensor): OnnxTensor => ({
      data: data.slice(first * width, last * width),
      dims: [1, last - first, width],
    });
    const entries = Object.entries(whole).map(([name, tensor]) => [name, cut(tensor)]);
    return Object.fromEntries(entries) as Inputs;
  };

  test('a prompt, then token by token, gives the same bits', () => {
    const { output, present_state: last } = posenc.onnxLinearAttention(whole, attributes);
    let step = posenc.onnxLinearAttention(tokensOf(0, 3), attributes);
    const outputs = [...step.output.data];
    for (let t = 3; t < 7; t++) {
      const { present_state: past_state } = step;
      step = posenc.onnxLinearAttention({ ...tokensOf(t, t + 1), past_state }, attributes);
      outputs.push(...step.output.data);
    }
    expect(outputs).toEqual([...output.data]);
    expect(step.present_state).toEqual(last);
  });

  test('a state may be resident, and stays as it is; no tokens change nothing', () => {
    const past = array(6, 1, 2, 3, 5);
    using resident = posenc.tensor(past.data, past.dims);
    const after = posenc.onnxLinearAttention({ ...whole, past_state: resident }, attributes);
    expect(after).toEqual(posenc.onnxLinearAttention({ ...whole, past_state: past }, attributes));
    expect(resident.read()).toEqual(past.data);
    const none = posenc.onnxLinearAttention({ ...tokensOf(0, 0), past_state: past }, attributes);
    expect(none.output.dims).toEqual([1, 0, 20]);
    expect(none.present_state).toEqual(past);
  });
});

describe('scaledDotProductAttention', () => {
  const shaped = ({ data }: OnnxTensor, ...shape: number[]): ShapedArray => ({ data, shape });

  test('groups of heads, top-left', () => {
    const given = [Q, K, V].map(({ data, dims }) => ({ data, shape: dims })) as [
      ShapedArray,
      ShapedArray,
      ShapedArray,
    ];
    const { data, shape } = posenc.scaledDotProductAttention(...given, {
      ...{ isCausal: true, enableGqa: true, scale: 0.3, dropoutP: 0 },
    });
    expect(shape).toEqual([batch, heads, queries, valueDim]);
    expectNear(data, expected({ causal: true, scale: 0.3 }).output);
  });

  test('two and three dimensions', () => {
    const one = { batch: 1, heads: 1, kvHeads: 1 };
    const flat = posenc.scaledDotProductAttention(
      shaped({ data: Q.data.slice(0, queries * headDim), dims: [] }, queries, headDim),
      shaped({ data: K.data.slice(0, keys * headDim), dims: [] }, keys, headDim),
      shaped({ data: V.data.slice(0, keys * valueDim), dims: [] }, keys, valueDim),
    );
    expect(flat.shape).toEqual([queries, valueDim]);
    expectNear(flat.data, expected(one).output);

    const three = posenc.scaledDotProductAttention(
      shaped(Q, batch * heads, queries, headDim),
      shaped(K, batch * kvHeads, keys, headDim),
      shaped(V, batch * kvHeads, keys, valueDim),
      { enableGqa: true },
    );
    expect(three.shape).toEqual([batch * heads, queries, valueDim]);
    expectNear(three.data, expected({}).output);
  });

  // Entries 0 … 5 are those of two outer dimensions, [3, 2].
  const outer = 6;
  const many = {
    ...{ batch: outer, heads: 1, kvHeads: 1 },
    query: numbers(outer * queries * headDim, 8),
    key: numbers(outer * keys * headDim, 9),
    value: numbers(outer * keys * valueDim, 10),
  };
  const masks: [shape: number[], entry: (b: number) => number][] = [
    [[keys], () => 0],
    [[queries, keys], () => 0],
    [[1, 1, 1, queries, keys], () => 0],
    [[3, 1, 1, queries, keys], (b) => Math.floor(b / 2)],
    [[2, 1, queries, keys], (b) => b % 2],
    [[3, 2, 1, queries, keys], (b) => b],
  ];

  test.each(masks)('a mask %j over outer dimensions', (shape, entry) => {
    const added = numbers(count(shape), 11);
    const rows = shape.length > 1 ? queries : 1;
    const result = posenc.scaledDotProductAttention(
      { data: many.query, shape: [3, 2, 1, queries, headDim] },
      { data: many.key, shape: [3, 2, 1, keys, headDim] },
      { data: many.value, shape: [3, 2, 1, keys, valueDim] },
      { attnMask: { data: added, shape } },
    );
    const at = (b: number, m: number, n: number) => (entry(b) * rows + (m % rows)) * keys + n;
    expect(result.shape).toEqual([3, 2, 1, queries, valueDim]);
    expectNear(
      result.data,
      expected({ ...many, added: (b, _h, m, n) => added[at(b, m, n)]! }).output,
    );
    const flags = added.map((x) => Number(x > 0));
    const hidden = posenc.scaledDotProductAttention(
      { data: many.query, shape: [3, 2, 1, queries, headDim] },
      { data: many.key, shape: [3, 2, 1, keys, headDim] },
      { data: many.value, shape: [3, 2, 1, keys, valueDim] },
      { attnMask: { data: Uint8Array.from(flags), shape } },
    );
    expectNear(
      hidden.data,
      expected({ ...many, sees: (b, _h, m, n) => flags[at(b, m, n)] === 1 }).output,
    );
  });

  test('sequences may be empty', () => {
    const nothing = { data: new Float32Array(0), shape: [2, 0, 4] };
    const some = { data: numbers(24), shape: [2, 3, 4] };
    expect(posenc.scaledDotProductAttention(nothing, some, some).shape).toEqual([2, 0, 4]);
    const zeros = posenc.scaledDotProductAttention(some, nothing, nothing, { isCausal: true });
    expect(zeros.data).toEqual(new Float32Array(24));
  });
});

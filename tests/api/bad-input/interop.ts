/** Functions with the semantics of ONNX and PyTorch. */
import { detached, disposed, foreign, js, small, type Case } from './fixtures.js';

type Change = Readonly<Record<string, unknown>>;

const array = (...dims: number[]) => ({
  data: new Float32Array(dims.reduce((count, size) => count * size, 1)),
  dims,
});
const node = { Q: array(1, 2, 3, 4), K: array(1, 2, 5, 4), V: array(1, 2, 5, 6) };
const packed = { Q: array(1, 3, 8), K: array(1, 5, 8), V: array(1, 5, 12) };

const onnx =
  (change: Change, attributes?: unknown, outputs?: unknown, inputs: Change = node) =>
  () =>
    js.onnxAttention({ ...inputs, ...change }, attributes, outputs);

const rotary = { X: array(1, 2, 3, 4), cos_cache: array(9, 2), sin_cache: array(9, 2) };
const ids = { data: [0, 1, 2], dims: [1, 3] };
const turn = (change: Change, attributes?: unknown) => () =>
  js.onnxRotaryEmbedding({ ...rotary, position_ids: ids, ...change }, attributes);

const tokens = { query: array(1, 3, 8), key: array(1, 3, 4), value: array(1, 3, 6) };
const plain = { q_num_heads: 4, kv_num_heads: 2, update_rule: 'linear' };
const linear = (change: Change, attributes?: Change) => () =>
  js.onnxLinearAttention({ ...tokens, ...change }, { ...plain, ...attributes });
const delta = { update_rule: 'delta' };
const gated = { update_rule: 'gated' };

const shaped = (...shape: number[]) => ({ ...array(...shape), shape });
const [q, k, v] = [shaped(1, 2, 3, 4), shaped(1, 2, 5, 4), shaped(1, 2, 5, 6)];
const torch =
  (options?: unknown, query: unknown = q, key: unknown = k, value: unknown = v) =>
  () =>
    js.scaledDotProductAttention(query, key, value, options);
const mask = (...shape: number[]) => ({ attnMask: shaped(...shape) });

export const interop: Case[] = [
  [() => js.onnxAttention(), 'argument', 'Q', 'Q is missing, needs a tensor or { data, dims }'],
  [() => js.onnxAttention(1), 'argument', 'inputs', 'inputs is 1'],
  [onnx({ q: node.Q }), 'option', 'q', 'did you mean Q?'],
  [onnx({ Q: new Float32Array(24) }), 'argument', 'Q', 'needs a tensor or { data, dims }'],
  [onnx({ K: { data: [1], dims: [1, 1, 1, 1] } }), 'argument', 'K.data', 'Float32Array.from'],
  [
    onnx({ K: { data: new Uint16Array(40), dims: [1, 2, 5, 4] } }),
    'unsupported',
    'K.data',
    'float16',
  ],
  [onnx({ V: { ...node.V, dims: [1, 2, 5, -6] } }), 'range', 'V.dims[3]', 'V.dims[3] is -6'],
  [onnx({ V: { ...node.V, dims: [1, 2, 5, 7] } }), 'shape', 'V.data', 'needs 1·2·5·7 = 70'],
  [
    onnx({ Q: { data: detached(new Float32Array(24)), dims: [1, 2, 3, 4] } }),
    'memory',
    'Q.data',
    'detached',
  ],
  [onnx({ Q: disposed }), 'disposed', 'Q', 'Q was disposed'],
  [onnx({ Q: foreign }), 'argument', 'Q', 'a tensor of another module'],
  [onnx({ Q: small }), 'shape', 'K', 'K has the shape [1, 2, 5, 4], needs [1, 2, 5, 16]'],
  [onnx({ Q: array(3, 4) }), 'shape', 'Q', 'needs three or four dimensions'],
  [onnx({ K: array(1, 5, 8) }, { kv_num_heads: 2 }), 'shape', 'K', 'needs 4 dimensions'],
  [onnx({ K: array(2, 2, 5, 4) }), 'shape', 'K', 'needs [1, 2, 5, 4]'],
  [onnx({ V: array(1, 2, 4, 6) }), 'shape', 'V', 'needs [1, 2, 5, 6]'],
  [onnx({ Q: array(1, 3, 3, 4) }), 'shape', 'kv_num_heads', 'a divisor of q_num_heads = 3'],
  [onnx({ Q: array(1, 2, 3, 0) }), 'shape', 'Q', 'heads that are not empty'],
  [onnx({}, { q_num_heads: 3 }), 'shape', 'q_num_heads', 'the second of four dimensions, 2'],
  [onnx({}, {}, undefined, packed), 'argument', 'q_num_heads', 'q_num_heads is missing'],
  [onnx({}, { q_num_heads: 2 }, undefined, packed), 'argument', 'kv_num_heads', 'is missing'],
  [onnx({}, { q_num_heads: 3, kv_num_heads: 3 }, undefined, packed), 'shape', 'Q', 'its 3 heads'],
  [onnx({}, { q_num_heads: 0 }, undefined, packed), 'range', 'q_num_heads', 'q_num_heads is 0'],
  [onnx({}, { causal: 1 }), 'option', 'causal', 'not an option of onnxAttention'],
  [onnx({}, { is_causal: true }), 'argument', 'is_causal', 'an integer from 0 to 1'],
  [onnx({}, { scale: -1 }), 'range', 'scale', 'at least 0'],
  [onnx({}, { scale: NaN }), 'range', 'scale', 'scale is NaN'],
  [onnx({}, { softcap: -1 }), 'range', 'softcap', 'at least 0'],
  [onnx({}, { qk_matmul_output_mode: 4 }), 'range', 'qk_matmul_output_mode', 'from 0 to 3'],
  [onnx({}, { softmax_precision: 11 }), 'unsupported', 'softmax_precision', 'no float64 softmax'],
  [onnx({}, { softmax_precision: 7 }), 'range', 'softmax_precision', '1 (float32), 10'],
  [onnx({}, { left_window_size: -2 }), 'range', 'left_window_size', 'from -1 to'],
  [onnx({}, {}, 'Y'), 'argument', 'outputs', 'an array of "Y", "present_key"'],
  [onnx({}, {}, ['X']), 'option', 'outputs[0]', 'outputs[0] is "X"'],
  [
    onnx({ attn_mask: array(3, 6) }),
    'shape',
    'attn_mask',
    '[3, 6], needs up to [batch, q_num_heads',
  ],
  [onnx({ attn_mask: array(2, 5) }), 'shape', 'attn_mask', '= [1, 2, 3, 5]'],
  [onnx({ attn_mask: array(1, 1, 1, 1, 5) }), 'shape', 'attn_mask', 'the first three each or 1'],
  [
    onnx({ attn_mask: { data: Float32Array.of(0, 0, NaN, 0, 0), dims: [5] } }),
    'range',
    'attn_mask.data[2]',
    'a finite number, or −∞ to hide',
  ],
  [
    onnx({ attn_mask: { data: [true, 2], dims: [2] } }),
    'range',
    'attn_mask.data[1]',
    'is 2, needs true or 1',
  ],
  [onnx({ past_key: array(1, 2, 1, 4) }), 'argument', 'past_value', 'past_value is missing'],
  [
    onnx({ past_key: array(1, 2, 1, 4), past_value: array(1, 2, 2, 6) }),
    'shape',
    'past_value',
    'needs [1, 2, 1, 6]',
  ],
  [
    onnx({ nonpad_kv_seqlen: { data: [6], dims: [1] } }),
    'range',
    'nonpad_kv_seqlen.data[0]',
    'is 6, needs an integer from 0 to 5',
  ],
  [onnx({ nonpad_kv_seqlen: [5] }), 'argument', 'nonpad_kv_seqlen', 'needs { data, dims }'],
  [
    onnx({ nonpad_kv_seqlen: { data: new BigInt64Array(2), dims: [2] } }),
    'shape',
    'nonpad_kv_seqlen',
    '[2], needs [1]',
  ],
  [turn({ X: undefined }), 'argument', 'X', 'X is missing'],
  [turn({ X: array(1, 3, 8) }), 'argument', 'num_heads', 'num_heads is missing'],
  [turn({ X: array(1, 2, 3, 5) }), 'shape', 'head_size', 'an even number'],
  [turn({}, { rotary_embedding_dim: 3 }), 'range', 'rotary_embedding_dim', 'an even number'],
  [turn({}, { rotary_embedding_dim: 6 }), 'range', 'rotary_embedding_dim', 'from 0 to 4'],
  [turn({}, { interleaved: 2 }), 'range', 'interleaved', 'from 0 to 1'],
  [turn({ cos_cache: array(9, 4) }), 'shape', 'cos_cache', '[9, 4], needs [9, 2]'],
  [turn({ sin_cache: array(8, 2) }), 'shape', 'sin_cache', '[8, 2], needs [9, 2]'],
  [turn({ position_ids: undefined }), 'shape', 'cos_cache', 'needs [1, 3, 2]'],
  [
    turn({ position_ids: { ...ids, data: [0, 9, 0] } }),
    'range',
    'position_ids.data[1]',
    'from 0 to 8',
  ],
  [turn({ position_ids: { ...ids, data: [0, 1] } }), 'shape', 'position_ids.data', 'needs 1·3 = 3'],
  [() => js.onnxLinearAttention(tokens), 'argument', 'decay', 'since update_rule is "gated_delta"'],
  [linear({}, { update_rule: 'rule' }), 'option', 'update_rule', 'update_rule is "rule"'],
  [
    linear({ decay: array(1, 3, 2) }),
    'argument',
    'decay',
    'needs to be left out, since update_rule',
  ],
  [linear({}, delta), 'argument', 'beta', 'beta is missing, needs a tensor, since'],
  [linear({ decay: array(1, 3, 3) }, gated), 'shape', 'decay', '[1, 3, 3], needs [1, 3, 2]'],
  [linear({ beta: array(1, 3, 3) }, delta), 'shape', 'beta', '[1, 3, 3], needs [1, 3, 1]'],
  [linear({}, { q_num_heads: undefined }), 'argument', 'q_num_heads', 'q_num_heads is missing'],
  [linear({}, { q_num_heads: 3 }), 'shape', 'kv_num_heads', 'a divisor of q_num_heads = 3'],
  [linear({}, { chunk_size: 0 }), 'range', 'chunk_size', 'chunk_size is 0'],
  [linear({}, { scale: NaN }), 'range', 'scale', 'scale is NaN'],
  [linear({ query: array(1, 3, 2) }), 'shape', 'query', 'a multiple of its 4 heads'],
  [linear({ query: array(1, 2, 3, 4) }), 'shape', 'query', 'three dimensions'],
  [linear({ key: array(1, 3, 6) }), 'shape', 'key', '[1, 3, 6], needs [1, 3, 4]'],
  [linear({ value: array(1, 2, 6) }), 'shape', 'value', '[1, 2, 6], needs [1, 3, 6]'],
  [linear({ past_state: array(1, 2, 3, 2) }), 'shape', 'past_state', 'needs [1, 2, 2, 3]'],
  [linear({ erase_gate: array(1, 3, 4) }), 'option', 'erase_gate', 'not an option of'],
  [torch({}, null), 'argument', 'query', 'query is null, needs a tensor or { data, shape }'],
  [torch({}, shaped(4)), 'shape', 'query', 'at least two dimensions'],
  [torch({}, q, shaped(1, 2, 5, 3)), 'shape', 'key', 'needs [1, 2, 5, 4]'],
  [torch({}, q, shaped(2, 5, 4)), 'shape', 'key', 'needs [1, 2, 5, 4]'],
  [torch({}, q, k, shaped(1, 2, 4, 6)), 'shape', 'value', 'needs [1, 2, 5, 6]'],
  [
    torch({}, q, shaped(1, 1, 5, 4), shaped(1, 1, 5, 6)),
    'shape',
    'key',
    '2 heads as query, or enableGqa',
  ],
  [
    torch({ enableGqa: true }, shaped(1, 3, 3, 4)),
    'shape',
    'key',
    'a divisor of the 3 heads of query',
  ],
  [torch({ dropoutP: 0.1 }), 'unsupported', 'dropoutP', 'there is no dropout'],
  [torch({ isCausal: 1 }), 'argument', 'isCausal', 'true or false'],
  [torch({ scale: Infinity }), 'range', 'scale', 'scale is Infinity'],
  [torch({ attn_mask: q }), 'option', 'attn_mask', 'did you mean attnMask?'],
  [torch({ isCausal: true, ...mask(3, 5) }), 'argument', 'attnMask', 'isCausal is true'],
  [torch(mask(3, 4)), 'shape', 'attnMask', 'broadcasts to [1, 2, 3, 5]'],
  [torch(mask(1, 1, 1, 3, 5)), 'shape', 'attnMask', 'broadcasts to [1, 2, 3, 5]'],
];

/** ONNX backend node tests of Attention. */
import { about as attentionAbout, maskTerms, positionsFrom } from './attention.mjs';

export const about = [
  ...attentionAbout,
  'Inputs of three dimensions are transposed to four; half precision is stored as float32; past keys and values stand',
  'before the new ones. nonpad_kv_seqlen becomes padding of keys, and the last real key the position of the last query.',
  'left_window_size L is a window of L + 1, or before; right_window_size is after. qk_matmul_output_mode 0, 1, 2, 3 = scores, capped, logits, weights.',
];

export function waits() {
  return null;
}

/** (batch, tokens, heads·width) → (batch, heads, tokens, width). */
function split(tensor, heads) {
  if (tensor.shape.length === 4) return tensor;
  const [batch, tokens, total] = tensor.shape;
  const width = total / heads;
  const shape = [batch, heads, tokens, width];
  const values = Array.from({ length: tensor.values.length }, (_, i) => {
    const [d, t] = [i % width, Math.floor(i / width) % tokens];
    const [h, b] = [Math.floor(i / (width * tokens)) % heads, Math.floor(i / (total * tokens))];
    return tensor.values[(b * tokens + t) * total + h * width + d];
  });
  return { shape, values };
}

/** Puts `past` before `tensor` along the tokens. */
function append(past, tensor) {
  if (!past) return tensor;
  const [batch, heads, before, width] = past.shape;
  const tokens = tensor.shape[2];
  const part = ({ values }, length, row) => values.slice(row * length, (row + 1) * length);
  const rows = Array.from({ length: batch * heads }, (_, row) => [
    part(past, before * width, row),
    part(tensor, tokens * width, row),
  ]);
  return { shape: [batch, heads, before + tokens, width], values: rows.flat(2) };
}

/** Real keys per batch entry → padding, and where the queries stand. */
function paddingTerms(lengths, shape) {
  const [batch, , queries, keys] = shape;
  const values = Array.from({ length: batch * keys }, (_, i) =>
    i % keys < lengths[Math.floor(i / keys)] ? 1 : 0,
  );
  return {
    key_mask: ['u8', { shape: [batch, keys], values }],
    query_positions: positionsFrom(
      lengths.map((length) => length - queries),
      queries,
    ),
  };
}

/** What either of two paddings hides is hidden; any other mask stands beside a padding. */
function merge(terms, more) {
  if (!terms.key_mask || !more.key_mask) return { ...terms, ...more };
  const [, { shape, values }] = terms.key_mask;
  const [, other] = more.key_mask;
  const both = values.map((x, i) => x & other.values[i]);
  return { ...terms, key_mask: ['u8', { shape, values: both }] };
}

function expected({ outputs, attributes }, heads) {
  const result = { output: ['f64', split(outputs.Y_f64, heads)] };
  const mode = attributes.effective.qk_matmul_output_mode;
  if (outputs.qk_matmul_output_f64) {
    const tap = ['scores', 'capped', 'logits', 'weights'][mode];
    result[tap] = ['f64', outputs.qk_matmul_output_f64];
  }
  return result;
}

export function convert(given) {
  const { inputs, attributes } = given;
  const options = attributes.effective;
  const heads = options.q_num_heads ?? inputs.Q.shape[1];
  const kvHeads = options.kv_num_heads ?? inputs.K.shape[1];
  const query = split(inputs.Q, heads);
  const key = append(inputs.past_key, split(inputs.K, kvHeads));
  const value = append(inputs.past_value, split(inputs.V, kvHeads));
  const [batch, , queries, headDim] = query.shape;
  const shape = [batch, heads, queries, key.shape[2]];
  let terms = {};
  if (inputs.past_key) {
    terms.query_positions = positionsFrom(Array(batch).fill(inputs.past_key.shape[2]), queries);
  }
  if (inputs.nonpad_kv_seqlen) {
    terms = paddingTerms(inputs.nonpad_kv_seqlen.values, shape);
  }
  if (inputs.attn_mask) {
    terms = merge(terms, maskTerms(inputs.attn_mask, shape));
  }
  // A window of both sides at once where nothing is after the query anyway.
  const { left_window_size: left, right_window_size: right } = options;
  const window =
    left >= 0 && options.is_causal ? { window: left + 1 } : { before: left, after: right };
  return [
    {
      name: given.name.replace(/^test_attention_/, ''),
      from: given,
      numbers: {
        causal: options.is_causal ? 1 : 0,
        ...(left >= 0 || right >= 0 ? window : {}),
        softcap: options.softcap,
        scale: options.scale ?? 1 / Math.sqrt(headDim),
      },
      tensors: {
        query: ['f32', query],
        key: ['f32', key],
        value: ['f32', value],
        ...terms,
        ...expected(given, heads),
      },
    },
  ];
}

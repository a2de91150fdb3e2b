/** torch scaled_dot_product_attention, forward and back. */
import { about as attentionAbout, maskTerms, positionsFrom } from './attention.mjs';

export const about = [
  ...attentionAbout,
  'd_NAME: gradients, of a loss whose gradient by the output is d_output.',
  'Of long_130x257_d64 head 0 is kept. A NaN that is expected means: not specified.',
];

export function waits() {
  return null;
}

/** One head of a tensor with one batch entry. */
function firstHead({ shape, values }) {
  const [, heads, ...rest] = shape;
  return { shape: [1, 1, ...rest], values: values.slice(0, values.length / heads) };
}

/** Key n is shown to query m if n ≤ m + keys − queries. */
function isBottomRight({ shape, values }) {
  const [queries, keys] = shape;
  const shown = (i) => i % keys <= Math.floor(i / keys) + keys - queries;
  return shape.length === 2 && values.every((x, i) => (x !== 0) === shown(i));
}

/** The masks of a case: causal by positions where they say no more than that. */
function termsOf({ attributes, inputs }, [batch, heads, queries, keys]) {
  const { mask } = inputs;
  if (!mask) return { causal: attributes.is_causal, tensors: {} };
  if (attributes.is_causal) throw new Error('causal and a mask');
  if (mask.dtype === 'bool' && isBottomRight(mask)) {
    const positions = positionsFrom(Array(batch).fill(keys - queries), queries);
    return { causal: true, tensors: { query_positions: positions } };
  }
  return { causal: false, tensors: maskTerms(mask, [batch, heads, queries, keys]) };
}

/** Gradients, where the source has them. */
function gradientsOf({ inputs, outputs }) {
  if (!inputs.do) return {};
  const bias = outputs.dbias_f64 ? { d_bias: ['f64', outputs.dbias_f64] } : {};
  return {
    d_output: ['f32', inputs.do],
    d_query: ['f64', outputs.dq_f64],
    d_key: ['f64', outputs.dk_f64],
    d_value: ['f64', outputs.dv_f64],
    ...bias,
  };
}

export function convert(given) {
  const { attributes, inputs, outputs } = given;
  const keep = given.name.startsWith('long') ? firstHead : (tensor) => tensor;
  const query = keep(inputs.q);
  const key = keep(inputs.k);
  const value = keep(inputs.v);
  const [batch, heads, queries, headDim] = query.shape;
  const { causal, tensors } = termsOf(given, [batch, heads, queries, key.shape[2]]);
  return [
    {
      name: given.name,
      from: given,
      numbers: { causal: causal ? 1 : 0, scale: attributes.scale ?? 1 / Math.sqrt(headDim) },
      tensors: {
        query: ['f32', query],
        key: ['f32', key],
        value: ['f32', value],
        ...tensors,
        output: ['f64', keep(outputs.o_f64)],
        ...gradientsOf(given),
      },
    },
  ];
}

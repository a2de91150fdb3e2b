/** ALiBi slopes and biases. */

export const about = [
  'ALiBi. slopes: those of 1, 2, … 128 heads, one list after the other.',
  'symmetric (heads, tokens, tokens) = -slope·|i-j|. causal: the same for j ≤ i, 0 elsewhere.',
  'keys_only (heads, tokens) = slope·j: the published code leaves out the part that is the same for a whole row.',
  'padded (batch, heads, tokens) = slope·(place among the real tokens), BLOOM.',
  "Falcon's bfloat16 slopes, divided by √head_dim, are no case of ALiBi as published: only BLOOM's numbers are used.",
];

export function waits() {
  return null;
}

const f32 = (shape, { values }) => ['f32', { shape, values }];

function slopes(given) {
  const { values } = given.outputs.paper_f64;
  const rows = Array.from({ length: 128 }, (_, n) => values.slice(n * 128, n * 128 + n + 1));
  const flat = rows.flat();
  return { slopes: ['f64', { shape: [flat.length], values: flat }] };
}

function biases({ inputs, outputs }, heads, tokens) {
  const symmetric = outputs.mpt_bidirectional.values;
  const other = outputs.xtransformers_bidirectional.values;
  if (symmetric.some((x, i) => Math.abs(x - other[i]) > 1e-6))
    throw new Error('MPT ≠ x-transformers');
  const mask = inputs.attention_mask;
  return {
    symmetric: f32([heads, tokens, tokens], outputs.mpt_bidirectional),
    causal: f32([heads, tokens, tokens], outputs.neox_causal_lower),
    keys_only: f32([heads, tokens], outputs.paper_key_only),
    padded: f32([mask.shape[0], heads, tokens], outputs.bloom_masked),
    mask: ['u8', mask],
  };
}

export function convert(given) {
  const { n_heads: heads = 0, T: tokens = 0 } = given.attributes;
  const tensors =
    given.name === 'slopes_1_to_128'
      ? slopes(given)
      : 'bloom_f32' in given.outputs
        ? { keys_only: f32([heads, tokens], given.outputs.bloom_f32) }
        : biases(given, heads, tokens);
  return [{ name: given.name, from: given, numbers: { heads, tokens }, tensors }];
}

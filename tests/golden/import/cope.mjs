/** CoPE: what is added to given logits. */

export const about = [
  'CoPE. logits (batch, heads, T, T), -Infinity where hidden; added = q·e at the counts of open gates.',
];

export function waits() {
  return null;
}

export function convert(given) {
  const { inputs, outputs } = given;
  return [
    {
      name: given.name,
      from: given,
      tensors: {
        query: ['f32', inputs.q],
        vectors: ['f32', inputs.pos_emb],
        logits: ['f64', inputs.logits_masked_f64],
        added: ['f64', outputs.cope_logits_f64],
      },
    },
  ];
}

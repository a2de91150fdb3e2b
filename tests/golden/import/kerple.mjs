/**
 * KERPLE. The authors' code turns scores into scores · weight kernel + bias kernel, either of which may be absent.
 */

export const about = [
  'KERPLE. result (batch, heads, queries, keys): what the causal code makes of scores; after the query, distances count as 0.',
  'r1 and r2 are those of the bias, weight_scale and weight_power those of the kernel that multiplies; all (heads).',
];

export function waits() {
  return null;
}

export function convert(given) {
  const { inputs, outputs, attributes } = given;
  const kernel = attributes.pos_emb.includes('log') ? 'log' : 'power';
  const { bias_a: a, bias_p: p, wei_a, wei_p, scores } = inputs;
  const [r1, r2] = kernel === 'log' ? [p, a] : [a, p];
  const perHead = Object.entries({ r1, r2, weight_scale: wei_a, weight_power: wei_p })
    .filter(([, tensor]) => tensor)
    .map(([name, { values }]) => [name, ['f32', { shape: [attributes.heads], values }]]);
  return [
    {
      name: given.name,
      from: given,
      words: { kernel },
      tensors: {
        ...Object.fromEntries(perHead),
        scores: ['f32', scores],
        result: ['f64', outputs.scores_out_f64],
      },
    },
  ];
}

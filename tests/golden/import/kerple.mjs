/**
 * KERPLE. The authors' code turns scores into scores · weight kernel + bias kernel; the bias is what is left of its
 * results without the part that is multiplied.
 */

export const about = [
  'KERPLE. r1, r2 (heads), bias (heads, queries, keys): what the causal code adds to the scores, 0 after the query.',
  'Parameters are those that the code ends up with: at least 0.01, exponents at most 2.',
];

export function waits({ inputs }) {
  if ('bias_a' in inputs || 'bias_p' in inputs) return null;
  return 'a kernel that multiplies the scores, without a bias';
}

const clamp = (x, least, most = Infinity) => Math.min(Math.max(x, least), most);

/** The weight kernel exp(-a·x^p) of one head and distance; 1 when the case has none. */
function weight({ wei_a: a, wei_p: p }, head, distance) {
  if (!a && !p) return 1;
  const scale = a ? clamp(a.values[head], 0.01) : 1;
  const power = p ? clamp(p.values[head], 0.01, 2) : 1;
  return Math.exp(-scale * distance ** power);
}

export function convert(given) {
  const { inputs, outputs, attributes } = given;
  const { heads, T: tokens } = attributes;
  const kernel = attributes.pos_emb.includes('log') ? 'log' : 'power';
  const ones = { values: Array(heads).fill(1) };
  const { bias_a: a = ones, bias_p: p = ones } = inputs;
  const [r1, r2] = kernel === 'log' ? [p, a] : [a, p];
  const values = Array.from({ length: heads * tokens * tokens }, (_, i) => {
    const distance = Math.max((Math.floor(i / tokens) % tokens) - (i % tokens), 0);
    const kept = weight(inputs, Math.floor(i / tokens ** 2), distance);
    return outputs.scores_out_f64.values[i] - inputs.scores.values[i] * kept;
  });
  const perHead = (tensor) => ['f32', { shape: [heads], values: tensor.values }];
  return [
    {
      name: given.name,
      from: given,
      words: { kernel },
      tensors: {
        r1: perHead(r1),
        r2: perHead(r2),
        bias: ['f64', { shape: [heads, tokens, tokens], values }],
      },
    },
  ];
}

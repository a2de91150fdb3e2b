/** Sandwich, by an independent writing of the paper's formula. */

export const about = ['Sandwich. bias (heads, queries, keys) from sinusoids of `width`.'];

export function waits() {
  return null;
}

export function convert(given) {
  return [
    {
      name: given.name,
      from: given,
      numbers: { width: given.attributes.bar_d },
      tensors: { bias: ['f64', given.outputs.bias_f64] },
    },
  ];
}

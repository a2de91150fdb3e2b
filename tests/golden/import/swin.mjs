/** Relative position biases of Swin's windows. */

export const about = [
  'Swin. table ((2·height - 1)·(2·width - 1), heads), bias (heads, queries, keys) of the tokens row by row.',
];

export function waits() {
  return null;
}

export function convert(given) {
  const [height, width] = given.attributes.window;
  return [
    {
      name: given.name,
      from: given,
      numbers: { height, width },
      tensors: { table: ['f32', given.inputs.table], bias: ['f32', given.outputs.bias] },
    },
  ];
}

/** Shaw's clipped relative positions: which row of the table a query takes for a key. */

export const about = [
  'Relative vectors (Shaw 2018). rows (queries, keys) = clip(key - query) + max_distance; the queries are the last of the keys.',
];

export function waits() {
  return null;
}

export function convert(given) {
  const { max_relative_position: reach } = given.attributes;
  return [
    {
      name: given.name,
      from: given,
      numbers: { max_distance: reach },
      tensors: { rows: ['i32', given.outputs.index] },
    },
  ];
}

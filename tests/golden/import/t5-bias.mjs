/** Buckets and biases of T5, whose float32 buckets are those of exact arithmetic in every case. */

export const about = [
  'T5. bucket: of the relative positions (key - query). table (buckets, heads), bias (heads, queries, keys).',
  'Queries stand at first_query, first_query + 1, …, keys at 0, 1, …',
];

export function waits() {
  return null;
}

export function convert(given) {
  const { inputs, outputs, attributes } = given;
  const { num_buckets: buckets, max_distance: longest, bidirectional } = attributes;
  const numbers = { buckets, max_distance: longest, bidirectional: bidirectional ? 1 : 0 };
  if ('bias' in outputs) {
    const { shape, values } = outputs.bias;
    return [
      {
        name: given.name,
        from: given,
        numbers: { ...numbers, first_query: attributes.query_offset },
        tensors: {
          table: ['f32', inputs.table],
          bias: ['f32', { shape: shape.slice(1), values }],
        },
      },
    ];
  }
  const exact = outputs.bucket_integer_exact.values;
  if (outputs.bucket.values.some((x, i) => x !== exact[i])) throw new Error('float32 ≠ exact');
  return [
    {
      name: given.name,
      from: given,
      numbers,
      tensors: { relative: ['i32', inputs.relative_position], bucket: ['i32', outputs.bucket] },
    },
  ];
}

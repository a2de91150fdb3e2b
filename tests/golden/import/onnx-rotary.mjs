/** ONNX RotaryEmbedding with tables of cosines and sines from outside. */

export const about = [
  'ONNX RotaryEmbedding. cos, sin (batch, tokens, rotary_dim/2): the rows of the caches that position_ids name.',
];

export function waits() {
  return null;
}

/** Rows of a cache (positions, pairs), or the cache itself when it is per token. */
function rowsOf(cache, ids, batch, tokens) {
  const pairs = cache.shape.at(-1);
  const values = ids
    ? ids.values.flatMap((p) => cache.values.slice(p * pairs, (p + 1) * pairs))
    : cache.values;
  return ['f32', { shape: [batch, tokens, pairs], values }];
}

export function convert(given) {
  const { input, cos_cache: cos, sin_cache: sin, position_ids: ids } = given.inputs;
  const {
    interleaved = 0,
    rotary_embedding_dim: rotaryDim = 0,
    num_heads: heads = 0,
  } = given.attributes.effective;
  if (input.shape.length !== 4 || heads) throw new Error(`${given.name}: not of four dimensions`);
  const [batch, , tokens, headDim] = input.shape;
  return [
    {
      name: given.name,
      from: given,
      numbers: { rotary_dim: rotaryDim || headDim },
      words: { layout: interleaved ? 'interleaved' : 'half' },
      tensors: {
        x: ['f32', input],
        cos: rowsOf(cos, ids, batch, tokens),
        sin: rowsOf(sin, ids, batch, tokens),
        rotated: ['f64', given.outputs.output_f64],
      },
    },
  ];
}

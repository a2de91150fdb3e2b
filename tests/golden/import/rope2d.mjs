/**
 * Rotations by two coordinates (row, column) of vision models, as parameters of `rope_nd`. The references compute in
 * float32.
 */

export const about = [
  'Rotations of q by the row and column of a grid. rotated: the reference in float32.',
  'Words and numbers are the options of rope_nd.',
];

export function waits() {
  return null;
}

/** What each reference does, and the size of its grid. */
const kinds = {
  dinov3: ({ h, w, theta }) => ({
    sizes: [h, w],
    numbers: { base: theta },
    words: { layout: 'half', coordinates: 'centres' },
  }),
  lucidrains_axial_lang: ({ dims }) => ({ sizes: dims }),
  lucidrains_axial_pixel: ({ dims, max_freq: max }) => ({
    sizes: dims,
    numbers: { max_frequency: max },
    words: { spectrum: 'linear', coordinates: 'endpoints' },
  }),
  pixtral: ({ side, theta }) => ({
    sizes: [side, side],
    numbers: { base: theta },
    words: { layout: 'half', spectrum: 'shared' },
  }),
  timm_eva_freq_ref: (a) => ({
    sizes: a.feat_shape,
    numbers: { base: a.temperature, reference_sizes: a.ref_feat_shape, grid_offset: a.grid_offset },
    words: { coordinates: 'reference' },
  }),
  timm_eva_pixels: ({ feat_shape: sizes, max_res: max }) => ({
    sizes,
    numbers: { max_frequency: max },
    words: { spectrum: 'logarithmic', coordinates: 'endpoints' },
  }),
};

/** The last `tokens` rows of each head: those before are not part of the grid. */
function gridTokens({ shape, values }, tokens) {
  const width = shape.at(-1);
  const batched = shape.length === 4 && shape[1] * shape[2] === tokens ? [1, tokens] : null;
  const [heads, all] = batched ?? [shape[1], shape[2]];
  const out = [];
  for (let head = 0; head < heads; head++) {
    const end = (head + 1) * all * width;
    out.push(...values.slice(end - tokens * width, end));
  }
  return { shape: [1, heads, tokens, width], values: out };
}

export function convert(given) {
  const { name, attributes, inputs, outputs } = given;
  const kind = Object.keys(kinds).find((key) => name.startsWith(key));
  const { sizes, numbers = {}, words = {} } = kinds[kind](attributes);
  const [rows, columns] = sizes;
  const tokens = rows * columns;
  const positions = Array.from({ length: tokens }, (_, t) => [Math.floor(t / columns), t % columns]);
  return [
    {
      name,
      from: given,
      numbers: { sizes, base: 10000, max_frequency: 10, ...numbers },
      words: { layout: 'interleaved', spectrum: 'power', coordinates: 'index', ...words },
      tensors: {
        x: ['f32', gridTokens(inputs.q, tokens)],
        positions: ['i32', { shape: [tokens, 2], values: positions.flat() }],
        rotated: ['f32', gridTokens(outputs.q_f32, tokens)],
      },
    },
  ];
}

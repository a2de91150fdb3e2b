/** Sinusoidal tables: one golden case per convention. */

export const about = [
  'Sinusoidal tables. Outputs named f64 are float64 tables; marian is computed in float64 and rounded.',
  'positions (tokens), or (tokens, 2) for images.',
  'Of long tables, the rows around powers of two and every 61st are kept.',
  'Tables whose angles the reference forms in float32 (fairseq, Whisper, MusicGen) are left to their float64 twins.',
];

/** Output → layout, denominator, order. */
const conventions = {
  paper_interleaved_f64: ['interleaved', 'd/2', 'sin-cos'],
  marian_concat_f32: ['halves', 'd/2', 'sin-cos'],
  t2t_concat_f64: ['halves', 'd/2-1', 'sin-cos'],
  cos_first_f64: ['halves', 'd/2-1', 'cos-sin'],
  t2t_f64: ['halves', 'd/2-1', 'sin-cos'],
};

export function waits() {
  return null;
}

/**
 * DETR's normalised table of the real part of an image, which its mask says. Rows and columns count from 1 and are
 * divided by the last one, plus 1e-6; padding outside them stands at 0.
 */
function detr(given) {
  const { shape, values } = given.inputs.mask;
  const [, rows, columns] = shape;
  const places = Array.from({ length: rows * columns }, (_, i) => [Math.floor(i / columns), i % columns]);
  const shown = places.filter(([row, column]) => values[row * columns + column] === 1);
  const [last, lastColumn] = shown.at(-1);
  const width = 2 * given.attributes.embedding_dim;
  const table = given.outputs.pos.values;
  return {
    name: given.name,
    from: given,
    numbers: {
      width,
      offset: 1,
      position_scale: [last, lastColumn].map((at) => given.attributes.scale / (at + 1 + 1e-6)),
    },
    words: { layout: 'interleaved', denominator: 'd/2', order: 'sin-cos' },
    tensors: {
      positions: ['i32', { shape: [shown.length, 2], values: shown.flat() }],
      rows: [
        'f32',
        {
          shape: [shown.length, width],
          values: shown.flatMap(([row, column]) =>
            Array.from({ length: width }, (_, c) => table[(c * rows + row) * columns + column]),
          ),
        },
      ],
    },
  };
}

/** timm's tables of images: every place of a grid, its last coordinate running fastest. */
function grid(given) {
  const { feat_shape, temperature, reverse_coord, interleave_sin_cos } = given.attributes;
  const [rows, columns] = reverse_coord ? feat_shape.toReversed() : feat_shape;
  const places = Array.from({ length: rows * columns }, (_, i) => [
    Math.floor(i / columns),
    i % columns,
  ]);
  const { shape, values } = given.outputs.pos;
  return {
    name: `${given.name}/pos`,
    from: given,
    numbers: { width: shape[1], base: temperature },
    words: { layout: interleave_sin_cos ? 'halves' : 'spread', denominator: 'd/2', order: 'sin-cos' },
    tensors: {
      positions: ['i32', { shape: [rows * columns, 2], values: places.flat() }],
      rows: ['f32', { shape, values }],
    },
  };
}

function rowsToKeep(count) {
  const near = (p) => [p - 1, p, p + 1].some((x) => x > 0 && (x & (x - 1)) === 0);
  const all = Array.from({ length: count }, (_, p) => p);
  return count <= 64 ? all : all.filter((p) => near(p) || p % 61 === 0);
}

export function convert(given) {
  if ('feat_shape' in given.attributes) return [grid(given)];
  if (given.attributes.normalize) return [detr(given)];
  return Object.entries(given.outputs)
    .filter(([output]) => output in conventions)
    .map(([output, { shape, values }]) => {
      const [layout, denominator, order] = conventions[output];
      const [count, width] = shape;
      const rows = rowsToKeep(count);
      const kept = rows.flatMap((p) => values.slice(p * width, (p + 1) * width));
      return {
        name: `${given.name}/${output}`,
        from: given,
        numbers: { width },
        words: { layout, denominator, order },
        tensors: {
          positions: ['i32', { shape: [rows.length], values: rows }],
          rows: [
            output.endsWith('f32') ? 'f32' : 'f64',
            { shape: [rows.length, width], values: kept },
          ],
        },
      };
    });
}

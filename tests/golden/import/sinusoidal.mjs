/** Sinusoidal tables: one golden case per convention. */

export const about = [
  'Sinusoidal tables. Outputs named f64 are float64 tables; marian is computed in float64 and rounded.',
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

export function waits({ name }) {
  return /2d/.test(name) ? 'tables of two-dimensional positions' : null;
}

function rowsToKeep(count) {
  const near = (p) => [p - 1, p, p + 1].some((x) => x > 0 && (x & (x - 1)) === 0);
  const all = Array.from({ length: count }, (_, p) => p);
  return count <= 64 ? all : all.filter((p) => near(p) || p % 61 === 0);
}

export function convert(given) {
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

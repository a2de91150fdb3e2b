import type { Context } from './context.js';
import type { Fields } from './fields.js';
import type { Scaling, Sections } from './plan.js';

/**
 * M-RoPE's sections, wherever the config has `mrope_section`: also beside `rope_type: "default"`, which
 * must not be taken for plain RoPE (Qwen3.5). `null`, with a note, when they do not fit the pairs.
 */
export function readSections(
  { family, notes }: Context,
  container: Fields | null,
  { parameters }: Scaling,
  pairs: number | null,
): Sections | null {
  const sizes = parameters['mrope_section'];
  if (container === null || sizes === undefined) return null;
  const at = [container.at('mrope_section')];
  const list = Array.isArray(sizes) ? (sizes as readonly number[]) : [];
  const whole = list.length === 3 && list.every((n) => Number.isInteger(n) && n >= 0);
  const sum = list.reduce((total, n) => total + n, 0);
  if (!whole || (pairs !== null && sum !== pairs)) {
    notes.add('sections-mismatch', at, { sum, pairs: pairs ?? sum });
    return null;
  }
  const given = parameters['mrope_interleaved'];
  const interleaved = typeof given === 'boolean' ? given : family.sections === 'interleaved';
  const order = interleaved ? 'interleaved' : 'chunked';
  notes.add('sections', at, { sizes: list.join(', '), order });
  return { sizes: list, order, axes: interleaved ? interleavedAxes(list) : chunkedAxes(list) };
}

/** Qwen2-VL: first the pairs of time, then of height, then of width. */
const chunkedAxes = (sizes: readonly number[]): number[] =>
  sizes.flatMap((size, axis) => Array<number>(size).fill(axis));

/** Qwen3-VL: time, height, width in turn, until height and width have their sizes; time takes the rest. */
function interleavedAxes(sizes: readonly number[]): number[] {
  const pairs = sizes.reduce((total, n) => total + n, 0);
  return Array.from({ length: pairs }, (_, pair) => {
    const axis = pair % 3;
    return pair < 3 * (sizes[axis] as number) ? axis : 0;
  });
}

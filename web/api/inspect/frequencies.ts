import type { Scaling } from './plan.js';

/** What a rule makes its frequencies from. */
export interface Rotation {
  readonly base: number;
  /** Even, at least 2. */
  readonly rotaryDim: number;
  readonly scaling: Scaling;
}

/** float64 radians per position for each pair, and what cos and sin are multiplied by. */
export interface Frequencies {
  readonly inverseFrequencies: readonly number[];
  readonly attentionFactor: number;
}

/** A rule that makes the frequency table of `rotate`. */
export interface Rule {
  /** Parameters it cannot do without. */
  readonly required: readonly string[];
  /** `null` where the result would not be exact. */
  readonly compute: (rotation: Rotation) => Frequencies | null;
}

/** RoPE (Su 2021, section 3.2.2): pair i turns by base^(−2i/rotaryDim) a position. */
function plain({ base, rotaryDim }: Rotation): Frequencies {
  const pairs = { length: rotaryDim / 2 };
  return {
    inverseFrequencies: Array.from(pairs, (_, i) => 1 / base ** ((2 * i) / rotaryDim)),
    attentionFactor: 1,
  };
}

/** Position interpolation divides by the factor; only the factor 1 is computed yet. */
const linear = (rotation: Rotation): Frequencies | null =>
  rotation.scaling.parameters['factor'] === 1 ? plain(rotation) : null;

const uncomputed = (): null => null;

const bands = ['factor', 'low_freq_factor', 'high_freq_factor', 'original_max_position_embeddings'];
const lists = ['short_factor', 'long_factor'];

/** Every rule name that configs use; `su` is the old name of `longrope`. */
export const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['default', { required: [], compute: plain }],
  ['mrope', { required: ['mrope_section'], compute: plain }],
  ['linear', { required: ['factor'], compute: linear }],
  ['dynamic', { required: ['factor'], compute: uncomputed }],
  ['yarn', { required: ['factor'], compute: uncomputed }],
  ['longrope', { required: lists, compute: uncomputed }],
  ['su', { required: lists, compute: uncomputed }],
  ['llama3', { required: bands, compute: uncomputed }],
  ['proportional', { required: [], compute: uncomputed }],
]);

/** ALiBi slopes in the paper's order (Press 2022): geometric for 2^k heads, then every second of the next. */
export function alibiSlopes(heads: number): number[] {
  const whole = 2 ** Math.floor(Math.log2(heads));
  const geometric = (count: number): number[] =>
    Array.from({ length: count }, (_, h) => 2 ** ((-8 * (h + 1)) / count));
  const extra = geometric(2 * whole).filter((_, h) => h % 2 === 0);
  return [...geometric(whole), ...extra.slice(0, heads - whole)];
}

import type {
  BandKind,
  ScalingDescription,
  ScalingParameter,
  Rotation,
  ScaledFrequencies,
} from './types.js';

/** Checked parameters of a rule, defaults filled in; `undefined` where there is none. */
export type Values = Readonly<Record<string, number | boolean | readonly number[] | undefined>>;

/** A rule that makes a frequency table. */
export interface Rule {
  readonly description: ScalingDescription;
  /**
   * Throws `PosencError` of code `range` that names the parameter where values that are fine alone do
   * not go together.
   */
  readonly compute: (rotation: Rotation, values: Values) => ScaledFrequencies;
  /** What becomes of each pair; throws as `compute` does. */
  readonly kinds: (rotation: Rotation, values: Values) => readonly BandKind[];
}

/** One kind for all pairs; a stretch of 1 changes none. */
export const everyPair = ({ rotaryDim }: Rotation, kind: BandKind, stretch?: unknown): BandKind[] =>
  Array.from({ length: rotaryDim / 2 }, () => (stretch === 1 ? 'kept' : kind));

/** Kinds of pairs by the share of each frequency that is kept: 1 = all, 0 = divided by the stretch. */
export const kindsOfShares = (shares: readonly number[], stretch: unknown): BandKind[] =>
  shares.map((kept) => {
    if (kept === 1 || stretch === 1) return 'kept';
    return kept === 0 ? 'interpolated' : 'blended';
  });

/** base^(−2i/width) for the first `pairs` pairs: RoPE (Su 2021, arXiv 2104.09864, section 3.2.2). */
export const geometric = (base: number, width: number, pairs = width / 2): number[] =>
  Array.from({ length: pairs }, (_, i) => 1 / base ** ((2 * i) / width));

/** A table with nothing multiplied. */
export const unscaled = (inverseFrequencies: number[]): ScaledFrequencies => {
  return { inverseFrequencies, attentionFactor: 1, softmaxFactor: 1 };
};

/** The stretch every rule but LongRoPE needs. */
export const factor: ScalingParameter = {
  name: 'factor',
  kind: 'real',
  initial: null,
  required: true,
  low: 1,
  high: 1e6,
  meaning: { zh: '上下文拉长的倍数', en: 'how many times the context is stretched' },
};

export const originalMaxPosition: ScalingParameter = {
  name: 'originalMaxPosition',
  kind: 'integer',
  initial: null,
  required: true,
  low: 1,
  high: 2 ** 30,
  meaning: { zh: '拉长之前训练的长度', en: 'trained length before stretching' },
};

export const attentionFactor: ScalingParameter = {
  name: 'attentionFactor',
  kind: 'real',
  initial: null,
  required: false,
  low: 0,
  high: 1e3,
  meaning: {
    zh: 'cos 与 sin 的系数；给出后取代默认值',
    en: 'multiplies cos and sin; replaces the default',
  },
};

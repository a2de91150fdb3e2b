import type { ParameterDescription, Text } from '../types.js';

/** Names of the rules that make the frequency table of `rotate`. */
export type ScalingName =
  | 'none'
  | 'linear'
  | 'ntk'
  | 'dynamic'
  | 'ntk-by-parts'
  | 'yarn'
  | 'longrope'
  | 'llama3'
  | 'proportional';

/** No scaling: pair i turns by base^(−2i/rotaryDim) radians a position. */
export interface NoScaling {
  type: 'none';
}

/** Position interpolation: every frequency divided by `factor`. */
export interface LinearScaling {
  type: 'linear';
  /** 1 … 10^6. (llama.cpp's `--rope-freq-scale` is 1/factor.) */
  factor: number;
}

/** NTK-aware: a bigger base, so that the slowest pair alone is stretched by the whole `factor`. */
export interface NtkScaling {
  type: 'ntk';
  /** 1 … 10^6. */
  factor: number;
}

/** NTK-aware with a base that grows with the sequence. */
export interface DynamicScaling {
  type: 'dynamic';
  /** 1 … 10^6. */
  factor: number;
  /** Trained length; up to it nothing changes. 1 … 2^30. */
  originalMaxPosition: number;
  /** Hunyuan's form: multiplies by alpha^(d/(d−2)) at every length, and `factor` is not used. */
  alpha?: number;
}

/** YaRN's frequencies without its attention factor. */
export interface NtkByPartsScaling {
  type: 'ntk-by-parts';
  /** 1 … 10^6. */
  factor: number;
  /** Trained length. 1 … 2^30. */
  originalMaxPosition: number;
  /** Pairs with more turns than this in the trained length keep their frequency. Default 32. */
  betaFast?: number;
  /** Pairs with fewer turns than this are divided by the whole factor. Default 1. */
  betaSlow?: number;
  /** Rounds the ends of the ramp outward to whole pairs. Default true; gpt-oss: false. */
  truncate?: boolean;
}

/** NTK-by-parts and a factor on cos and sin. */
export interface YarnScaling extends Omit<NtkByPartsScaling, 'type'> {
  type: 'yarn';
  /** Replaces what would follow from `factor` and the mscales. */
  attentionFactor?: number;
  /** With `mscaleAllDim`: cos and sin × get(mscale) / get(mscaleAllDim), get(m) = 0.1·m·ln factor + 1. */
  mscale?: number;
  /** See `mscale`; also the softmax scale × get(mscaleAllDim)², which is the attention's to apply. */
  mscaleAllDim?: number;
}

/** One searched divisor per pair: a short list up to the trained length, a long one beyond. */
export interface LongRopeScaling {
  type: 'longrope';
  /** rotaryDim/2 divisors. */
  shortFactor: readonly number[];
  /** rotaryDim/2 divisors for sequences longer than `originalMaxPosition`. */
  longFactor: readonly number[];
  /** Trained length. 2 … 2^30. */
  originalMaxPosition: number;
  /** Claimed length / trained length; makes the attention factor. Needed unless that is given. */
  factor?: number;
  /** Replaces √(1 + ln factor / ln originalMaxPosition). */
  attentionFactor?: number;
}

/** Llama 3.1's bands. */
export interface Llama3Scaling {
  type: 'llama3';
  /** 1 … 10^6. */
  factor: number;
  /** Trained length. 1 … 2^30. */
  originalMaxPosition: number;
  /** Fewer turns than this in the trained length: divided by the factor. Default 1. */
  lowFreqFactor?: number;
  /** More turns than this: kept. Default 4. */
  highFreqFactor?: number;
}

/** p-RoPE: only the fastest pairs turn, at the frequencies of the full width. */
export interface ProportionalScaling {
  type: 'proportional';
  /** Share of the pairs that turn. 0 … 1. */
  partialRotaryFactor: number;
  /** Divides the frequencies. Default 1. */
  factor?: number;
}

/** A context-extension rule with its parameters. */
export type ScalingOptions =
  | NoScaling
  | LinearScaling
  | NtkScaling
  | DynamicScaling
  | NtkByPartsScaling
  | YarnScaling
  | LongRopeScaling
  | Llama3Scaling
  | ProportionalScaling;

/** One parameter of a rule; `list` = one number per pair. */
export interface ScalingParameter extends Omit<ParameterDescription, 'kind' | 'choices'> {
  /** What a value is; numbers of a list are real. */
  readonly kind: 'integer' | 'real' | 'flag' | 'list';
  /** Default; `null` when the parameter is required, derived from another one, or may be missing. */
  readonly initial: number | boolean | null;
}

/** What a rule is, for sliders and tables. */
export interface ScalingDescription {
  /** What `type` is to be. */
  readonly name: ScalingName;
  /** For people. */
  readonly title: Text;
  /** Year of the paper. */
  readonly year: number;
  /** Authors and title of the source. */
  readonly paper: string;
  /** Address of the source. */
  readonly url: string;
  /** In the order of the rule's options. */
  readonly parameters: readonly ScalingParameter[];
}

/** What a rule makes its frequencies from. */
export interface Rotation {
  /** At least 1. */
  readonly base: number;
  /** Dimensions that turn: even, at least 2. */
  readonly rotaryDim: number;
  /**
   * Tokens of the sequence at hand (not of the allocated cache); `dynamic` and `longrope` depend on it.
   * Default: not longer than the trained length.
   */
  readonly length?: number;
}

/**
 * What a rule does to a pair:
 * - `kept`: nothing (beyond the trained length it extrapolates);
 * - `blended`: its frequency lies between the kept and the divided one;
 * - `interpolated`: its frequency is divided by the whole factor;
 * - `rebased`: its frequency comes from a bigger base, the slower the pair the more it is stretched;
 * - `searched`: its frequency is divided by a number of its own;
 * - `still`: it does not turn.
 */
export type BandKind = 'kept' | 'blended' | 'interpolated' | 'rebased' | 'searched' | 'still';

/** Neighbouring pairs that a rule treats alike. */
export interface ScalingBand {
  /** What the rule does to them. */
  readonly kind: BandKind;
  /** The first of them; pairs count from 0. */
  readonly first: number;
  /** The last of them, itself included. */
  readonly last: number;
}

/** What training has shown of one pair's circle, and what a longer sequence asks of it. */
export interface PairCoverage {
  /** Share of the circle met in training: 0 … 1, 1 = every angle. */
  readonly covered: number;
  /** Turns the pair makes over the asked length, with the rule. */
  readonly turns: number;
  /** Whether all its angles at the asked length were met in training. */
  readonly inDistribution: boolean;
}

/** A frequency table, and who multiplies what. */
export interface ScaledFrequencies {
  /** float64 radians per position, one per pair; 0 = the pair does not turn. */
  readonly inverseFrequencies: readonly number[];
  /** What cos and sin are multiplied by, so q·k by its square. */
  readonly attentionFactor: number;
  /** What the softmax scale is to be multiplied by besides. */
  readonly softmaxFactor: number;
}

import type { AlibiOptions, RopeOptions } from '../types.js';

/** How much a note matters: `error` = the config is wrong or the asked length cannot work. */
export type NoteLevel = 'info' | 'warning' | 'error';

/** One remark about a config, in both languages. */
export interface Note {
  /** Stable kebab-case name, for programs. */
  readonly code: string;
  readonly level: NoteLevel;
  /** Paths of the config fields it is about, e.g. `rope_scaling.factor`. */
  readonly fields: readonly string[];
  readonly zh: string;
  readonly en: string;
}

/** A context-extension rule as the config states it. */
export interface Scaling {
  /** `default`, `linear`, `dynamic`, `yarn`, `longrope`, `llama3` … as written in the config. */
  readonly type: string;
  /** The rule's other fields: numbers, flags, short texts and lists of numbers. */
  readonly parameters: Readonly<Record<string, number | boolean | string | readonly number[]>>;
}

/** Layers that treat position alike. */
export interface LayerGroup {
  /** Layer indices from 0, ascending; empty when the config does not say which layers these are. */
  readonly layers: readonly number[];
  /** `full_attention`, `sliding_attention` … where the config tells layer types apart. */
  readonly layerType: string | null;
  /** `unknown`: the config does not tell, or posenc does not know this kind of layer yet. */
  readonly encoding: 'rope' | 'alibi' | 'learned' | 'sinusoidal' | 'nope' | 'unknown';
  /** False where the numbers would not be exact; then they are empty or `null`, and a note says why. */
  readonly computed: boolean;
  /** What `pe.encoding(encoding, options)` takes; `null` where no registered encoding fits exactly. */
  readonly options: RopeOptions | AlibiOptions | null;
  /** Which dimensions form a pair (rope). */
  readonly layout: 'half' | 'interleaved' | null;
  /** Leading dimensions of each head that turn (rope). */
  readonly rotaryDim: number | null;
  /** `rope_theta` (rope). */
  readonly base: number | null;
  /** Rule that makes the frequencies (rope). */
  readonly scaling: Scaling | null;
  /** float64 radians per position, one per pair (rope; else empty). */
  readonly inverseFrequencies: readonly number[];
  /** Positions per full turn, 2π / frequency, one per pair (rope; else empty). */
  readonly wavelengths: readonly number[];
  /** What cos and sin are multiplied by. */
  readonly attentionFactor: number | null;
  /** Pairs that never completed a turn in training: wavelength > min(trained length, window). */
  readonly incompletePairs: number | null;
  /** The first of them (frequencies fall, so all later pairs too). */
  readonly firstIncompletePair: number | null;
  /** Slope per head (alibi; else empty). */
  readonly slopes: readonly number[];
  /** Size of the position table (learned). */
  readonly table: { readonly positions: number; readonly width: number } | null;
  /** Keys a query may see, itself included; `null` = all. */
  readonly window: number | null;
  /** What q·k is multiplied by before the softmax. */
  readonly softmaxScale: number | null;
}

/** How a model handles position, layer by layer; plain JSON. */
export interface Plan {
  /** As in the config; `null` when it does not say. */
  readonly modelType: string | null;
  /** Where in the config the numbers were read: empty, or e.g. `text_config`. */
  readonly path: string;
  readonly layers: number | null;
  readonly hiddenSize: number | null;
  readonly heads: number | null;
  readonly kvHeads: number | null;
  readonly headDim: number | null;
  /** The longest sequence the config claims (`max_position_embeddings`, `n_positions`, `seq_length`). */
  readonly trainedLength: number | null;
  /** The length asked for; `trainedLength` when none was. */
  readonly length: number | null;
  /** Ordered by first layer. */
  readonly layerGroups: readonly LayerGroup[];
  /** What was taken as given (level `info`). */
  readonly assumptions: readonly Note[];
  /** What is doubtful or wrong (levels `warning` and `error`). */
  readonly warnings: readonly Note[];
}

/** Options of `inspect`. */
export interface InspectOptions {
  /** Sequence length to judge the model at, 1 … 2^30. Default: the trained length. */
  length?: number;
}

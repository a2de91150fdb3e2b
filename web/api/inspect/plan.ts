import type { ScalingOptions } from '../scaling/types.js';
import type { AlibiOptions, ScaledRopeOptions, SinusoidalOptions } from '../types.js';

/** How much a note matters: `error` = the config is wrong or the asked length cannot work. */
export type NoteLevel = 'info' | 'warning' | 'error';

/** One remark about a config, in both languages. */
export interface Note {
  /** Stable kebab-case name, for programs. */
  readonly code: string;
  /** How much it matters. */
  readonly level: NoteLevel;
  /** Paths of the config fields it is about, e.g. `rope_scaling.factor`. */
  readonly fields: readonly string[];
  /** The remark in Chinese. */
  readonly zh: string;
  /** The remark in English. */
  readonly en: string;
}

/** A context-extension rule as the config states it. */
export interface Scaling {
  /** `default`, `linear`, `dynamic`, `yarn`, `longrope`, `llama3` … as written in the config. */
  readonly type: string;
  /** The rule's other fields: numbers, flags, short texts and lists of numbers. */
  readonly parameters: Readonly<Record<string, number | boolean | string | readonly number[]>>;
}

/** Something that multiplies on the way to the softmax. */
export interface Factor {
  /** cos and sin (so q·k by the square), q·k itself, or the query by its position. */
  readonly on: 'cos-sin' | 'softmax' | 'query';
  /** `null`: it varies with the position. */
  readonly value: number | null;
  /**
   * Where it comes from: `head-size` (1/√size), a field's name, or a rule's (`yarn`, `longrope`,
   * `mscale_all_dim`, `temperature`, `log-n`).
   */
  readonly from: string;
}

/** How a model of latent attention (MLA) splits its heads: only the last `rotary` dimensions turn. */
export interface Latent {
  /** Dimensions of queries and keys without position. */
  readonly nope: number;
  /** Dimensions of queries and keys that turn. */
  readonly rotary: number;
  /** Width of a value. */
  readonly value: number;
}

/**
 * Which pairs turn by time, height and width. In M-RoPE text has all three alike; models of images alone
 * have no pairs for time.
 */
export interface Sections {
  /** Pairs of time, height and width. */
  readonly sizes: readonly number[];
  /** Whether pairs of an axis stand together, or axes take turns. */
  readonly order: 'chunked' | 'interleaved';
  /** Axis of each pair: 0 time, 1 height, 2 width. */
  readonly axes: readonly number[];
}

/** Queries × (1 + scale · ln(⌊(p + shift)/floor⌋ + 1)) at position p (Llama 4: shift 1; Ministral 3: 0). */
export interface Temperature {
  /** Strength of the growth. */
  readonly scale: number;
  /** Positions per step. */
  readonly floor: number;
  /** Added to the position before it is divided. */
  readonly shift: 0 | 1;
}

/** Vectors for distances that meet queries or keys: relative keys of BERT (Shaw 2018), Transformer-XL. */
export interface Distances {
  /** What is added to q·k before the scale: `q·r` and `k·r`, with r the distance's vector; `u·k` and `v·r`, learned. */
  readonly terms: readonly ('q·r' | 'k·r' | 'u·k' | 'v·r')[];
  /** Where r comes from. */
  readonly vectors: 'learned' | 'sinusoidal';
  /** Width of r. */
  readonly width: number;
  /** The farthest distance with a vector of its own; `null` = every distance has one. */
  readonly maxDistance: number | null;
  /** What happens beyond: the vector of the farthest, or an error. */
  readonly beyond: 'clipped' | 'error';
}

/** Swin: biases by the offset of two patches inside a square window. */
export interface PatchWindow {
  /** Patches on a side of the window. */
  readonly side: number;
  /** Different offsets, (2·side − 1)². */
  readonly offsets: number;
  /** Patches by which every second layer moves its windows. */
  readonly shift: number;
  /** Heads of these layers. */
  readonly heads: number;
  /** One learned number per offset and head, or a small network of the log offsets (Swin v2). */
  readonly biases: 'table' | 'network';
  /** Side of the window in pre-training, by which offsets are divided (Swin v2); `null` = the same. */
  readonly pretrainedSide: number | null;
}

/** A convolution over the input, which alone tells the order (wav2vec 2.0). */
export interface PositionConvolution {
  /** Frames that a frame sees. */
  readonly kernel: number;
  /** Groups of channels that are convolved apart from each other. */
  readonly groups: number;
}

/** T5's buckets of distances: one learned bias per bucket and head. */
export interface Buckets {
  /** How many buckets. */
  readonly count: number;
  /** Where the logarithmic buckets end. */
  readonly maxDistance: number;
  /** Whether keys after the query have buckets of their own. */
  readonly bidirectional: boolean;
  /** From this distance on every token falls into the last bucket. */
  readonly saturatesAt: number;
  /** Whether every layer has its own table (UMT5) or all share the first one's. */
  readonly perLayer: boolean;
}

/** DeBERTa's disentangled attention: each term adds to q·k. */
export interface Disentangled {
  /** Which of content (c) and position (p) meets which: query first, then key. */
  readonly terms: readonly ('c2c' | 'c2p' | 'p2c' | 'p2p')[];
  /** Distances are clipped here. */
  readonly maxDistance: number;
  /** Log buckets to each side (v2, v3); `null` = one row per distance. */
  readonly buckets: number | null;
  /** Whether absolute positions are added to the input too. */
  readonly absolute: boolean;
}

/** A table of absolute positions, learned or sinusoidal. */
export interface PositionTable {
  /** Positions that tokens can take. */
  readonly positions: number;
  /** Length of a row. */
  readonly width: number;
  /** Row of position 0: 2 in OPT and RoBERTa. */
  readonly offset: number;
}

/** Layers that treat position alike. */
export interface LayerGroup {
  /**
   * Layer indices from 0, ascending; empty when the config does not say which layers these are. Layers of a
   * decoder are counted after those of its encoder.
   */
  readonly layers: readonly number[];
  /** `full_attention`, `sliding_attention`, `encoder` … where layers differ in type. */
  readonly layerType: string | null;
  /** `unknown`: the config does not tell, or posenc does not know this kind of layer yet. */
  readonly encoding:
    | 'rope'
    | 'alibi'
    | 'learned'
    | 'sinusoidal'
    | 't5'
    | 'deberta'
    | 'shaw'
    | 'transformer_xl'
    | 'swin'
    | 'convolution'
    | 'nope'
    | 'unknown';
  /** False where the numbers would not be exact; then they are empty or `null`, and a note says why. */
  readonly computed: boolean;
  /**
   * What `pe.encoding(encoding, options)` takes; `null` where that does not fit exactly or needs trained
   * numbers. With latent attention it is for the part of the head that turns.
   */
  readonly options: ScaledRopeOptions | AlibiOptions | SinusoidalOptions | null;
  /** Which dimensions form a pair (rope). */
  readonly layout: 'half' | 'interleaved' | null;
  /** How many dimensions of each head turn (rope). */
  readonly rotaryDim: number | null;
  /** The first of them: 0, but after the part without position in latent attention. */
  readonly rotaryStart: number | null;
  /** How heads are split (latent attention). */
  readonly latent: Latent | null;
  /** `rope_theta` (rope). */
  readonly base: number | null;
  /** Rule that makes the frequencies, as the config states it (rope). */
  readonly scaling: Scaling | null;
  /** The same as options of `scaleFrequencies`; `null` when they are incomplete. */
  readonly rule: ScalingOptions | null;
  /** float64 radians per position, one per pair (rope, sinusoidal, transformer_xl); 0 = the pair does not turn. */
  readonly inverseFrequencies: readonly number[];
  /** Positions per full turn, 2π / frequency, of the pairs that turn (the first ones). */
  readonly wavelengths: readonly number[];
  /** Frequency without the rule / with it, of the pairs that turn: 1 = kept, the factor = interpolated. */
  readonly divisors: readonly number[];
  /** Axis of each pair, in models of images. */
  readonly sections: Sections | null;
  /** What cos and sin are multiplied by. */
  readonly attentionFactor: number | null;
  /** Pairs that never completed a turn in training: unscaled wavelength > min(trained length, window). */
  readonly incompletePairs: number | null;
  /** The first of them (frequencies fall, so all later pairs too). */
  readonly firstIncompletePair: number | null;
  /** Slope per head (alibi; else empty). */
  readonly slopes: readonly number[];
  /** The learned table (learned). */
  readonly table: PositionTable | null;
  /** Buckets of distances (t5). */
  readonly buckets: Buckets | null;
  /** Terms and distances (deberta). */
  readonly disentangled: Disentangled | null;
  /** Vectors of distances that meet queries or keys (Shaw, Transformer-XL). */
  readonly distances: Distances | null;
  /** The window of patches (Swin). */
  readonly patchWindow: PatchWindow | null;
  /** The convolution that tells the order (wav2vec 2.0). */
  readonly convolution: PositionConvolution | null;
  /** Keys a query may see, itself included; `null` = all. */
  readonly window: number | null;
  /** Tokens of a chunk: queries see only keys of their own chunk (Llama 4). */
  readonly chunk: number | null;
  /** Whether the softmax has a learned extra logit per head (gpt-oss). */
  readonly sinks: boolean;
  /** Queries that grow with their position (Llama 4). */
  readonly temperature: Temperature | null;
  /** What q·k is multiplied by before the softmax, all constant factors but that of cos and sin. */
  readonly softmaxScale: number | null;
  /** Who multiplies what. */
  readonly factors: readonly Factor[];
  /** Longest sequence before any stretching. */
  readonly trainedLength: number | null;
  /** Longest sequence that the rule or the config claims. */
  readonly effectiveLength: number | null;
}

/** How a model handles position, layer by layer; plain JSON. */
export interface Plan {
  /** As in the config; `null` when it does not say. */
  readonly modelType: string | null;
  /** Where in the config the numbers were read: empty, or e.g. `text_config`. */
  readonly path: string;
  /** How many layers; of T5 those of both stacks. */
  readonly layers: number | null;
  /** Width of the residual stream. */
  readonly hiddenSize: number | null;
  /** Query heads of a layer. */
  readonly heads: number | null;
  /** Key heads of a layer. */
  readonly kvHeads: number | null;
  /** Width of a head; in latent attention of its part that turns, as transformers has it. */
  readonly headDim: number | null;
  /**
   * Longest sequence before any stretching: `original_max_position_embeddings` where the config names
   * it, else what it claims (`max_position_embeddings`, `n_positions`, `seq_length`).
   */
  readonly trainedLength: number | null;
  /** Longest sequence claimed: by the config or by its stretching rule, whichever is more. */
  readonly effectiveLength: number | null;
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
  /** Sequence length in tokens to judge the model at, 1 … 2^30. Default: the trained length. */
  length?: number;
}

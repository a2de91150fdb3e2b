/** What the page Small model and its worker say to each other. */
import type { Language } from '../.vitepress/chapters.js';

/** Where a model comes from. */
export type Source =
  | { readonly kind: 'shipped'; readonly url: string }
  | { readonly kind: 'train'; readonly lang: Language }
  | { readonly kind: 'files'; readonly files: readonly File[] };

export type Dtype = 'f32' | 'f16' | 'int8';

/** A way to know about position, instead of the model's own. */
export const ways = [
  ...(['own', 'nope', 'linear', 'dynamic', 'yarn', 'alibi', 'window', 'sinks'] as const),
];
export type Way = (typeof ways)[number];

/** A way with its numbers. */
export interface Positions {
  readonly way: Way;
  /** How many times as long the context shall be, where RoPE is stretched. */
  readonly factor: number;
  /** Keys in sight, where that is limited. */
  readonly window: number;
}

/** Mistakes that caches are known for. */
export const mistakes = ['restart', 'evict', 'renumber'] as const;
export type Mistake = (typeof mistakes)[number];

/** What the page says of a loaded model. */
export interface ModelFacts {
  readonly modelType: string;
  readonly layers: number;
  readonly heads: number;
  readonly width: number;
  readonly headDim: number;
  readonly vocabulary: number;
  readonly trainedLength: number | null;
  readonly bytes: number;
  /** Names of the encodings of the first layer; of a table of positions, `learned`. */
  readonly encodings: readonly string[];
  /** Ways that this model can take. */
  readonly ways: readonly Way[];
  /** Mistakes that can be made with it. */
  readonly mistakes: readonly Mistake[];
  /** What it learned, where it was trained in the page. */
  readonly lesson: Language | null;
  /** What a reader may begin with; `null` = anything. */
  readonly prompt: string | null;
  /** A text that it can read. */
  readonly reading: string;
  /** Milliseconds that loading took. */
  readonly ms: number;
}

/** A token as chips show it. */
export interface Piece {
  readonly id: number;
  readonly text: string;
}

/** What a token was chosen from. */
export interface Detail {
  /** Of the chosen one, at temperature 1. */
  readonly probability: number;
  /** 1 = the most probable. */
  readonly rank: number;
  readonly best: readonly (Piece & { readonly probability: number })[];
}

/** Settings of the draw. */
export interface Sampling {
  readonly temperature: number;
  /** 0 = all. */
  readonly topK: number;
  readonly topP: number;
  readonly seed: number;
  readonly maxTokens: number;
}

/** One head of one layer over a text. `[T, …]` arrays, one row per token. */
export interface HeadView {
  readonly pieces: readonly Piece[];
  readonly headDim: number;
  /** What scores are multiplied by. */
  readonly scale: number;
  /** How rotary pairs lie; `null` = nothing turns. */
  readonly pairs: { readonly rotaryDim: number; readonly layout: 'half' | 'interleaved' } | null;
  readonly query: Float32Array;
  readonly key: Float32Array;
  readonly turnedQuery: Float32Array;
  readonly turnedKey: Float32Array;
  readonly scores: Float32Array;
  readonly biased: Float32Array;
  readonly logits: Float32Array;
  readonly weights: Float32Array;
  /** Whether the text was longer than what is shown. */
  readonly cut: boolean;
}

/** How a way did on a text. */
export interface WayResult {
  readonly way: Way;
  /** −ln p of every token but the first; `null` where it cannot be had. */
  readonly losses: Float32Array | null;
  readonly written: string;
  /** Why not. */
  readonly failure: Failure | null;
}

/** A cache used rightly and wrongly. */
export interface MistakeResult {
  readonly mistake: Mistake;
  readonly right: Float32Array;
  readonly wrong: Float32Array;
  /** The first loss that can differ. */
  readonly from: number;
  /**
   * Of an eviction: which share of its attention the model gives to the tokens that go first, and which
   * share they would have if all were even.
   */
  readonly sink: { readonly share: number; readonly even: number } | null;
}

/** What went wrong: `reason` for the page's words, the rest as the package said it. */
export interface Failure {
  readonly reason: Reason;
  readonly message: string;
  readonly received?: string;
  readonly allowed?: string;
}

export type Reason =
  | 'stopped'
  | 'noWeights'
  | 'noConfig'
  | 'noTokenizer'
  | 'tooBig'
  | 'memory'
  | 'family'
  | 'tensors'
  | 'broken'
  | 'decoder'
  | 'alphabet'
  | 'tooShort'
  | 'fetch'
  | 'wasm'
  | 'other';

/** Everything that can be asked: what is sent, what is told on the way, what comes in the end. */
export interface Jobs {
  open: {
    order: { readonly source: Source; readonly dtype: Dtype; readonly lang: Language };
    news: { readonly share: number; readonly loss?: number };
    result: ModelFacts;
  };
  write: {
    order: { readonly prompt: string; readonly sampling: Sampling; readonly positions: Positions };
    news: { readonly piece: Piece; readonly text: string };
    result: { readonly prompt: readonly Piece[]; readonly details: readonly Detail[] | null };
  };
  look: {
    order: {
      readonly text: string;
      readonly ids: readonly number[] | null;
      readonly layer: number;
      readonly head: number;
      readonly positions: Positions;
    };
    news: never;
    result: HeadView;
  };
  compare: {
    order: { readonly text: string; readonly ways: readonly Positions[] };
    news: WayResult;
    result: { readonly tokens: number };
  };
  mistake: {
    order: { readonly text: string; readonly mistake: Mistake; readonly window: number };
    news: never;
    result: MistakeResult;
  };
}

export type JobName = keyof Jobs;

/** From the page. */
export type ToWorker =
  | {
      [Name in JobName]: {
        readonly job: number;
        readonly name: Name;
        readonly order: Jobs[Name]['order'];
      };
    }[JobName]
  | { readonly job: number; readonly name: 'stop' };

/** To the page. */
export type FromWorker =
  | { readonly job: number; readonly kind: 'news'; readonly news: Jobs[JobName]['news'] }
  | { readonly job: number; readonly kind: 'done'; readonly result: Jobs[JobName]['result'] }
  | { readonly job: number; readonly kind: 'failed'; readonly failure: Failure };

/** What `npm run bench:peers -- --save` wrote, as the page shows it. */
import saved from '../../../tests/bench/results/latest.json' with { type: 'json' };

/** A median of the quotients of each round, with the quartiles. */
export interface Ratio {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** What is done in a row; the fields depend on the kind. See tests/bench/rows.mjs. */
export type Work =
  | {
      readonly kind: 'attention' | 'backward' | 'extra memory' | 'total memory';
      readonly heads: number;
      readonly kvHeads: number;
      readonly queries: number;
      readonly keys: number;
      readonly headDim: number;
      readonly causal: boolean;
      readonly encodings: readonly string[];
    }
  | {
      readonly kind: 'rope';
      readonly rows: number;
      readonly tokens: number;
      readonly headDim: number;
      readonly rotaryDim: number;
      readonly layout: 'half' | 'interleaved';
      readonly inPlace: boolean;
    }
  | { readonly kind: 'table'; readonly tokens: number; readonly pairs: number }
  | { readonly kind: 'sinusoidal'; readonly tokens: number; readonly width: number }
  | {
      readonly kind: 'gemm';
      readonly rows: number;
      readonly inputs: number;
      readonly outputs: number;
    }
  | {
      readonly kind: 'writing';
      readonly width: number;
      readonly layers: number;
      readonly vocabulary: number;
      readonly dtype: 'f32' | 'int8';
    }
  | {
      readonly kind: 'training';
      readonly width: number;
      readonly layers: number;
      readonly batch: number;
      readonly tokens: number;
    };

/** The package's own name among contenders. */
export const OWN = 'posenc';

/** One measured row. */
export interface Row {
  readonly id: string;
  readonly group: string;
  readonly work?: Work;
  /** Why there are no numbers. */
  readonly pending?: { readonly zh: string; readonly en: string };
  /** Of rows that measure memory. */
  readonly bytes?: number;
  /** Medians, milliseconds of one call. */
  readonly ms?: Readonly<Record<string, number>>;
  /** How many times as long others take. */
  readonly ratios?: Readonly<Record<string, Ratio>>;
  /** The fastest way to the work that a contender has. */
  readonly ways?: Readonly<Record<string, string>>;
  /** Contenders that could not, or were wrong. */
  readonly failures?: Readonly<Record<string, string>>;
  readonly limit?: { readonly name: string; readonly unit: string; readonly rate: number };
  /** In the limit's unit. */
  readonly rate?: number;
  /** Of the limit. */
  readonly share?: Ratio;
  readonly goals?: Readonly<Record<string, number>>;
}

/** The rows of one engine and build. */
export interface Run {
  readonly engine: string;
  readonly variant: string;
  /** Libraries that do not start there. */
  readonly failures: Readonly<Record<string, string>>;
  readonly rows: readonly Row[];
}

export interface Results {
  readonly date: string;
  readonly posenc: string;
  readonly peers: Readonly<Record<string, string>>;
  readonly machine: {
    readonly cpu: string;
    readonly threads: number;
    readonly memoryGiB: number;
    readonly system: string;
  };
  readonly runs: readonly Run[];
}

export const latest = saved as unknown as Results;

/** What the page and its workers tell each other. */
import type { FullRecipe, Recipe, Score } from 'posenc/lab';
import { PosencError } from 'posenc';

/** What the reader looks at inside a model. */
export interface Look {
  readonly layer: number;
  readonly head: number;
}

/** What is begun, or gone on with where the file of a run is given. */
export interface Start {
  readonly type: 'start';
  /** Under which name the run is kept. */
  readonly id: string;
  readonly recipe: Recipe;
  /** What is learned where the task is `text`. */
  readonly text: string | null;
  readonly file: Uint8Array<ArrayBuffer> | null;
  /** Not yet: wait for `resume` or `step`. */
  readonly paused: boolean;
}

/** What the page asks of a worker. */
export type Order =
  | Start
  | { readonly type: 'pause' | 'resume' | 'step' | 'keep' | 'export' }
  | { readonly type: 'look'; readonly look: Look | null };

/** What goes on inside a model at a step. */
export interface View {
  readonly step: number;
  readonly layer: number;
  readonly head: number;
  /** Of the model. */
  readonly layers: number;
  readonly heads: number;
  /** What each token of the example shows. */
  readonly tokens: readonly string[];
  /** `[tokens, tokens]`: what each query takes from each key. */
  readonly weights: Float32Array;
  /** `[heads, distances]`: the bias by distance in that layer; `null` = the encoding has none. */
  readonly bias: Float32Array | null;
  /** Tokens of the longest example that is trained. */
  readonly trained: number;
}

/** A trained model as files. */
export interface ExportedFiles {
  readonly config: string;
  readonly weights: Uint8Array<ArrayBuffer>;
}

/** Why a run cannot go on. */
export interface Fault {
  readonly kind: 'memory' | 'load' | 'short' | 'rate' | 'file' | 'lost' | 'other';
  readonly message: string;
}

/** What a worker tells. */
export type Report =
  | {
      readonly type: 'started';
      readonly recipe: FullRecipe;
      readonly variant: string;
      readonly losses: readonly number[];
    }
  | {
      readonly type: 'progress';
      readonly step: number;
      /** Of the steps since the last report. */
      readonly losses: readonly number[];
      /** Milliseconds of one step, lately. */
      readonly pace: number;
    }
  | { readonly type: 'scores'; readonly step: number; readonly scores: readonly Score[] }
  | { readonly type: 'paused' | 'done' | 'kept' }
  | { readonly type: 'view'; readonly view: View }
  | { readonly type: 'exported'; readonly files: ExportedFiles }
  | { readonly type: 'unkept'; readonly message: string }
  | { readonly type: 'failed'; readonly fault: Fault };

/** What kind of trouble an error is, so that the page can say what helps. */
export function faultOf(error: unknown): Fault {
  const message = error instanceof Error ? error.message : String(error);
  return { kind: kindOf(error, message), message };
}

function kindOf(error: unknown, message: string): Fault['kind'] {
  if (error instanceof PosencError) {
    const { code, argument } = error;
    if (code === 'memory') return 'memory';
    if (code === 'wasm-load') return 'load';
    if (code === 'shape' && argument === 'text') return 'short';
    if (code === 'range' && argument === 'recipe.rate') return 'rate';
    if (code === 'config' || argument === 'file') return 'file';
  }
  return /out of memory|allocation failed|could not allocate/i.test(message) ? 'memory' : 'other';
}

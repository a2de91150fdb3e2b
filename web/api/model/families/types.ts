/** How the checkpoints of one family become a model of the engine. */
import type { Fields } from '../../inspect/fields.js';
import type { Plan } from '../../inspect/plan.js';
import type { ModelSpec, TensorName } from '../spec.js';

/** Rows of a fused matrix: `count` blocks of `rows` rows each, the first at row `first`, one every `step`. */
export interface Blocks {
  readonly first: number;
  readonly rows: number;
  readonly step: number;
  readonly count: number;
}

/** What is done to a tensor of the checkpoint, in this order. */
export interface Cut {
  /** It is `[inputs, outputs]`, and is turned to `[outputs, inputs]` (GPT-2). */
  readonly transposed?: boolean;
  /** Only these rows are taken (fused queries, keys and values). */
  readonly blocks?: Blocks;
  /** Added to every number (Gemma's norms are stored less 1). */
  readonly add?: number;
}

/** One tensor of the engine, and where it comes from. */
export interface TensorRule {
  readonly name: TensorName;
  readonly shape: readonly number[];
  /** Names in the checkpoint, without prefix; the first that is there counts. */
  readonly from: readonly string[];
  /** Shape in the checkpoint, where it is not `shape`. */
  readonly whole?: readonly number[];
  readonly cut?: Cut;
}

/** A config and the names in its checkpoint, as families read them. */
export interface Reading {
  /** The language model's part of the config. */
  readonly fields: Fields;
  readonly modelType: string;
  /** What `inspect` says of it. */
  readonly plan: Plan;
  /** Shape of a tensor by its name without prefix; `undefined` = it is not there. */
  readonly shapeOf: (name: string) => readonly number[] | undefined;
}

/** What a family makes of a config. */
export interface Blueprint {
  readonly spec: ModelSpec;
  readonly rules: readonly TensorRule[];
  /** Names that this model does not use although they may be there: `lm_head.weight` when it is tied. */
  readonly unused?: readonly string[];
}

/** One mapping table. */
export interface ModelFamily {
  /** Values of `model_type`. */
  readonly types: readonly string[];
  /**
   * What names of the checkpoint may begin with beside the names of the table; the first is what new
   * checkpoints have.
   */
  readonly prefixes: readonly string[];
  /** Buffers and parts of other tasks, by their names without prefix. */
  readonly ignored: RegExp;
  readonly read: (reading: Reading) => Blueprint;
}

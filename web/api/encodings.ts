/**
 * Names and options of the encodings, written by hand. `tests/api/registry.test.ts` compares them with
 * the registry inside the module.
 */
import type { SinusoidalOptions } from './encodings/absolute.js';
import type { AlibiOptions } from './encodings/bias.js';
import type { RopeOptions, ScaledRopeOptions } from './encodings/rotary.js';

export type * from './encodings/absolute.js';
export type * from './encodings/bias.js';
export type * from './encodings/rotary.js';

/** Names of the encodings in the registry. */
export type EncodingName = 'nope' | 'sinusoidal' | 'rope' | 'alibi';

/** Options of each encoding by name. */
export interface EncodingOptions {
  /** Haviv 2022, “Transformer Language Models without Positional Encodings Still Learn Positional Information”. */
  nope: { readonly [name: string]: never };
  sinusoidal: SinusoidalOptions;
  rope: RopeOptions;
  alibi: AlibiOptions;
}

/** What `encoding()` takes by name. */
export type EncodingInput<Name extends EncodingName> = Name extends 'rope'
  ? ScaledRopeOptions
  : EncodingOptions[Name];

/**
 * Options as `encoding.options` has them: with defaults; arrays that were not given are left out.
 */
export type FilledOptions<Options> = {
  readonly [
    Name in keyof Options as Exclude<Options[Name], undefined> extends object ? never : Name
  ]-?: Options[Name];
} & {
  readonly [
    Name in keyof Options as Exclude<Options[Name], undefined> extends object ? Name : never
  ]: Exclude<Options[Name], Float64Array>;
};

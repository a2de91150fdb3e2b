/**
 * Names and options of the encodings, written by hand. `tests/api/registry.test.ts` compares them with
 * the registry inside the module.
 */
import type {
  CapeOptions,
  FourierOptions,
  LearnedOptions,
  SinusoidalOptions,
} from './encodings/absolute.js';
import type { MropeEncodingOptions, RopeNdOptions } from './encodings/axes.js';
import type {
  AlibiOptions,
  DynamicBiasOptions,
  FireOptions,
  FoxOptions,
  KerpleOptions,
  SandwichOptions,
  T5Options,
  TupeOptions,
} from './encodings/bias.js';
import type {
  CopeOptions,
  DapeOptions,
  DebertaOptions,
  ShawOptions,
  TransformerXlOptions,
} from './encodings/content.js';
import type {
  HopeOptions,
  RopeOptions,
  RopePpOptions,
  RopeRemappedOptions,
  ScaledRopeOptions,
  XposOptions,
} from './encodings/rotary.js';
import type { Llama4TemperatureOptions, LogNOptions, SsmaxOptions } from './encodings/scale.js';
import type { FopeOptions, PopeOptions, SelectiveRopeOptions } from './encodings/trained-rotary.js';
import type { SwinCpbOptions, SwinOptions } from './encodings/window.js';

export type * from './encodings/absolute.js';
export type * from './encodings/axes.js';
export type * from './encodings/bias.js';
export type * from './encodings/content.js';
export type * from './encodings/rotary.js';
export type * from './encodings/scale.js';
export type * from './encodings/trained-rotary.js';
export type * from './encodings/window.js';

/** Names of the encodings in the registry. */
export type EncodingName =
  | 'nope'
  | 'sinusoidal'
  | 'rope'
  | 'xpos'
  | 'rope_nd'
  | 'mrope'
  | 'hope'
  | 'fope'
  | 'pope'
  | 'rope_pp'
  | 'selective_rope'
  | 'rope_remapped'
  | 'log_n'
  | 'ssmax'
  | 'llama4_temperature'
  | 'alibi'
  | 'shaw'
  | 'transformer_xl'
  | 'deberta'
  | 'tupe'
  | 'cope'
  | 'dape'
  | 'learned'
  | 'fourier'
  | 'cape'
  | 't5'
  | 'kerple'
  | 'sandwich'
  | 'fire'
  | 'dynamic_bias'
  | 'swin'
  | 'swin_cpb'
  | 'fox';

/** Options of each encoding by name. */
export interface EncodingOptions {
  /** Haviv 2022, “Transformer Language Models without Positional Encodings Still Learn Positional Information”. */
  nope: { readonly [name: string]: never };
  sinusoidal: SinusoidalOptions;
  rope: RopeOptions;
  xpos: XposOptions;
  rope_nd: RopeNdOptions;
  mrope: MropeEncodingOptions;
  hope: HopeOptions;
  fope: FopeOptions;
  pope: PopeOptions;
  rope_pp: RopePpOptions;
  selective_rope: SelectiveRopeOptions;
  rope_remapped: RopeRemappedOptions;
  log_n: LogNOptions;
  ssmax: SsmaxOptions;
  llama4_temperature: Llama4TemperatureOptions;
  alibi: AlibiOptions;
  shaw: ShawOptions;
  transformer_xl: TransformerXlOptions;
  deberta: DebertaOptions;
  tupe: TupeOptions;
  cope: CopeOptions;
  dape: DapeOptions;
  learned: LearnedOptions;
  fourier: FourierOptions;
  cape: CapeOptions;
  t5: T5Options;
  kerple: KerpleOptions;
  sandwich: SandwichOptions;
  fire: FireOptions;
  dynamic_bias: DynamicBiasOptions;
  swin: SwinOptions;
  swin_cpb: SwinCpbOptions;
  fox: FoxOptions;
}

/** What `encoding()` takes by name. */
export type EncodingInput<Name extends EncodingName> = Name extends 'rope'
  ? ScaledRopeOptions
  : EncodingOptions[Name];

/** Options that hold several numbers, and numbers that nothing stands in for when they are not given. */
type LeftOut<Options> =
  | {
      [Name in keyof Options]-?: Exclude<Options[Name], undefined> extends object ? Name : never;
    }[keyof Options]
  | 'trainedLength'
  | 'length'
  | 'window'
  | 'group'
  | 'factor'
  | 'chunk'
  | 'farthest';

/**
 * Options as `encoding.options` has them: with defaults; arrays, and lengths without a default, that
 * were not given are left out.
 */
export type FilledOptions<Options> = {
  readonly [Name in keyof Options as Exclude<Name, LeftOut<Options>>]-?: Options[Name];
} & {
  readonly [Name in keyof Options as Extract<Name, LeftOut<Options>>]: Exclude<
    Options[Name],
    Float64Array
  >;
};

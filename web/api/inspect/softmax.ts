import type { Context } from './context.js';
import type { Fields } from './fields.js';
import { limits } from './limits.js';
import type { Factor, Temperature } from './plan.js';
import type { Shape } from './shape.js';

/** What q·k is multiplied by before the softmax: Granite's and Gemma's own settings, else 1/√width. */
export function readSoftmax(
  { fields, family }: Context,
  { latent }: Pick<Shape, 'latent'>,
  headDim: number | null,
): Factor | null {
  const multiplier = fields.number('attention_multiplier', limits.scale);
  if (multiplier !== null)
    return { on: 'softmax', value: multiplier, from: 'attention_multiplier' };
  if (family.softmax === 'one') return { on: 'softmax', value: 1, from: 'model' };
  const scalar = fields.number('query_pre_attn_scalar', limits.scale) ?? family.queryScalar;
  if (scalar !== null) return inverseRoot(scalar, 'query_pre_attn_scalar');
  const width = latent === null ? headDim : latent.nope + latent.rotary;
  return width === null ? null : inverseRoot(width, 'head-size');
}

const inverseRoot = (width: number, from: string): Factor => {
  return { on: 'softmax', value: 1 / Math.sqrt(width), from };
};

/** The product of the constant factors on q·k. */
export const softmaxScale = (factors: readonly Factor[]): number | null => {
  const values = factors.filter(({ on }) => on === 'softmax').map(({ value }) => value ?? 1);
  return values.length === 0 ? null : values.reduce((product, value) => product * value, 1);
};

/** Llama 4: layers without rotation scale their queries by position. */
export function readTemperature(
  { fields, family, notes }: Context,
  rotates: boolean,
): Temperature | null {
  if (family.temperature === null || rotates) return null;
  // A flag in later configs, 4 in the first ones.
  const on = fields.value('attn_temperature_tuning');
  if (on === false || on === 0) return null;
  const scale = fields.number('attn_scale', limits.scale) ?? family.temperature.scale;
  const floor = fields.number('floor_scale', limits.scale) ?? family.temperature.floor;
  notes.add('temperature', [fields.at('attn_temperature_tuning')], { scale, floor, shift: 1 });
  return { scale, floor, shift: 1 };
}

/** Ministral 3: every layer scales its queries by position, from `llama_4_scaling_beta` beside the rule. */
export function readBetaTemperature(
  { fields, notes }: Context,
  container: Fields | null,
): Temperature | null {
  const scale = container?.number('llama_4_scaling_beta', limits.scale) ?? null;
  if (container === null || scale === null) return null;
  const name = 'original_max_position_embeddings';
  const floor = container.integer(name, limits.length) ?? fields.integer(name, limits.length);
  if (floor === null) return null;
  notes.add('temperature', [container.at('llama_4_scaling_beta')], { scale, floor, shift: 0 });
  return { scale, floor, shift: 0 };
}

import { PosencError } from '../error.js';
import { scaleFrequencies } from '../scaling/index.js';
import type { ScaledFrequencies, ScalingOptions } from '../scaling/types.js';
import type { Context } from './context.js';
import type { RopeSettings } from './rope.js';
import { configName } from './scaling.js';

/** The frequency table of a rule; where its parameters do not go together the error names the config's field. */
export function computeTable(
  { fields }: Context,
  { container }: RopeSettings,
  rotation: { readonly base: number; readonly rotaryDim: number; readonly length: number | null },
  scaling: ScalingOptions,
): ScaledFrequencies {
  const { base, rotaryDim, length } = rotation;
  try {
    return scaleFrequencies({ base, rotaryDim, ...(length === null ? {} : { length }) }, scaling);
  } catch (error) {
    if (!(error instanceof PosencError)) throw error;
    const { argument = '', received = '', allowed = '', cause } = error;
    const name = configName(argument.replace(/^scaling\./, ''));
    const elsewhere = name === 'base' ? 'rope_theta' : name === 'rotary_dim' ? 'head_dim' : null;
    const path = elsewhere === null ? (container ?? fields).at(name) : fields.at(elsewhere);
    const details = { argument: path, received, allowed, cause };
    throw new PosencError('config', `${path} is ${received}, needs ${allowed}`, details);
  }
}

/**
 * Qwen 1 raises its base beyond the trained length (modeling_qwen.py): NTK-aware by the factor
 * 2^⌈log2(l/L) + 1⌉ − 1.
 */
export const qwenStretch = (length: number, trained: number): number =>
  Math.max(2 ** Math.ceil(Math.log2(length / trained) + 1) - 1, 1);

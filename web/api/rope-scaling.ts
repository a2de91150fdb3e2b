import { wrong } from './check.js';
import { PosencError } from './error.js';
import { scaleFrequencies } from './scaling/index.js';
import type { ScaledFrequencies, ScalingOptions } from './scaling/types.js';

/** The context-extension part of `rope`'s options: made in JavaScript, unknown to the registry. */
export interface RopeScaling {
  readonly scaling: ScalingOptions | undefined;
  readonly length: number | undefined;
}

/** Splits the options of an encoding into those of the registry and, for `rope`, the scaling. */
export function separateScaling<T>(name: string, options: T): { plain: T; rope: RopeScaling } {
  const none = { scaling: undefined, length: undefined };
  const plainObject = typeof options === 'object' && options !== null && !Array.isArray(options);
  if (name !== 'rope' || !plainObject) {
    return { plain: options, rope: none };
  }
  const { scaling, length, ...plain } = options as T & Partial<RopeScaling>;
  if (length !== undefined && scaling === undefined) {
    throw wrong('argument', 'scaling', scaling, 'a rule, when length is given');
  }
  return { plain: plain as T, rope: { scaling, length } };
}

/**
 * The frequency table of a scaled `rope`; `null` = the module's own.
 * @throws PosencError that names the option: `scaling.factor`, `length` …
 */
export function scaledTable(
  { scaling, length }: RopeScaling,
  { base, rotaryDim }: Readonly<Record<string, unknown>>,
): ScaledFrequencies | null {
  if (scaling === undefined) return null;
  const rotation = { base: base as number, rotaryDim: rotaryDim as number };
  const table = scaleFrequencies(
    length === undefined ? rotation : { ...rotation, length },
    scaling,
  );
  return scaling.type === 'none' ? null : table;
}

/** The error for a table that the module cannot turn by. */
export const unsupportedTable = ({ scaling }: RopeScaling): PosencError => {
  const received = JSON.stringify(scaling?.type);
  const message = `scaling is ${received}, which this build cannot turn by (scaleFrequencies makes the table)`;
  return new PosencError('unsupported', message, {
    argument: 'scaling',
    received,
    allowed: '"none"',
  });
};

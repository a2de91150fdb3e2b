import { wrong } from './check.js';
import { scaleFrequencies } from './scaling/index.js';
import type { ScaledRopeOptions } from './encodings.js';
import type { ScaledFrequencies, ScalingOptions } from './scaling/types.js';

/** The context-extension part of `rope`'s options: made in JavaScript, unknown to the registry. */
export interface RopeScaling {
  readonly scaling?: ScalingOptions;
  readonly length?: number;
}

/** Splits the options of an encoding into those of the registry and, for `rope`, the scaling. */
export function separateScaling<T>(name: string, options: T): { plain: T; rope: RopeScaling } {
  const plainObject = typeof options === 'object' && options !== null && !Array.isArray(options);
  if (name !== 'rope' || !plainObject) return { plain: options, rope: {} };
  const { scaling, length, ...rest } = options as unknown as ScaledRopeOptions;
  const plain = rest as unknown as T;
  if (scaling === undefined) {
    if (length === undefined) return { plain, rope: {} };
    throw wrong('argument', 'scaling', scaling, 'a rule, when length is given');
  }
  const { frequencies, attentionFactor = 1 } = rest;
  if (frequencies !== undefined) {
    throw wrong('argument', 'frequencies', frequencies, 'nothing, since scaling makes them');
  }
  if (attentionFactor !== 1) {
    const allowed = '1, since scaling makes it: give scaling.attentionFactor instead';
    throw wrong('argument', 'attentionFactor', attentionFactor, allowed);
  }
  const rope = { scaling: Object.freeze(copyOf(scaling)) };
  return { plain, rope: length === undefined ? rope : { ...rope, length } };
}

/** A copy, so that later changes by the caller are not seen. What is no object is refused later. */
const copyOf = (scaling: ScalingOptions): ScalingOptions =>
  typeof scaling === 'object' ? { ...scaling } : scaling;

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

/** A table as options of the registry. */
export const tableOptions = ({ inverseFrequencies, attentionFactor }: ScaledFrequencies) => ({
  frequencies: inverseFrequencies,
  attentionFactor,
});

/**
 * The trained length of a rule whose table follows the length of the sequence; `undefined` when it
 * does not, or when the caller has fixed a length.
 */
export function followedFrom({ scaling, length }: RopeScaling): number | undefined {
  if (length !== undefined) return undefined;
  const follows =
    scaling?.type === 'longrope' || (scaling?.type === 'dynamic' && scaling.alpha === undefined);
  return follows ? scaling.originalMaxPosition : undefined;
}

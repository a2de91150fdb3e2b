import { settle } from './context.js';
import type { Claim, Context } from './context.js';
import { isObject } from './fields.js';
import type { Fields } from './fields.js';
import { layerTypeName, limits } from './limits.js';
import type { Range } from './limits.js';
import type { Scaling } from './plan.js';
import { readScaling, ruleClaim } from './scaling.js';

/** Rotary settings as the config states them, for one layer type or for all (`layerType` null). */
export interface RopeSettings {
  readonly layerType: string | null;
  readonly base: number | null;
  /** Even, 2 … head size, or `null` when that cannot be had. */
  readonly rotaryDim: number | null;
  readonly scaling: Scaling;
  /** Field that names the rule. */
  readonly rulePath: string;
}

/**
 * Reads old style (`rope_theta`, `rope_scaling` …) and new style (`rope_parameters`, flat or nested per
 * layer type), in the order of transformers 5: a non-empty `rope_scaling` counts before
 * `rope_parameters`, and what stands inside either counts before the top level.
 */
export function readRope(context: Context, headDim: number | null): RopeSettings[] {
  const { fields, notes } = context;
  const [container, other] = ['rope_scaling', 'rope_parameters'].flatMap((name) => {
    const child = fields.child(name);
    return child !== null && child.keys().length > 0 ? [child] : [];
  });
  if (container === undefined) return [readSettings(context, headDim, null, null)];
  if (isNested(container)) {
    return container.keys().map((layerType) => {
      const child = container.child(layerType);
      return readSettings(context, headDim, child, layerType);
    });
  }
  if (other !== undefined && !isNested(other)) {
    const both = [container, other];
    settle(both.map(ruleClaim), notes);
    for (const name of ['factor', 'rope_theta', 'partial_rotary_factor']) {
      settle(
        both.flatMap((each) => each.numbers([name], limits.finite)),
        notes,
      );
    }
  }
  return [readSettings(context, headDim, container, null)];
}

/** Whether each value is an object of its own, one per layer type. */
function isNested(container: Fields): boolean {
  const keys = container.keys();
  const objects = keys.filter((key) => isObject(container.value(key)));
  if (objects.length === 0) return false;
  const plain = keys.find((key) => !objects.includes(key));
  if (plain !== undefined) {
    const allowed = 'either one set of rotary settings or one object per layer type, not both';
    throw container.wrong(plain, container.value(plain), allowed);
  }
  const unnamed = keys.find((key) => !layerTypeName.test(key));
  if (unnamed !== undefined) throw container.wrong('*', unnamed, 'names of layer types');
  const spare = keys[limits.layerTypes];
  if (spare === undefined) return true;
  const allowed = `at most ${limits.layerTypes} layer types`;
  throw container.wrong(spare, container.value(spare), allowed);
}

function readSettings(
  context: Context,
  headDim: number | null,
  container: Fields | null,
  layerType: string | null,
): RopeSettings {
  const { fields, family, notes } = context;
  const collect = (inner: string, outer: readonly string[], range: Range): Claim<number>[] => {
    const inside = container?.numbers([inner], range) ?? [];
    const outside = fields.numbers(outer, range);
    // Settings of one layer type may well differ from those for the model at large.
    return layerType !== null && inside.length > 0 ? inside : [...inside, ...outside];
  };
  const base = settle(collect('rope_theta', family.baseFields, limits.base), notes);
  const fraction = settle(
    collect('partial_rotary_factor', family.fractionFields, limits.fraction),
    notes,
  );
  return {
    layerType,
    base: base?.value ?? defaultBase(context),
    rotaryDim: readRotaryDim(context, headDim, fraction),
    scaling:
      container === null ? { type: 'default', parameters: {} } : readScaling(container, notes),
    rulePath: (container ?? fields).at('rope_type'),
  };
}

function defaultBase({ fields, family, notes }: Context): number | null {
  const names = [fields.at(family.baseFields[0] as string)];
  if (family.base === null) notes.add('base-missing', names, {});
  else notes.add('base-default', names, { base: family.base, type: String(family.type) });
  return family.base;
}

function readRotaryDim(
  { fields, family, notes }: Context,
  headDim: number | null,
  given: Claim<number> | null,
): number | null {
  const type = String(family.type);
  if (given === null && family.rotaryFraction !== 1) {
    const names = [fields.at(family.fractionFields[0] as string)];
    notes.add('rotary-fraction-default', names, { fraction: family.rotaryFraction, type });
  }
  if (given !== null && given.value !== 1 && !family.fractionDeclared) {
    notes.add('rotary-fraction-undeclared', [given.path], { name: given.path, type });
  }
  // GPT-J's way: the width itself instead of a share.
  const direct = family.type === null ? fields.integer('rotary_dim', limits.headDim) : null;
  if (headDim === null) return null;
  const rotaryDim = direct ?? Math.trunc(headDim * (given?.value ?? family.rotaryFraction));
  if (rotaryDim >= 2 && rotaryDim % 2 === 0 && rotaryDim <= headDim) return rotaryDim;
  const path = direct === null ? given?.path : fields.at('rotary_dim');
  notes.add('rotary-dim-invalid', [path ?? fields.at('head_dim')], { rotaryDim, headDim });
  return null;
}

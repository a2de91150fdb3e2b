import { isNested, ropeContainers } from './containers.js';
import { assume, attentionFields, settle } from './context.js';
import type { Claim, Context } from './context.js';
import type { Fields } from './fields.js';
import { compressedTypes } from './layers.js';
import { limits } from './limits.js';
import type { Range } from './limits.js';
import type { Scaling } from './plan.js';
import { readScaling, ruleClaim } from './scaling.js';
import type { Shape } from './shape.js';

/** Rotary settings as the config states them, for one layer type or for all (`layerType` null). */
export interface RopeSettings {
  readonly layerType: string | null;
  readonly base: number | null;
  /** Width of the heads of these layers. */
  readonly headDim: number | null;
  /** Even, 2 … head size, or `null` when that cannot be had; of all heads together in a mixed grid. */
  readonly rotaryDim: number | null;
  /** What exponents are divided by: the rotary dim, but where a code turns an odd share, or a grid. */
  readonly exponentDim: number | null;
  /** Share of the pairs that turn under the rule `proportional`. */
  readonly share: number;
  readonly scaling: Scaling;
  /** Object that holds the rule; `null` = there is none. */
  readonly container: Fields | null;
}

/** Where the settings of one layer type are looked for. */
interface Source {
  readonly layerType: string | null;
  readonly container: Fields | null;
  readonly baseFields: readonly string[];
  readonly base: number | null;
  /** False where a base inside the container is that of other layers. Default true. */
  readonly innerBase?: boolean;
}

const full = 'full_attention';
const sliding = 'sliding_attention';

/**
 * Reads old style (`rope_theta`, `rope_scaling` …) and new style (`rope_parameters`, flat or nested per
 * layer type), in the order of transformers 5: a non-empty `rope_scaling` counts before
 * `rope_parameters`, and what stands inside either counts before the top level.
 */
export function readRope(context: Context, shape: Shape): RopeSettings[] {
  const { fields, family, notes } = context;
  const [container = null, other] = ropeContainers(context);
  if (container !== null && family.scaling !== null && !fields.has('rope_scaling')) {
    if (!fields.has('rope_parameters')) {
      notes.add('rule-default', [fields.at('rope_parameters')], { type: String(family.type) });
    }
  }
  if (family.compressedBase !== null) return readMainAndCompressed(context, shape, container);
  const all: Source = {
    layerType: null,
    container,
    baseFields: family.baseFields,
    base: family.base,
  };
  if (container !== null && isNested(container)) {
    return container.keys().map((layerType) => {
      const local = layerType === sliding && family.localBase !== null;
      const base = local ? family.localBase : family.base;
      const baseFields = local ? family.localBaseFields : family.baseFields;
      const child = container.child(layerType);
      return readSettings(context, shape, { layerType, container: child, baseFields, base });
    });
  }
  if (container !== null && other !== undefined && !isNested(other)) {
    compareContainers([container, other], context);
  }
  if (family.localBase !== null) {
    const { localBase, localBaseFields } = family;
    const local = { layerType: sliding, container: null, baseFields: localBaseFields };
    if (container !== null) tellFullOnly(context, container);
    return [
      readSettings(context, shape, { ...local, base: localBase }),
      readSettings(context, shape, { ...all, layerType: full }),
    ];
  }
  const settings = readSettings(context, shape, all);
  if (!family.scalesFullOnly || container === null) return [settings];
  tellFullOnly(context, container);
  const unscaled: Scaling = { type: 'default', parameters: {} };
  return [
    { ...settings, layerType: sliding, scaling: unscaled, container: null },
    { ...settings, layerType: full },
  ];
}

/**
 * DeepSeek-V4: sliding layers turn plainly; compressed ones have a base of their own, and they alone the
 * rule. transformers writes the two as `main` and `compress`.
 */
function readMainAndCompressed(
  context: Context,
  shape: Shape,
  container: Fields | null,
): RopeSettings[] {
  const { fields, family, notes } = context;
  const nested = container !== null && isNested(container);
  const rule = nested ? container.child('compress') : container;
  const main = readSettings(context, shape, {
    layerType: sliding,
    container: nested ? container.child('main') : null,
    baseFields: family.baseFields,
    base: family.base,
  });
  const compressed = readSettings(context, shape, {
    layerType: compressedTypes[0] as string,
    container: rule,
    innerBase: nested,
    baseFields: ['compress_rope_theta'],
    base: family.compressedBase,
  });
  if (main.base !== null && compressed.base !== null) {
    const names = ['rope_theta', 'compress_rope_theta'].map((name) => fields.at(name));
    notes.add('two-rotations', names, { base: main.base, compressed: compressed.base });
  }
  return [main, ...compressedTypes.map((layerType) => ({ ...compressed, layerType }))];
}

/** Two containers that say different things: told, and the first counts. */
function compareContainers(both: readonly Fields[], { notes }: Context): void {
  settle(both.map(ruleClaim), notes);
  for (const name of ['factor', 'rope_theta', 'partial_rotary_factor']) {
    settle(
      both.flatMap((each) => each.numbers([name], limits.finite)),
      notes,
    );
  }
}

function tellFullOnly({ family, notes }: Context, container: Fields): void {
  const { value } = ruleClaim(container);
  if (value === 'default') return;
  const names = [container.at('rope_type')];
  notes.add('rule-on-full-layers', names, { rule: value, type: String(family.type) });
}

function readSettings(context: Context, shape: Shape, source: Source): RopeSettings {
  const { fields, family, notes } = context;
  const { layerType, container, baseFields } = source;
  const collect = (inner: string, outer: readonly string[], range: Range): Claim<number>[] => {
    const inside = container?.numbers([inner], range) ?? [];
    const outside = fields.numbers(outer, range);
    // Settings of one layer type may well differ from those for the model at large.
    return layerType !== null && inside.length > 0 ? inside : [...inside, ...outside];
  };
  const inAttention = attentionFields(context)?.numbers(['rope_theta'], limits.base) ?? [];
  const bases =
    source.innerBase === false
      ? fields.numbers(baseFields, limits.base)
      : [...collect('rope_theta', baseFields, limits.base), ...inAttention];
  const base = settle(bases, notes);
  const shares = family.grid === 'mixed' ? { low: 0, high: 64 } : limits.fraction;
  const fraction = settle(collect('partial_rotary_factor', family.fractionFields, shares), notes);
  const headDim = readFullHeadDim(context, layerType) ?? shape.headDim;
  const scaling: Scaling =
    container === null ? { type: 'default', parameters: {} } : readScaling(container, notes);
  return {
    layerType,
    base: base?.value ?? defaultBase(context, source),
    headDim,
    ...readWidths(context, shape, headDim, fraction, scaling),
    share: fraction?.value ?? 1,
    scaling,
    container,
  };
}

/** Gemma 4: heads of full layers have their own width. */
function readFullHeadDim({ fields, family }: Context, layerType: string | null): number | null {
  if (family.fullHeadDim === null || layerType !== full) return null;
  return fields.integer('global_head_dim', limits.headDim) ?? family.fullHeadDim;
}

/** The base of a config that names none: a multiple of the default (ChatGLM), or the default. */
function defaultBase(
  { fields, family, notes }: Context,
  { base, baseFields, layerType }: Source,
): number | null {
  const names = [fields.at(baseFields[0] as string)];
  const ratio = fields.number('rope_ratio', { low: 1, high: 1e6 });
  if (base === null) {
    notes.add('base-missing', names, {});
    return null;
  }
  if (ratio !== null) {
    notes.add('base-ratio', [fields.at('rope_ratio')], { ratio, base: ratio * base });
    return ratio * base;
  }
  const type = String(family.type);
  if (layerType === null || family.localBase === null)
    notes.add('base-default', names, { base, type });
  else notes.add('base-default-of-layers', names, { base, type, layerType });
  return base;
}

/** How many dimensions turn, and what their exponents are divided by. */
function readWidths(
  context: Context,
  { hiddenSize }: Shape,
  headDim: number | null,
  fraction: Claim<number> | null,
  { type }: Scaling,
): Pick<RopeSettings, 'rotaryDim' | 'exponentDim'> {
  const { fields, family, notes } = context;
  const share = fraction?.value ?? family.rotaryFraction;
  const exponentDim = headDim === null ? null : Math.trunc(headDim * share);
  const tell = (): void => {
    if (fraction === null) assume(context, 'partial_rotary_factor', share);
  };
  if (family.grid === 'mixed') {
    tell();
    return { rotaryDim: hiddenSize, exponentDim };
  }
  if (family.floorsHeadDim && headDim !== null && exponentDim !== null && exponentDim % 2 === 1) {
    const pairs = (exponentDim + 1) / 2;
    const names = [fraction?.path ?? fields.at('partial_rotary_factor')];
    const details = { width: exponentDim, pairs, type: String(family.type) };
    if (2 * pairs <= headDim) {
      tell();
      notes.add('rotary-dim-odd', names, details);
      return { rotaryDim: 2 * pairs, exponentDim };
    }
  }
  const rotaryDim =
    type === 'proportional' ? evenWidth(headDim) : readRotaryDim(context, headDim, fraction);
  return { rotaryDim, exponentDim: rotaryDim };
}

const evenWidth = (headDim: number | null): number | null =>
  headDim !== null && headDim >= 2 && headDim % 2 === 0 ? headDim : null;

function readRotaryDim(
  { fields, family, notes }: Context,
  headDim: number | null,
  given: Claim<number> | null,
): number | null {
  const type = String(family.type);
  if (family.latent !== null) {
    // The part that turns is a head of its own; a share meant for other layers must not halve it.
    const whole =
      family.latent.whole === undefined ? null : fields.integer('head_dim', limits.headDim);
    const share = (given?.value ?? 1) * (whole ?? family.latent.whole ?? 1);
    const agrees = family.latent.whole !== undefined && Math.trunc(share) === headDim;
    if (given !== null && given.value !== 1 && !agrees) {
      notes.add('rotary-fraction-latent', [given.path], { name: given.path, type });
    }
    return checkRotaryDim(headDim, headDim, fields.at('qk_rope_head_dim'), notes);
  }
  const width = fields.integer('rotary_dim', limits.headDim);
  const direct = width ?? (given === null ? family.rotaryDim : null);
  if (given === null && direct === null && family.rotaryFraction !== 1) {
    const names = [fields.at(family.fractionFields[0] as string)];
    notes.add('rotary-fraction-default', names, { fraction: family.rotaryFraction, type });
  }
  if (given === null && width === null && direct !== null) {
    const names = [fields.at('rotary_dim')];
    notes.add('default-assumed', names, { name: names[0]!, value: direct, type });
  }
  if (given !== null && given.value !== 1 && !family.fractionDeclared) {
    notes.add('rotary-fraction-undeclared', [given.path], { name: given.path, type });
  }
  if (headDim === null) return null;
  const share = given?.value ?? family.rotaryFraction;
  const shared = Math.trunc(headDim * share);
  if (given !== null && width !== null) {
    const claims = [
      { path: given.path, value: shared },
      { path: fields.at('rotary_dim'), value: width },
    ];
    settle(claims, notes); // the explicit share counts
  }
  const rotaryDim = given === null && direct !== null ? direct : shared;
  const path = given?.path ?? (direct === null ? fields.at('head_dim') : fields.at('rotary_dim'));
  return checkRotaryDim(rotaryDim, headDim, path, notes);
}

function checkRotaryDim(
  rotaryDim: number | null,
  headDim: number | null,
  path: string,
  notes: Context['notes'],
): number | null {
  if (rotaryDim === null || headDim === null) return null;
  if (rotaryDim >= 2 && rotaryDim % 2 === 0 && rotaryDim <= headDim) return rotaryDim;
  notes.add('rotary-dim-invalid', [path], { rotaryDim, headDim });
  return null;
}

import type { ScalingName, ScalingOptions } from '../scaling/types.js';
import { settle } from './context.js';
import type { Claim, Context } from './context.js';
import type { Fields } from './fields.js';
import { limits } from './limits.js';
import type { RopeSettings } from './rope.js';
import type { Shape } from './shape.js';

/** A rule as configs name it. */
interface ConfigRule {
  readonly name: ScalingName;
  /** Parameters it cannot do without. */
  readonly required: readonly string[];
  /** Optional ones it reads: the others beside them have no effect. */
  readonly optional: readonly string[];
}

const bands = ['factor', 'low_freq_factor', 'high_freq_factor', 'original_max_position_embeddings'];
const original = 'original_max_position_embeddings';
const divisors = {
  name: 'longrope',
  required: ['short_factor', 'long_factor'],
  optional: ['factor', original, 'attention_factor'],
} as const;
const ramp = ['factor', original, 'beta_fast', 'beta_slow', 'truncate'];

/** Every rule name that configs use; `su` is the old name of `longrope`. */
export const configRules: ReadonlyMap<string, ConfigRule> = new Map<string, ConfigRule>([
  ['default', { name: 'none', required: [], optional: ['factor'] }],
  ['mrope', { name: 'none', required: ['mrope_section'], optional: [] }],
  ['linear', { name: 'linear', required: ['factor'], optional: [] }],
  ['ntk', { name: 'ntk', required: ['factor'], optional: [] }],
  ['dynamic', { name: 'dynamic', required: ['factor'], optional: ['alpha', original] }],
  [
    'yarn',
    {
      name: 'yarn',
      required: [],
      optional: [...ramp, 'attention_factor', 'mscale', 'mscale_all_dim'],
    },
  ],
  ['longrope', divisors],
  ['su', divisors],
  ['llama3', { name: 'llama3', required: bands, optional: [] }],
  ['proportional', { name: 'proportional', required: [], optional: ['factor'] }],
]);

/** What may stand beside any rule without being its parameter. */
const beside = new Set([
  ...[original, 'finetuned', 'max_position_embeddings', 'mrope_interleaved', 'mrope_section'],
  'llama_4_scaling_beta',
]);

/**
 * Turns what a config states into the options of a rule, and says what was derived, assumed or has no
 * effect; `null`, with a note, when something is missing.
 */
export function ruleOptions(
  context: Context,
  { scaling, container, share }: RopeSettings,
  { claimedLength }: Pick<Shape, 'claimedLength'>,
): ScalingOptions | null {
  const { notes } = context;
  const { type, parameters } = scaling;
  const rule = configRules.get(type);
  if (rule === undefined) return null;
  if (container === null) return { type: 'none' };
  const missing = rule.required.filter((name) => !(name in parameters));
  for (const name of missing) {
    notes.add('rule-parameter-missing', [container.at(name)], { type, name: container.at(name) });
  }
  if (missing.length > 0) return null;
  tellUnused(context, container, type, rule, parameters);
  const given = parameters as Readonly<Record<string, number | undefined>>;
  switch (rule.name) {
    case 'linear':
    case 'ntk':
      return { type: rule.name, factor: given['factor']! };
    case 'dynamic':
      return dynamicOptions(context, container, given, claimedLength);
    case 'yarn':
      return yarnOptions(context, container, parameters, claimedLength);
    case 'longrope':
      return longRopeOptions(context, container, scaling, claimedLength);
    case 'llama3':
      return {
        type: 'llama3',
        factor: given['factor']!,
        originalMaxPosition: given[original]!,
        lowFreqFactor: given['low_freq_factor']!,
        highFreqFactor: given['high_freq_factor']!,
      };
    case 'proportional':
      return { type: 'proportional', partialRotaryFactor: share, factor: given['factor'] ?? 1 };
    default:
      return { type: 'none' };
  }
}

function tellUnused(
  { notes }: Context,
  container: Fields,
  type: string,
  { required, optional }: ConfigRule,
  parameters: object,
): void {
  const known = new Set([...required, ...optional, ...beside]);
  const unused = Object.keys(parameters).filter((name) => !known.has(name));
  if (unused.length === 0) return;
  const names = unused.map((name) => container.at(name));
  notes.add('parameter-unused', names, { type, names: unused.join(', ') });
}

/** The trained length inside the rule's object or at the top; where both, they should agree. */
function originalClaim({ fields, notes }: Context, container: Fields): Claim<number> | null {
  const inner = container.integers([original], limits.length);
  return settle([...inner, ...fields.integers([original], limits.length)], notes);
}

/** The same, with the claimed length in its place when it is missing. */
function originalOrClaimed(
  context: Context,
  container: Fields,
  claimed: number | null,
  type: string,
): number | null {
  const { notes } = context;
  const given = originalClaim(context, container);
  if (given !== null) return given.value;
  const at = container.at(original);
  if (claimed === null) notes.add('rule-parameter-missing', [at], { type, name: at });
  else notes.add('original-length-assumed', [at], { length: claimed, type });
  return claimed;
}

function dynamicOptions(
  context: Context,
  container: Fields,
  given: Readonly<Record<string, number | undefined>>,
  claimed: number | null,
): ScalingOptions | null {
  const { family, notes } = context;
  const inner = given[original];
  const name = container.at(original);
  if (inner !== undefined && claimed !== null && inner !== claimed) {
    notes.add('original-length-unused', [name], { original: inner, claimed });
  }
  const trained = claimed ?? inner;
  if (trained === undefined) {
    notes.add('rule-parameter-missing', [name], { type: 'dynamic', name });
    return null;
  }
  const options = { factor: given['factor']!, originalMaxPosition: trained };
  const alpha = family.alpha ? given['alpha'] : undefined;
  if (alpha === undefined) {
    if (given['alpha'] !== undefined) {
      const at = [container.at('alpha')];
      notes.add('parameter-unused', at, { type: 'dynamic', names: 'alpha' });
    }
    notes.add('dynamic-length', [container.at('rope_type')], { length: trained });
    return { type: 'dynamic', ...options };
  }
  return { type: 'dynamic', ...options, alpha };
}

function yarnOptions(
  context: Context,
  container: Fields,
  parameters: RopeSettings['scaling']['parameters'],
  claimed: number | null,
): ScalingOptions | null {
  const { family, notes } = context;
  const given = parameters as Readonly<Record<string, number | undefined>>;
  const named = originalClaim(context, container) !== null;
  const trained = originalOrClaimed(context, container, claimed, 'yarn');
  if (trained === null) return null;
  const ratio = claimed === null || !named ? null : claimed / trained;
  const factor = given['factor'] ?? (ratio !== null && ratio >= 1 ? ratio : null);
  const at = (name: string): string[] => [container.at(name)];
  if (factor === null) {
    const [name] = at('factor') as [string];
    notes.add('rule-parameter-missing', [name], { type: 'yarn', name });
    return null;
  }
  if (given['factor'] === undefined) notes.add('factor-derived', at('factor'), { factor });
  else if (ratio !== null && ratio !== factor) {
    notes.add('factor-recomputed', at('factor'), { factor, ratio });
  }
  const { mscale, mscale_all_dim: lower, attention_factor: stated } = given;
  if (stated !== undefined) {
    notes.add('attention-factor-given', at('attention_factor'), { value: stated });
  } else if (family.yarnUnscaled) {
    notes.add('yarn-unscaled', at('attention_factor'), { type: String(family.type) });
  }
  const explicit = stated ?? (family.yarnUnscaled ? 1 : undefined);
  if (mscale && !lower && explicit === undefined) {
    notes.add('mscale-alone', at('mscale'), { mscale });
  }
  if (lower && family.latent === null) notes.add('softmax-factor-unused', at('mscale_all_dim'), {});
  if (parameters['truncate'] === false) notes.add('truncate-off', at('truncate'), {});
  notes.add('yarn-static', at('rope_type'), { factor });
  return {
    type: 'yarn',
    factor,
    originalMaxPosition: trained,
    // 0 and absent are the same, as in transformers.
    ...(given['beta_fast'] ? { betaFast: given['beta_fast'] } : {}),
    ...(given['beta_slow'] ? { betaSlow: given['beta_slow'] } : {}),
    ...(typeof parameters['truncate'] === 'boolean' ? { truncate: parameters['truncate'] } : {}),
    ...(explicit === undefined ? {} : { attentionFactor: explicit }),
    ...(mscale === undefined ? {} : { mscale }),
    ...(lower === undefined ? {} : { mscaleAllDim: lower }),
  };
}

function longRopeOptions(
  context: Context,
  container: Fields,
  { type, parameters }: RopeSettings['scaling'],
  claimed: number | null,
): ScalingOptions | null {
  const { notes } = context;
  const trained = originalOrClaimed(context, container, claimed, type);
  if (trained === null) return null;
  const given = parameters as Readonly<Record<string, number | undefined>>;
  const ratio = claimed === null ? null : Math.max(claimed / trained, 1);
  const factor = given['factor'] ?? ratio;
  const explicit = given['attention_factor'];
  const at = [container.at('rope_type')];
  if (type === 'su') notes.add('rule-old-name', at, { old: type, type: 'longrope' });
  if (explicit !== undefined) {
    notes.add('attention-factor-given', [container.at('attention_factor')], { value: explicit });
  }
  if (given['factor'] !== undefined && ratio !== null && ratio !== factor) {
    notes.add('factor-recomputed', [container.at('factor')], { factor: given['factor'], ratio });
  }
  if (factor === null && explicit === undefined) {
    const name = container.at('factor');
    notes.add('rule-parameter-missing', [name], { type, name });
    return null;
  }
  notes.add('longrope-switch', at, { length: trained });
  return {
    type: 'longrope',
    shortFactor: parameters['short_factor'] as readonly number[],
    longFactor: parameters['long_factor'] as readonly number[],
    originalMaxPosition: trained,
    ...(factor === null ? {} : { factor }),
    ...(explicit === undefined ? {} : { attentionFactor: explicit }),
  };
}

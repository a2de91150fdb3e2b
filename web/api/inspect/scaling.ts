import { PosencError } from '../error.js';
import { suggest } from '../suggest.js';
import type { Claim } from './context.js';
import type { Fields } from './fields.js';
import { rules } from './frequencies.js';
import { limits } from './limits.js';
import type { Range } from './limits.js';
import type { Notes } from './notes.js';
import type { Scaling } from './plan.js';

type Parameters = Scaling['parameters'];

/** Parameters of rules that must be numbers, with their ranges. */
const ranges: Readonly<Record<string, Range>> = {
  attention_factor: { low: 0, high: 1e3 },
  beta_fast: { low: 0, high: 1e6 },
  beta_slow: { low: 0, high: 1e6 },
  factor: { low: 1, high: 1e6 },
  high_freq_factor: { low: 0, high: 1e6 },
  low_freq_factor: { low: 0, high: 1e6 },
  mscale: { low: 0, high: 1e3 },
  mscale_all_dim: { low: 0, high: 1e3 },
  original_max_position_embeddings: limits.length,
};

/** What else stands in the same object but is no parameter of the rule. */
const settings = new Set(['rope_theta', 'partial_rotary_factor', 'rope_type', 'type']);

/** The rule a container names, as a claim. */
export const ruleClaim = (container: Fields): Claim<string> => ({
  path: container.at('rope_type'),
  value: ruleName(container) ?? 'default',
});

/** Reads which rule stretches the context, and with what. */
export function readScaling(container: Fields, notes: Notes): Scaling {
  const name = ruleName(container);
  const parameters = readParameters(container);
  const factor = parameters['factor'];
  const stretch = typeof factor === 'number' && factor !== 1 ? factor : null;
  if (name === null && stretch !== null) {
    notes.add('rule-missing', [container.at('factor')], { factor: stretch });
    return { type: 'unknown', parameters };
  }
  const type = name ?? 'default';
  if (type === 'default' && stretch !== null) {
    notes.add('factor-ignored', [container.at('factor')], { factor: stretch });
  }
  if (type === 'linear' && factor === 1) {
    notes.add('factor-one', [container.at('factor')], { type });
  }
  if (type === 'mrope' || 'mrope_section' in parameters) {
    notes.add('text-only', [container.at('mrope_section')], {});
  }
  checkRule(container, type, parameters, notes);
  return { type, parameters };
}

function checkRule(container: Fields, type: string, parameters: Parameters, notes: Notes): void {
  const rule = rules.get(type);
  if (rule === undefined) {
    const hint = suggest(type, rules.keys()) ?? null;
    notes.add('rule-unknown', [container.at('rope_type')], { type, hint });
    return;
  }
  for (const name of rule.required.filter((required) => !(required in parameters))) {
    notes.add('rule-parameter-missing', [container.at(name)], { type, name: container.at(name) });
  }
}

/** The rule's name under `rope_type` or, the older spelling, `type`. */
function ruleName(container: Fields): string | null {
  const current = container.name('rope_type');
  const old = container.name('type');
  if (current === null || old === null || current === old) return current ?? old;
  const path = container.at('rope_type');
  throw new PosencError(
    'config',
    `${path} is "${current}" but ${container.at('type')} is "${old}", ` +
      'needs one of them, or both alike',
    {
      argument: path,
      received: `"${current}"`,
      allowed: `"${old}", or no ${container.at('type')}`,
    },
  );
}

/** The rule's own fields: checked numbers, flags, short texts and lists of numbers. */
function readParameters(container: Fields): Parameters {
  const parameters: [string, Parameters[string]][] = [];
  for (const key of container.keys()) {
    if (settings.has(key) || !/^[a-z]\w*$/i.test(key) || key === 'constructor') continue;
    const range = ranges[key];
    const value =
      range === undefined ? readParameter(container, key) : container.number(key, range);
    if (value !== null) parameters.push([key, value]);
  }
  return Object.fromEntries(parameters);
}

function readParameter(container: Fields, key: string): Parameters[string] | null {
  const value = container.value(key);
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return container.number(key, limits.finite);
  if (!Array.isArray(value)) return container.name(key);
  const list = container.list(key, limits.headDim.high) ?? [];
  const wrong = list.findIndex((entry) => typeof entry !== 'number' || !Number.isFinite(entry));
  if (wrong < 0) return list as number[];
  throw container.wrong(`${key}[${wrong}]`, list[wrong], 'a finite number');
}

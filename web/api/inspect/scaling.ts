import { PosencError } from '../error.js';
import { factorHint } from '../scaling/options.js';
import { scalings } from '../scaling/index.js';
import { suggest } from '../suggest.js';
import type { Claim } from './context.js';
import type { Fields } from './fields.js';
import { limits } from './limits.js';
import type { Range } from './limits.js';
import type { Notes } from './notes.js';
import type { Scaling } from './plan.js';
import { configRules } from './rules.js';

type Parameters = Scaling['parameters'];

/** `originalMaxPosition` is spelt in full in configs; the others only change their case. */
export const configName = (parameter: string): string =>
  parameter === 'originalMaxPosition'
    ? 'original_max_position_embeddings'
    : parameter.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Ranges of the rules' numbers, under the names that configs use. */
const ranges: ReadonlyMap<string, Range> = new Map(
  scalings
    .flatMap(({ parameters }) => parameters)
    .filter(({ kind }) => kind === 'real' || kind === 'integer')
    .map(({ name, low = 0, high = 0 }) => [configName(name), { low, high }]),
);

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
  if (['linear', 'ntk', 'yarn'].includes(type) && factor === 1) {
    notes.add('factor-one', [container.at('factor')], { type });
  }
  if (!configRules.has(type)) {
    const hint = suggest(type, configRules.keys()) ?? null;
    notes.add('rule-unknown', [container.at('rope_type')], { type, hint });
  }
  return { type, parameters };
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
    const range = ranges.get(key);
    const value =
      range === undefined ? readParameter(container, key) : readNumber(container, key, range);
    if (value !== null) parameters.push([key, value]);
  }
  return Object.fromEntries(parameters);
}

/** A number in its range; a factor below 1 is told what it may have meant. */
function readNumber(container: Fields, key: string, range: Range): number | null {
  const value = container.value(key);
  const hint = factorHint(key, value);
  if (hint === '') return container.number(key, range);
  throw container.wrong(key, value, `a number from ${range.low} to ${range.high}${hint}`);
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

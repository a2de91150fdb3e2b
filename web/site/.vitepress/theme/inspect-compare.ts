/** Two plans side by side, and the fields in which two configs differ. */
import type { Plan } from 'posenc';
import type { Language } from '../chapters.js';
import { groupFacts, groupTitle, planFacts, type Fact } from './inspect-facts.js';
import { partnerOf } from './inspect-numbers.js';
import { inspectWord } from './inspect-words.js';

export interface ComparedRow {
  readonly name: string;
  /** `null` = the row does not apply to this one. */
  readonly values: readonly [string | null, string | null];
  readonly differs: boolean;
}

export interface ComparedPart {
  /** Empty for the model as a whole. */
  readonly title: string;
  readonly rows: readonly ComparedRow[];
}

/** The model as a whole, then each group of the first plan with the most similar one of the second. */
export function comparePlans(plan: Plan, other: Plan, lang: Language): ComparedPart[] {
  const whole = {
    title: '',
    rows: compareFacts(planFacts(plan, lang), planFacts(other, lang), lang),
  };
  const groups = plan.layerGroups.map((group) => {
    const partner = partnerOf(group, plan, other);
    const titles = [groupTitle(group, plan, lang)];
    if (partner !== null) titles.push(groupTitle(partner, other, lang));
    const facts = partner === null ? [] : groupFacts(partner, other, lang);
    return {
      title: titles.join(' ↔ '),
      rows: compareFacts(groupFacts(group, plan, lang), facts, lang),
    };
  });
  return [whole, ...groups];
}

function compareFacts(
  left: readonly Fact[],
  right: readonly Fact[],
  lang: Language,
): ComparedRow[] {
  const words = [...left, ...right].map(([word]) => word);
  return [...new Set(words)].map((word) => {
    const [a, b] = [left, right].map((facts) => facts.find(([name]) => name === word)?.[1] ?? null);
    return { name: inspectWord(lang, word), values: [a!, b!], differs: a !== b };
  });
}

/** Fields of two configs that differ, by path; `null` = the field is not there. */
export function differingFields(text: string, other: string): ComparedRow[] {
  const [left, right] = [fieldsOf(text), fieldsOf(other)];
  return [...new Set([...left.keys(), ...right.keys()])]
    .sort()
    .map((name) => {
      const values = [left.get(name) ?? null, right.get(name) ?? null] as const;
      return { name, values, differs: values[0] !== values[1] };
    })
    .filter(({ differs }) => differs);
}

/** Python's `Infinity` and `NaN`, which `inspect` forgives, are no JSON: such a text has no fields here. */
function fieldsOf(text: string): Map<string, string> {
  try {
    return new Map(leaves(JSON.parse(text) as unknown));
  } catch {
    return new Map();
  }
}

/** `rope_scaling.factor` → `8`; lists stay whole. */
function leaves(value: unknown, path = ''): [string, string][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [[path, JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, child]) =>
    leaves(child, path === '' ? key : `${path}.${key}`),
  );
}

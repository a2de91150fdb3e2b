import type { Family } from './family.js';
import type { Fields } from './fields.js';
import type { Notes } from './notes.js';

/** What every reader of a config needs. */
export interface Context {
  readonly fields: Fields;
  readonly family: Family;
  /** As in the config; the family's `type` is `null` when posenc does not know it. */
  readonly modelType: string | null;
  readonly notes: Notes;
}

/** One field's claim to a value. */
export interface Claim<T> {
  readonly path: string;
  readonly value: T;
}

/** The first claim counts; later ones that differ are told as contradictions. */
export function settle<T extends string | number>(
  claims: readonly Claim<T>[],
  notes: Notes,
): Claim<T> | null {
  const [kept, ...others] = claims;
  if (kept === undefined) return null;
  for (const other of others) {
    if (other.value === kept.value) continue;
    notes.add('contradiction', [kept.path, other.path], {
      kept: kept.path,
      keptValue: String(kept.value),
      other: other.path,
      otherValue: String(other.value),
    });
  }
  return kept;
}

/** Takes the family's default for an absent field, and says so. */
export function assume({ fields, family, notes }: Context, name: string, value: number): number {
  const path = fields.at(name);
  notes.add('default-assumed', [path], { name: path, value, type: String(family.type) });
  return value;
}

/** The object of the attention's own settings, where the family has one. */
export const attentionFields = ({ fields, family }: Context): Fields | null =>
  family.attentionFields === null ? null : fields.child(family.attentionFields);

import { suggest } from '../suggest.js';
import type { Context } from './context.js';
import { specialFields } from './family.js';
import type { Fields } from './fields.js';

/** Names that speak of position. */
const positional =
  /rope|rotary|rotate|position|alibi|window|ntk|logn|yarn|relative|theta|seq_len|n_ctx|context_len|layer_types/i;

/** Names that can stand in a note. */
const printable = /^[\w.-]{1,60}$/;

/** Names that match but set nothing: a flag that only says "rotary", BLOOM's unused offset. */
const harmless = new Set([
  'rotary',
  'offset_alibi',
  'initial_context_length',
  '_sliding_window_pattern',
]);

/** Fields about position that no reader looked for, and that are not simply switched off. */
export function unreadPositional(fields: Fields): string[] {
  return fields
    .unread()
    .filter((name) => positional.test(name) && printable.test(name) && !harmless.has(name))
    .filter((name) => fields.value(name) !== false);
}

/** Tells which position settings had no effect: nothing may be silently replaced by a default. */
export function reportUnread({ fields, notes }: Context): void {
  const missing = fields.missing();
  const names = unreadPositional(fields);
  if (names.length === 0) return;
  const hint = names.map((name) => suggest(name, missing)).find((found) => found !== undefined);
  notes.add(
    'fields-not-read',
    names.map((name) => fields.at(name)),
    {
      names: list(names),
      hint: hint ?? null,
    },
  );
}

/** Tells which fields make the model special, and returns whether there is none. */
export function reportSpecial({ fields, family, notes }: Context): boolean {
  const names = specialFields
    .filter((name) => !family.handles.includes(name))
    .filter((name) => (fields.value(name) ?? false) !== false);
  if (names.length === 0) return true;
  notes.add(
    'special-fields',
    names.map((name) => fields.at(name)),
    { names: list(names) },
  );
  return false;
}

/** At most eight names, to keep a note readable. */
export const list = (names: readonly string[]): string =>
  names.length <= 8 ? names.join(', ') : `${names.slice(0, 8).join(', ')} …`;

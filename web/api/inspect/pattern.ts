import { assume } from './context.js';
import type { Context } from './context.js';
import { limits } from './limits.js';

/**
 * The layer type by the family's own pattern, with the config's spacing where it gives one; `null` when
 * the family has none, or its windows are off.
 */
export function layerPattern(
  context: Context,
  window: number | null,
): ((layer: number) => string) | null {
  const { fields, family } = context;
  const { pattern } = family;
  if (pattern === null) return null;
  if (pattern.other === 'sliding_attention' && window === null) return null;
  const [given] = fields.integers(pattern.fields, limits.layers);
  const [name] = pattern.fields;
  const every =
    given?.value ?? (name === undefined ? pattern.every : assume(context, name, pattern.every));
  const place = pattern.full === 'last' ? every - 1 : 0;
  return (layer) => (layer % every === place ? 'full_attention' : pattern.other);
}

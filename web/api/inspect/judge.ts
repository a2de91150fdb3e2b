import type { Context } from './context.js';
import type { Notes } from './notes.js';
import type { LayerGroup } from './plan.js';

/** Remarks on what happens at the asked length, beyond the trained one. */
export function judgeLength(
  { fields, family, notes }: Context,
  groups: readonly LayerGroup[],
  trained: number | null,
  asked: number | null,
): void {
  if (trained === null || asked === null || asked <= trained) return;
  const names = [fields.at(family.lengthFields[0] as string)];
  for (const group of groups) judgeGroup(group, names, trained, asked, notes);
  const windows = groups.map(({ window, chunk }) => window ?? chunk ?? Infinity);
  const widest = Math.max(...windows);
  if (widest <= trained) {
    const paths = [fields.at('sliding_window')];
    notes.add('window-bounds-distance', paths, { asked, window: widest });
  }
}

function judgeGroup(
  group: LayerGroup,
  names: readonly string[],
  trained: number,
  asked: number,
  notes: Notes,
): void {
  const { encoding, computed, window, chunk, table, rule, effectiveLength } = group;
  const { wavelengths, incompletePairs, firstIncompletePair } = group;
  if (table !== null) {
    const { positions } = table;
    if (asked > positions) notes.add('table-ends', names, { asked, positions });
  } else if (group.distances?.beyond === 'error') {
    const { maxDistance } = group.distances;
    if (maxDistance !== null && asked > maxDistance + 1) {
      notes.add('distances-end', names, { asked, maxDistance });
    }
  } else if (encoding === 'alibi') {
    notes.add('alibi-extrapolates', names, { asked, trained });
  } else if (group.buckets !== null) {
    notes.add('buckets-extrapolate', names, { asked, trained });
  } else if ((window ?? chunk ?? Infinity) <= trained) {
    return; // this layer meets no distance that training did not show
  } else if (computed && encoding === 'nope') {
    const reach = effectiveLength ?? trained;
    if (asked > reach) notes.add('nope-extrapolates', names, { asked, trained: reach });
  } else if (computed && rule !== null && rule.type !== 'none' && rule.type !== 'proportional') {
    const reach = effectiveLength ?? trained;
    if (asked <= reach)
      notes.add('within-stretch', names, { rule: rule.type, asked, trained, reach });
    else notes.add('beyond-stretch', names, { rule: rule.type, asked, reach });
    if (rule.type === 'dynamic') notes.add('dynamic-cache', names, { trained });
  } else if (computed && incompletePairs !== null && firstIncompletePair !== null) {
    notes.add('unseen-phases', names, {
      asked,
      reach: trained,
      pairs: incompletePairs,
      of: wavelengths.length,
      first: firstIncompletePair,
    });
  } else {
    notes.add('beyond-trained', names, { asked, trained });
  }
}

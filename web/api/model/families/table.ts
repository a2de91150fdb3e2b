import { unsupported } from './read.js';
import type { Reading } from './types.js';

/** Rows of the learned table of positions, those before position 0 included, and the row of position 0. */
export function readTable({ plan, fields }: Reading): { rows: number; offset: number } {
  const [group] = plan.layerGroups;
  const table = group?.table ?? null;
  if (group?.encoding === 'learned' && table !== null) {
    return { rows: table.positions + table.offset, offset: table.offset };
  }
  const kind = fields.value('position_embedding_type') ?? group?.encoding;
  throw unsupported('position_embedding_type', kind, 'absolute');
}

import { accuracyFacts } from './accuracy.js';
import { clocksFacts } from './clocks.js';
import { handsFacts } from './hands.js';
import { shuffleFacts } from './shuffle.js';
import type { FactTable } from './types.js';

/** One table of facts a chapter; a name may appear in one of them only. */
const tables: readonly FactTable[] = [accuracyFacts, shuffleFacts, clocksFacts, handsFacts];

/** Every number that prose may print, by name. */
export const facts: FactTable = merge(tables);

/** One table of them all. Throws when two chapters use the same name. */
export function merge(parts: readonly FactTable[]): FactTable {
  const all: Record<string, FactTable[string]> = {};
  for (const table of parts) {
    for (const [name, fact] of Object.entries(table)) {
      if (name in all) throw new Error(`two facts are called "${name}"`);
      all[name] = fact;
    }
  }
  return all;
}

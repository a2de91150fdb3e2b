/** Byte pair merges by score: always the best pair of neighbours, the leftmost of equals. */

/** What two neighbours become, and how good that is; `null` = they stay apart. */
export type PairRule = (left: number, right: number) => { id: number; score: number } | null;

interface Candidate {
  readonly score: number;
  /** Place of the left one. */
  readonly at: number;
  readonly left: number;
  readonly right: number;
  readonly id: number;
}

/** Merges until no pair of neighbours is left that could; O(n log n). */
export function mergePairs(given: readonly number[], rule: PairRule): number[] {
  const ids = [...given];
  // Neighbours of each place; a place that was merged into its left one has the id −1.
  const next = ids.map((_, i) => i + 1);
  const before = ids.map((_, i) => i - 1);
  const heap = new Heap();
  const offer = (at: number): void => {
    const to = next[at]!;
    if (at < 0 || to >= ids.length) return;
    const [left, right] = [ids[at]!, ids[to]!];
    const found = rule(left, right);
    if (found !== null) heap.push({ ...found, at, left, right });
  };
  for (let i = 0; i < ids.length; i++) offer(i);
  for (let best = heap.pop(); best !== undefined; best = heap.pop()) {
    const { at, left, right, id } = best;
    const to = next[at]!;
    // Offers made before one of the two was merged into something else.
    if (ids[at] !== left || to >= ids.length || ids[to] !== right) continue;
    ids[at] = id;
    ids[to] = -1;
    next[at] = next[to]!;
    if (next[at] < ids.length) before[next[at]] = at;
    if (before[at]! >= 0) offer(before[at]!);
    offer(at);
  }
  return ids.filter((id) => id >= 0);
}

/** Best score first, then leftmost. */
const better = (a: Candidate, b: Candidate): boolean =>
  a.score > b.score || (a.score === b.score && a.at < b.at);

/** A binary heap. */
class Heap {
  private readonly items: Candidate[] = [];

  push(item: Candidate): void {
    const { items } = this;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!better(item, items[parent]!)) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  pop(): Candidate | undefined {
    const { items } = this;
    const best = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return best;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && better(items[child + 1]!, items[child]!)) child++;
      if (!better(items[child]!, last)) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = last;
    return best;
  }
}

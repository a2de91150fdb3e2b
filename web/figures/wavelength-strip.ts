/**
 * Two rows under a chart of pairs: the share of each circle that training has shown, as a filling column,
 * and whether the asked length stays within it: a dot, or a tall bar where it does not.
 */
import type { PairCoverage } from 'posenc';
import { color, el } from './frame.js';
import type { PictureNode, Scale, Words } from './frame.js';

const COLUMN = 22;
const GAP = 8;
const MARK = 14;

export function coverageStrip(
  coverage: readonly PairCoverage[],
  { x, step, left, top }: { x: Scale; step: number; left: number; top: number },
  pick: (words: Words) => string,
): PictureNode[] {
  const width = Math.max(1.5, Math.min(12, step * 0.72));
  const second = top + COLUMN + GAP;
  const label = (words: Words, y: number) =>
    el('text', { x: left - 8, y, class: 'px-small px-muted', 'text-anchor': 'end' }, pick(words));
  return [
    label({ zh: '见过', en: 'seen' }, top + COLUMN - 6),
    label({ zh: '在内', en: 'in range' }, second + MARK - 3),
    ...coverage.flatMap(({ covered, inDistribution }, pair) => {
      const column = { x: x(pair) - width / 2, width };
      const height = Math.max(1, covered * COLUMN);
      const fill = covered === 1 ? color.k : color.q;
      return [
        el('rect', { ...column, y: top, height: COLUMN, fill: color.grid }),
        el('rect', { ...column, y: top + COLUMN - height, height, fill }),
        inDistribution
          ? el('circle', {
              cx: x(pair),
              cy: second + MARK / 2,
              r: Math.min(2.5, width / 2),
              fill: color.good,
            })
          : el('rect', { ...column, y: second, height: MARK, fill: color.bad }),
      ];
    }),
  ];
}

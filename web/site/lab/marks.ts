/** How encodings are told apart in every chart: by colour, dash and shape, always the same ones. */
import { labEncodingNames, type LabEncodingName } from 'posenc/lab';
import { color, el } from '../../figures/frame.js';
import type { PictureNode } from '../../figures/frame.js';

/** Those that are compared most come first, so that their colours are far apart. */
const order: readonly LabEncodingName[] = ['rope', 'alibi', 'nope', 'sinusoidal', 'learned', 't5'];
/** Colours by rank: neighbours in hue are apart in rank. */
const hues = [0, 1, 2, 3, 4, 7, 5, 6] as const;
const ranked = [...new Set([...order, ...labEncodingNames])];
const shapes = ['circle', 'square', 'triangle', 'diamond'] as const;

/** The mark of an encoding. */
export interface Mark {
  readonly color: string;
  /** `null` = a whole line. */
  readonly dash: string | null;
  readonly shape: (typeof shapes)[number];
}

/** The mark of an encoding. */
export function markOf(name: LabEncodingName): Mark {
  const rank = ranked.indexOf(name);
  return {
    color: color.series[hues[rank % hues.length]!]!,
    dash: rank < hues.length ? null : '7 4',
    shape: shapes[rank % shapes.length]!,
  };
}

/** The shape of a mark around a point. */
export function pointNode(
  { color: fill, shape }: Mark,
  x: number,
  y: number,
  r = 4.5,
): PictureNode {
  switch (shape) {
    case 'circle':
      return el('circle', { cx: x, cy: y, r, fill });
    case 'square':
      return el('path', { d: `M${x - r},${y - r}h${2 * r}v${2 * r}h${-2 * r}z`, fill });
    case 'triangle':
      return el('path', { d: `M${x},${y - r * 1.2}l${r * 1.2},${r * 2.1}h${-r * 2.4}z`, fill });
    case 'diamond':
      return el('path', {
        d: `M${x},${y - r * 1.4}l${r * 1.2},${r * 1.4}l${-r * 1.2},${r * 1.4}l${-r * 1.2},${-r * 1.4}z`,
        fill,
      });
  }
}

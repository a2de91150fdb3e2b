/** Bands of a scaling rule behind a chart of pairs: a tint, a bar on top, and a name where there is room. */
import type { BandKind, ScalingBand } from 'posenc';
import { color, el } from './frame.js';
import type { PictureNode, Scale, Words } from './frame.js';

/** Names of what a rule does to pairs. */
export const bandNames: Readonly<Record<BandKind, Words>> = {
  kept: { zh: '保持', en: 'kept' },
  blended: { zh: '过渡', en: 'blended' },
  interpolated: { zh: '内插', en: 'interpolated' },
  rebased: { zh: '换底', en: 'rebased' },
  searched: { zh: '逐对', en: 'searched' },
  still: { zh: '不转', en: 'still' },
};

/** The colour of each band's bar. */
export const bandColors: Readonly<Record<BandKind, string>> = {
  kept: color.v,
  blended: color.series[4]!,
  interpolated: color.q,
  rebased: color.accent,
  searched: color.accent,
  still: color.muted,
};

/** Pixels of a character of small text: Latin, Chinese. */
const CHARACTER = [6.3, 12] as const;

export function bandBars(
  bands: readonly ScalingBand[],
  place: { x: Scale; top: number; bottom: number; from: number; to: number },
  pick: (words: Words) => string,
): PictureNode[] {
  const { x, top, bottom, from, to } = place;
  return bands.flatMap(({ kind, first, last }) => {
    const left = Math.max(first === 0 ? from : x(first - 0.5), from);
    const right = Math.min(x(last + 0.5), to);
    const fill = bandColors[kind];
    const name = pick(bandNames[kind]);
    const wide = [...name].reduce((sum, letter) => sum + CHARACTER[letter > '\u2e80' ? 1 : 0], 0);
    const area = { x: left, width: right - left, fill };
    return [
      el('rect', { ...area, y: top, height: bottom - top, 'fill-opacity': 0.09 }),
      el('rect', { ...area, x: left + 0.5, width: right - left - 1, y: top - 7, height: 4 }),
      wide + 4 < right - left &&
        el(
          'text',
          { x: (left + right) / 2, y: top - 13, class: 'px-small', 'text-anchor': 'middle' },
          name,
        ),
    ].filter((node) => node !== false);
  });
}

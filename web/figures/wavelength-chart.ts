/** A chart of a model's rotary pairs: how many positions each needs for a full turn, against the lengths that matter. */
import { axisBottom, color, el, scaleLinear, scaleLog } from './frame.js';
import type { PictureNode, Words } from './frame.js';

/** A length to compare wavelengths with. */
export interface LengthLine {
  readonly label: Words;
  readonly length: number;
  readonly kind: 'trained' | 'asked' | 'window';
}

export interface WavelengthChart {
  /** Positions per turn, one per pair. */
  readonly wavelengths: readonly number[];
  /** Pairs from here on never completed a turn in training; `null` when all did. */
  readonly firstIncompletePair: number | null;
  readonly lines: readonly LengthLine[];
}

const MARGIN = { top: 18, right: 14, bottom: 44, left: 58 };
const HEIGHT = 320;
/** About so many numbers on each axis. */
const TICKS = 6;

const LINES = {
  trained: { stroke: color.ink, dash: null, above: false },
  asked: { stroke: color.score, dash: '6 4', above: true },
  window: { stroke: color.v, dash: '2 3', above: false },
} as const;

/** The chart as a picture; `pick` chooses the language. */
export function wavelengthChart(
  { wavelengths, firstIncompletePair, lines }: WavelengthChart,
  width: number,
  pick: (words: Words) => string,
): { height: number; nodes: PictureNode[] } {
  const longest = Math.max(...wavelengths, ...lines.map(({ length }) => length));
  const inner = { left: MARGIN.left, right: width - MARGIN.right };
  const bottom = HEIGHT - MARGIN.bottom;
  const x = scaleLinear(
    [0, Math.max(1, wavelengths.length - 1)],
    [inner.left + 10, inner.right - 8],
  );
  const y = scaleLog([1, longest * 2], [bottom, MARGIN.top]);
  const complete = firstIncompletePair ?? wavelengths.length;
  const radius = Math.max(
    2.5,
    Math.min(5, ((inner.right - inner.left) / wavelengths.length) * 0.36),
  );

  const shade = firstIncompletePair !== null && [
    el('rect', {
      x: x(firstIncompletePair - 0.5),
      y: MARGIN.top,
      width: inner.right - x(firstIncompletePair - 0.5),
      height: bottom - MARGIN.top,
      class: 'px-region',
    }),
  ];
  const rows = y
    .ticks(TICKS)
    .map((tick) => [
      el('line', { x1: inner.left, x2: inner.right, y1: y(tick), y2: y(tick), stroke: color.grid }),
      el(
        'text',
        { x: inner.left - 8, y: y(tick) + 4, class: 'px-small px-muted', 'text-anchor': 'end' },
        compact(tick),
      ),
    ]);
  const marks = wavelengths.map((wavelength, pair) => {
    const place = { cx: x(pair), cy: y(wavelength), r: radius };
    return pair < complete
      ? el('circle', { ...place, fill: color.k })
      : el('circle', { ...place, fill: color.panel, stroke: color.q, 'stroke-width': 2 });
  });
  return {
    height: HEIGHT,
    nodes: el(
      'g',
      {},
      shade,
      rows,
      lengthLines(lines, y, inner, pick),
      axisBottom(x, {
        y: bottom,
        from: inner.left,
        to: inner.right,
        ticks: x.ticks(TICKS).filter(Number.isInteger),
        label: pick({ zh: '第几对', en: 'pair' }),
      }),
      marks,
    ).children as PictureNode[],
  };
}

/** Lines of the lengths; the asked one has its name above, the others below. */
function lengthLines(
  lines: readonly LengthLine[],
  y: (value: number) => number,
  { left, right }: { left: number; right: number },
  pick: (words: Words) => string,
): PictureNode[] {
  return lines.flatMap(({ label, length, kind }) => {
    const { stroke, dash, above } = LINES[kind];
    return [
      el('line', {
        x1: left,
        x2: right,
        y1: y(length),
        y2: y(length),
        stroke,
        'stroke-width': 1.5,
        'stroke-dasharray': dash,
      }),
      el(
        'text',
        { x: left + 8, y: y(length) + (above ? -6 : 16), class: 'px-label', fill: stroke },
        `${pick(label)} ${length}`,
      ),
    ];
  });
}

/** 1000000 → 1M, so that the axis stays narrow. */
function compact(value: number): string {
  const units = ['', 'k', 'M', 'G', 'T'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3 + 1e-9));
  return `${Number((value / 1000 ** power).toPrecision(3))}${units[power]}`;
}

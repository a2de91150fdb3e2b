/**
 * A chart of a model's rotary pairs: how many positions each needs for a full turn, before and after a
 * scaling rule, against the lengths that matter; below it, what training has shown of each pair's circle.
 */
import type { PairCoverage, ScalingBand } from 'posenc';
import { axisBottom, color, el, path, scaleLinear, scaleLog } from './frame.js';
import type { PictureNode, Point, Words } from './frame.js';
import { bandBars } from './wavelength-bands.js';
import { coverageStrip } from './wavelength-strip.js';

/** A length to compare wavelengths with. */
export interface LengthLine {
  readonly label: Words;
  readonly length: number;
  readonly kind: 'trained' | 'asked' | 'window';
}

export interface WavelengthChart {
  /** Pairs, those that do not turn included. */
  readonly pairs: number;
  /** Positions per turn of the pairs that turn, with the rule. */
  readonly wavelengths: readonly number[];
  /** By how much the rule stretched each wavelength. */
  readonly divisors: readonly number[];
  /** What the rule does to which pairs. */
  readonly bands: readonly ScalingBand[];
  /** One per pair that turns; `null` when the trained length is not known. */
  readonly coverage: readonly PairCoverage[] | null;
  readonly lines: readonly LengthLine[];
  /** Wavelengths of another model, drawn over this one's. */
  readonly other: readonly number[] | null;
  /** The pair that is pointed at. */
  readonly chosen: number | null;
}

const MARGIN = { top: 30, right: 14, bottom: 40, left: 58 };
/** Room between the axes and the outermost pairs. */
const INSET = { left: 10, right: 8 };
const PLOT_HEIGHT = 320;
const STRIP_HEIGHT = 58;
/** About so many numbers on each axis. */
const TICKS = 6;

/** Height of the whole picture; the same at every width. */
export const CHART_HEIGHT = PLOT_HEIGHT + STRIP_HEIGHT;

/** Where the first and the last pair stand, from the left and the right edge. */
export const CHART_ENDS = {
  left: MARGIN.left + INSET.left,
  right: MARGIN.right + INSET.right,
} as const;

const LINES = {
  trained: { stroke: color.ink, dash: null, above: false, atEnd: false },
  asked: { stroke: color.score, dash: '6 4', above: true, atEnd: false },
  // Windows are short: on the left the fast pairs would cross the name.
  window: { stroke: color.v, dash: '2 3', above: false, atEnd: true },
} as const;

/** Last pair on the axis: of this model or the other one. */
export const lastPair = ({ pairs, other }: Pick<WavelengthChart, 'pairs' | 'other'>): number =>
  Math.max(pairs, other?.length ?? 0) - 1;

/** The pair under a point of the picture. */
export function pairAt(x: number, width: number, last: number): number {
  const share = (x - CHART_ENDS.left) / (width - CHART_ENDS.left - CHART_ENDS.right);
  return Math.min(Math.max(Math.round(share * last), 0), last);
}

/** A quotient of two equal frequencies may be off by its rounding. */
const isStretched = (divisor: number): boolean => Math.abs(divisor - 1) > 1e-9;

/** Whether a rule moves any pair. */
export const isScaled = (divisors: readonly number[]): boolean => divisors.some(isStretched);

/** The chart as a picture; `pick` chooses the language. */
export function wavelengthChart(
  chart: WavelengthChart,
  width: number,
  pick: (words: Words) => string,
): { height: number; nodes: PictureNode[] } {
  const { wavelengths, divisors, bands, coverage, lines, other, chosen } = chart;
  const longest = Math.max(
    ...wavelengths,
    ...(other ?? []),
    ...lines.map(({ length }) => length),
    Math.PI,
  );
  const inner = { left: MARGIN.left, right: width - MARGIN.right };
  const bottom = PLOT_HEIGHT - MARGIN.bottom;
  const x = scaleLinear(
    [0, Math.max(1, lastPair(chart))],
    [CHART_ENDS.left, width - CHART_ENDS.right],
  );
  const y = scaleLog([2, longest * 2], [bottom, MARGIN.top]);
  const step = x(1) - x(0);
  const radius = Math.max(2, Math.min(4.5, step * 0.36));

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
  const curve = (values: readonly number[]): Point[] =>
    values.map((value, pair) => ({ x: x(pair), y: y(value) }));
  const before = wavelengths.map((wavelength, pair) => wavelength / divisors[pair]!);
  const marks = curve(wavelengths).map(({ x: cx, y: cy }, pair) =>
    (coverage?.[pair]?.covered ?? 1) === 1
      ? el('circle', { cx, cy, r: radius, fill: color.k })
      : el('circle', { cx, cy, r: radius, fill: color.panel, stroke: color.q, 'stroke-width': 2 }),
  );
  const guide = chosen !== null && [
    el('line', {
      ...{ x1: x(chosen), x2: x(chosen), y1: MARGIN.top, y2: CHART_HEIGHT },
      ...{ stroke: color.accent, 'stroke-width': 1.5 },
    }),
    chosen < wavelengths.length &&
      el('circle', {
        ...{ cx: x(chosen), cy: y(wavelengths[chosen]!), r: radius + 4 },
        ...{ fill: 'none', stroke: color.accent, 'stroke-width': 2 },
      }),
  ];
  const place = { x, step, left: inner.left, top: PLOT_HEIGHT + 4 };
  return {
    height: CHART_HEIGHT,
    nodes: el(
      'g',
      {},
      bandBars(bands, { x, top: MARGIN.top, bottom, from: inner.left, to: inner.right }, pick),
      rows,
      lengthLines(lines, y, inner, pick),
      axisBottom(x, {
        y: bottom,
        from: inner.left,
        to: inner.right,
        ticks: x.ticks(TICKS).filter(Number.isInteger),
      }),
      el(
        'text',
        { x: inner.left - 8, y: bottom + 19, class: 'px-small px-muted', 'text-anchor': 'end' },
        pick({ zh: '第几对', en: 'pair' }),
      ),
      isScaled(divisors) &&
        el('path', {
          ...{ d: path(curve(before)), fill: 'none', stroke: color.muted },
          ...{ 'stroke-width': 1.75, 'stroke-dasharray': '5 4' },
        }),
      other && otherCurve(curve(other), radius),
      marks,
      coverage && coverageStrip(coverage, place, pick),
      guide,
    ).children as PictureNode[],
  };
}

/** Another model's pairs: a line with a square on each, so that shape tells them from this one's. */
function otherCurve(points: readonly Point[], radius: number): PictureNode[] {
  const stroke = color.series[7]!;
  const side = radius * 1.5;
  return [
    el('path', { d: path(points), fill: 'none', stroke, 'stroke-width': 1.5 }),
    ...points.map(({ x, y }) =>
      el('rect', { x: x - side / 2, y: y - side / 2, width: side, height: side, fill: stroke }),
    ),
  ];
}

/** Lines of the lengths with their names, where no pair of a usual model crosses them. */
function lengthLines(
  lines: readonly LengthLine[],
  y: (value: number) => number,
  { left, right }: { left: number; right: number },
  pick: (words: Words) => string,
): PictureNode[] {
  return lines.flatMap(({ label, length, kind }) => {
    const { stroke, dash, above, atEnd } = LINES[kind];
    return [
      el('line', {
        ...{ x1: left, x2: right, y1: y(length), y2: y(length), stroke },
        ...{ 'stroke-width': 1.5, 'stroke-dasharray': dash },
      }),
      el(
        'text',
        {
          ...(atEnd ? { x: right - 8, 'text-anchor': 'end' } : { x: left + 8 }),
          ...{ y: y(length) + (above ? -6 : 16), class: 'px-label', fill: stroke },
        },
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

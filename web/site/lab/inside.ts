/** What is seen inside a learner: its attention in one example, its bias by distance. */
import { labEncodingTitles, type LabEncodingName } from 'posenc/lab';
import {
  axisBottom,
  color,
  el,
  heatmap,
  path,
  scaleLinear,
  type Drawing,
  type Language,
} from '../../figures/frame.js';
import { formatNumber } from '../../figures/frame-words.js';
import type { View } from './protocol.js';

const MARGIN = { top: 14, right: 16, bottom: 46, left: 46 };
const HEIGHT = 240;
/** Room for the tokens beside the map. */
const LABELS = 26;
/** The widest map, and the narrowest cell whose token can be read. */
const MOST_WIDTH = 460;
const LEAST_CELL = 11;

/** Attention of a head: a row for each token, which says where it looks. */
export function attentionPicture(view: View, encoding: LabEncodingName, width: number): Drawing {
  const { tokens, weights, layer, head, step } = view;
  const count = tokens.length;
  const side = Math.min(width - LABELS, MOST_WIDTH);
  const left = Math.max(LABELS, (width - side) / 2);
  const cell = side / count;
  const every = Math.max(1, Math.ceil(LEAST_CELL / cell));
  const at = (i: number) => (i + 0.5) * cell;
  const labels = tokens.flatMap((token, i) =>
    i % every !== 0
      ? []
      : [
          el(
            'text',
            { x: left - 8, y: LABELS + at(i) + 4, class: 'px-small', 'text-anchor': 'end' },
            shown(token),
          ),
          el(
            'text',
            { x: left + at(i), y: LABELS - 8, class: 'px-small', 'text-anchor': 'middle' },
            shown(token),
          ),
        ],
  );
  // Above the diagonal lies what causal attention cannot see.
  const values = weights.map((weight, i) => (i % count > Math.floor(i / count) ? NaN : weight));
  const last = weights.subarray((count - 1) * count);
  const most = last.indexOf(Math.max(...last));
  const title = labEncodingTitles[encoding];
  return {
    height: side + LABELS + 4,
    nodes: [
      heatmap({
        ...{ key: 'attention', x: left, y: LABELS, width: side, height: side },
        ...{ rows: count, columns: count, values, low: 0, high: 1, map: 'sequential' },
      }),
      el('rect', {
        x: left,
        y: LABELS,
        width: side,
        height: side,
        fill: 'none',
        stroke: color.line,
      }),
      ...labels,
    ],
    sentence: {
      zh: `${title.zh} 第 ${step} 步，第 ${layer + 1} 层第 ${head + 1} 头：最后一个记号看得最多的是第 ${most + 1} 个（${shown(tokens[most]!)}），${formatNumber(last[most]!, 2)}。`,
      en: `${title.en} at step ${step}, layer ${layer + 1}, head ${head + 1}: the last token looks most at token ${most + 1} (${shown(tokens[most]!)}), ${formatNumber(last[most]!, 2)}.`,
    },
    table: {
      columns: [{ zh: '从', en: 'from' }, ...tokens.map((token, i) => `${i + 1} ${shown(token)}`)],
      rows: tokens.map((token, i) => [
        `${i + 1} ${shown(token)}`,
        ...weights.subarray(i * count, i * count + i + 1),
        ...new Array<string>(count - i - 1).fill(''),
      ]),
      digits: 2,
    },
  };
}

/** Blanks and line ends can be seen. */
const shown = (token: string): string => (token === '\n' ? '⏎' : token.trim() === '' ? '␣' : token);

/** What each head adds to a score by distance. */
export function biasChart(
  view: View,
  encoding: LabEncodingName,
  width: number,
  lang: Language,
): Drawing {
  const { heads, step, layer, trained } = view;
  const bias = view.bias ?? new Float32Array(heads);
  const count = bias.length / heads;
  const curves = Array.from({ length: heads }, (_, head) => [
    ...bias.subarray(head * count, (head + 1) * count),
  ]);
  const low = Math.min(-1, ...bias);
  const high = Math.max(0.5, ...bias);
  const [left, right, bottom] = [MARGIN.left, width - MARGIN.right, HEIGHT - MARGIN.bottom];
  const x = scaleLinear([0, Math.max(1, count - 1)], [left, right]);
  const y = scaleLinear([low, high], [bottom, MARGIN.top]);
  const ticks = y.ticks(5);
  const title = labEncodingTitles[encoding];
  const strokeOf = (head: number) => color.series[head % color.series.length]!;
  const dashOf = (head: number) => (head < color.series.length ? null : '7 4');
  const distance = { zh: '距离（记号）', en: 'distance (tokens)' };
  return {
    height: HEIGHT,
    nodes: [
      el('rect', {
        x: left,
        y: MARGIN.top,
        width: Math.max(0, Math.min(x(trained), right) - left),
        height: bottom - MARGIN.top,
        fill: color.accentSoft,
      }),
      ...ticks.flatMap((tick) => [
        el('line', { x1: left, x2: right, y1: y(tick), y2: y(tick), stroke: color.grid }),
        el(
          'text',
          { x: left - 8, y: y(tick) + 4, class: 'px-small px-muted', 'text-anchor': 'end' },
          formatNumber(tick, Number.isInteger(tick) ? 0 : 1),
        ),
      ]),
      axisBottom(x, {
        y: bottom,
        from: left,
        to: right,
        ticks: x.ticks(width < 520 ? 4 : 6).filter(Number.isInteger),
        label: distance[lang],
      }),
      ...curves.map((curve, head) =>
        el('path', {
          ...{ d: path(curve.map((value, i) => ({ x: x(i), y: y(value) }))), fill: 'none' },
          ...{ stroke: strokeOf(head), 'stroke-width': 2, 'stroke-dasharray': dashOf(head) },
        }),
      ),
    ],
    legend: curves.map((_, head) => ({
      label: { zh: `第 ${head + 1} 头`, en: `head ${head + 1}` },
      color: strokeOf(head),
      mark: dashOf(head) === null ? 'line' : 'dash',
    })),
    sentence: {
      zh: `${title.zh} 第 ${step} 步，第 ${layer + 1} 层：距离 ${count - 1} 上各头加 ${curves.map((curve) => formatNumber(curve.at(-1)!, 2)).join('、')}。`,
      en: `${title.en} at step ${step}, layer ${layer + 1}: at distance ${count - 1} the heads add ${curves.map((curve) => formatNumber(curve.at(-1)!, 2)).join(', ')}.`,
    },
    table: {
      columns: [
        distance,
        ...curves.map((_, head) => ({ zh: `第 ${head + 1} 头`, en: `head ${head + 1}` })),
      ],
      rows: Array.from({ length: count }, (_, i) => [i, ...curves.map((curve) => curve[i]!)]),
    },
  };
}

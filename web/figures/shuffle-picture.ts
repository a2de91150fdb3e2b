/** The parts of the picture of “Shuffle the sentence”: two attention matrices and the output bars. */
import { color, el, heatmap, mapInk, type DrawContext, type PictureNode } from './frame.js';
import { fitText } from './shuffle-chips.js';
import { width as outputWidth, type LayerResult, type Shuffle } from './shuffle-model.js';

/** A part of the picture and the height it takes. */
export interface Part {
  readonly nodes: readonly PictureNode[];
  readonly height: number;
}

/** What every part shows. */
export interface Scene {
  readonly tokens: readonly string[];
  /** Place i of the reordered sentence holds token `order[i]`. */
  readonly order: readonly number[];
  readonly result: Shuffle;
}

/** The colour of a token, by its place in the original sentence. */
export const seriesOf = (from: number): string => color.series[from % 8] ?? color.ink;

/** A positive number with two digits, as a power of ten when it is small: `5.96 × 10⁻⁸`. */
export function scientific(value: number, { number }: Pick<DrawContext, 'number'>): string {
  if (value === 0 || value >= 0.001) return number(value, value === 0 ? 0 : 3);
  const [factor, power = ''] = value.toExponential(1).split('e-');
  const digits = [...power].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('');
  return `${factor} × 10⁻${digits}`;
}

/** Weights of the original sentence at the left, of the reordered one at the right. */
export function drawMatrices(scene: Scene, top: number, context: DrawContext): Part {
  const { tokens, order, result } = scene;
  const gap = context.narrow ? 14 : 32;
  const panel = (context.width - gap) / 2;
  const gutter = context.narrow ? 40 : 74;
  const cell = Math.min(48, (panel - gutter) / tokens.length);
  const high = Math.max(...result.original.weights, ...result.shuffled.weights);
  const original = tokens.map((_, i) => i);
  const sides = [
    {
      key: 'original',
      title: { zh: '原句的权重', en: 'weights, original' },
      layer: result.original,
    },
    {
      key: 'shuffled',
      title: { zh: '打乱后的权重', en: 'weights, shuffled' },
      layer: result.shuffled,
    },
  ];
  const nodes = sides.flatMap(({ key, title, layer }, side) =>
    matrix(key, context.pick(title), layer, side ? order : original, {
      tokens,
      x: side * (panel + gap),
      y: top,
      gutter,
      cell,
      high,
      context,
    }),
  );
  return { nodes, height: 42 + cell * tokens.length };
}

interface MatrixPlace {
  readonly tokens: readonly string[];
  readonly x: number;
  readonly y: number;
  readonly gutter: number;
  readonly cell: number;
  readonly high: number;
  readonly context: DrawContext;
}

function matrix(
  key: string,
  title: string,
  { weights }: LayerResult,
  order: readonly number[],
  { tokens, x, y, gutter, cell, high, context }: MatrixPlace,
): PictureNode[] {
  const count = order.length;
  const [left, top] = [x + gutter, y + 42];
  const nameOf = (place: number) => `${tokens[order[place] ?? 0]}${sub((order[place] ?? 0) + 1)}`;
  const valueOf = (row: number, column: number) => weights[row * count + column] ?? 0;
  return [
    el('text', { x, y: y + 14, class: 'px-small', fill: color.muted }, title),
    heatmap({
      key,
      x: left,
      y: top,
      width: cell * count,
      height: cell * count,
      rows: count,
      columns: count,
      values: weights,
      low: 0,
      high,
      map: 'sequential',
      cell: (row, column) =>
        `${nameOf(row)} → ${nameOf(column)}: ${context.number(valueOf(row, column), 3)}`,
    }),
    ...order.flatMap((from, place) => [
      cell >= 13 && rowLabel(tokens[from] ?? '', from, left, top + (place + 0.5) * cell, gutter),
      cell >= 15 && columnLabel(from, left + (place + 0.5) * cell, top - 7),
    ]),
    ...(cell >= 34
      ? Array.from(weights, (value, i) =>
          el(
            'text',
            {
              x: left + ((i % count) + 0.5) * cell,
              y: top + (Math.floor(i / count) + 0.5) * cell + 4,
              class: 'px-small',
              'text-anchor': 'middle',
              fill: mapInk('sequential', value / high),
            },
            context.number(value, 2).replace(/^0/, ''),
          ),
        )
      : []),
  ].filter((node) => node !== false);
}

function rowLabel(token: string, from: number, right: number, y: number, gutter: number) {
  const index = String(from + 1);
  const room = gutter - 14 - index.length * 8;
  return el(
    'text',
    { x: right - 8, y: y + 4, class: 'px-small', 'text-anchor': 'end', fill: color.ink },
    fitText(token, 12, room),
    el('tspan', { fill: color.muted }, sub(from + 1)),
  );
}

function columnLabel(from: number, x: number, y: number) {
  return el(
    'text',
    { x, y, class: 'px-small', 'text-anchor': 'middle', fill: color.muted },
    from + 1,
  );
}

/** Bars of every output row after the shuffle, capped by where the moved original row would be. */
export function drawOutputs(scene: Scene, top: number, context: DrawContext): Part {
  const { tokens, order, result } = scene;
  const gap = 16;
  const columns = Math.max(1, Math.floor((context.width + gap) / (112 + gap)));
  const across = Math.min(columns, order.length);
  const group = Math.min(180, (context.width - gap * (across - 1)) / across);
  const reach = 26;
  const pitch = 2 * reach + 46;
  const most = Math.max(...[...result.shuffled.output, ...result.moved].map(Math.abs), 1e-6);
  const nodes = order.flatMap((from, place) => {
    const x = (place % across) * (group + gap);
    const middle = top + 22 + Math.floor(place / across) * pitch + reach;
    const at = (values: Float32Array, i: number) =>
      ((values[place * outputWidth + i] ?? 0) / most) * reach;
    const bar = group / outputWidth;
    const difference = result.rowDifference[place] ?? 0;
    return [
      el('line', { x1: x, x2: x + group, y1: middle, y2: middle, stroke: color.line }),
      ...Array.from({ length: outputWidth }, (_, i) => {
        const height = at(result.shuffled.output, i);
        const cap = at(result.moved, i);
        return el(
          'g',
          {},
          el('rect', {
            x: x + i * bar + 1,
            y: middle - Math.max(0, height),
            width: bar - 2,
            height: Math.abs(height),
            fill: color.v,
            opacity: 0.55,
          }),
          el('line', {
            x1: x + i * bar,
            x2: x + (i + 1) * bar,
            y1: middle - cap,
            y2: middle - cap,
            stroke: color.ink,
            'stroke-width': 1.5,
          }),
        );
      }),
      el(
        'text',
        { x, y: middle + reach + 16, class: 'px-small', fill: color.ink },
        fitText(tokens[from] ?? '', 12, group / 2 - 12),
        el('tspan', { fill: color.muted }, sub(from + 1)),
      ),
      el(
        'text',
        {
          x: x + group,
          y: middle + reach + 16,
          class: 'px-small',
          'text-anchor': 'end',
          fill: color.muted,
        },
        `${context.pick({ zh: '差', en: 'Δ' })} ${scientific(difference, context)}`,
      ),
    ];
  });
  const title = context.pick({
    zh: '打乱后的输出：竖条 A(Px)，短横 P·A(x)',
    en: 'outputs after the shuffle: bars A(Px), caps P·A(x)',
  });
  return {
    nodes: [
      el('text', { x: 0, y: top + 12, class: 'px-small', fill: color.muted }, title),
      ...nodes,
    ],
    height: 22 + Math.ceil(order.length / across) * pitch,
  };
}

/** A small number below the line, the place in the original sentence. */
export function sub(value: number): string {
  return [...String(value)].map((digit) => '₀₁₂₃₄₅₆₇₈₉'[Number(digit)]).join('');
}

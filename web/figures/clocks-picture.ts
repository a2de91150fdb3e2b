/** The parts of the picture of “A wall of clocks”: heat map with similarity curve, and the clocks. */
import {
  color,
  el,
  handle,
  heatmap,
  mapColor,
  path,
  scaleLinear,
  type DrawContext,
  type PictureNode,
  type Pressable,
} from './frame.js';

/** What the picture shows: the sinusoidal table, or the binary counter in the same form. */
export interface Scene {
  /** `[positions, columns]`, −1 … 1. */
  readonly values: ArrayLike<number>;
  readonly positions: number;
  readonly columns: number;
  /** The current row. */
  readonly position: number;
  /** `binary`: columns and faces are binary digits. */
  readonly kind: 'clocks' | 'binary';
  /** Similarity of every row with the current one. */
  readonly curve: readonly number[];
  readonly faces: readonly Face[];
  /** What a cell says at the pointer. */
  readonly cell: (row: number, column: number) => string;
}

/** One clock: the tip of its hand (sine to the right, cosine up) or a binary digit. */
export interface Face {
  readonly hand: { readonly x: number; readonly y: number } | null;
  readonly digit: 0 | 1 | null;
  /** Positions per turn. */
  readonly period: number;
}

/** A part of the picture and the height it takes. */
export interface Part {
  readonly nodes: readonly PictureNode[];
  readonly handles: readonly Pressable[];
  readonly height: number;
}

const rowHeight = 3;
const gutter = 46;
const titleHeight = 44;

/** Rows of the table, the knob that picks one, and the similarity of every row with it. */
export function drawTable(scene: Scene, context: DrawContext): Part {
  const { positions, position, columns } = scene;
  const { width, narrow, pick } = context;
  const curveWidth = narrow ? 84 : 160;
  const gap = narrow ? 12 : 24;
  const mapWidth = width - gutter - gap - curveWidth;
  const height = positions * rowHeight;
  const curveLeft = gutter + mapWidth + gap;
  const rowTop = titleHeight + position * rowHeight;
  const title = (x: number, zh: string, en: string) =>
    el('text', { x, y: 14, class: 'px-small', fill: color.muted }, pick({ zh, en }));
  return {
    height: titleHeight + height + 12,
    nodes: [
      title(0, '位置', 'pos.'),
      title(
        gutter,
        narrow ? '一行一个位置' : '每行一个位置，左快右慢',
        narrow ? 'a row a position' : 'a row a position; fast columns left, slow ones right',
      ),
      title(
        curveLeft,
        narrow ? '相似度' : '与这一行的相似度',
        narrow ? 'similarity' : 'similarity with this row',
      ),
      colorBar(scene, gutter, 24, Math.min(mapWidth, 200), context),
      ...rowTicks(scene).map((row) =>
        el(
          'text',
          {
            x: gutter - 8,
            y: titleHeight + (row + 0.5) * rowHeight + 4,
            class: 'px-small',
            'text-anchor': 'end',
            fill: color.muted,
          },
          row,
        ),
      ),
      heatmap({
        key: 'table',
        x: gutter,
        y: titleHeight,
        width: mapWidth,
        height,
        rows: positions,
        columns,
        values: scene.values,
        low: -1,
        high: 1,
        map: 'diverging',
        cell: scene.cell,
      }),
      ...drawCurve(scene, curveLeft, curveWidth, context),
      el('rect', {
        x: gutter - 1,
        y: rowTop - 1,
        width: mapWidth + 2,
        height: rowHeight + 2,
        fill: 'none',
        stroke: color.ink,
        'stroke-width': 1.5,
        'data-sym': 'm',
      }),
    ],
    handles: [knob(scene, rowTop + rowHeight / 2)],
  };
}

/** Numbers beside the rows, without those that the knob covers. */
function rowTicks({ position, positions }: Scene): number[] {
  return [0, 20, 40, 60, 80, positions - 1].filter((row) => Math.abs(row - position) > 6);
}

function knob({ position, positions }: Scene, y: number): Pressable {
  return handle({
    key: 'm',
    label: { zh: '位置 m', en: 'Position m' },
    value: position,
    min: 0,
    max: positions - 1,
    page: 10,
    text: String(position),
    x: 20,
    y,
    axis: 'y',
    up: 'less',
    move: (m) => ({ m }),
    at: (point) => ({ m: Math.floor((point.y - titleHeight) / rowHeight) }),
    nodes: [
      el('path', {
        d: `M2,${y - 13}H34L44,${y}L34,${y + 13}H2Z`,
        fill: color.accent,
        'stroke-linejoin': 'round',
        'data-sym': 'm',
      }),
      el(
        'text',
        { x: 19, y: y + 5, class: 'px-value', 'text-anchor': 'middle', fill: color.paper },
        position,
      ),
    ],
  });
}

function drawCurve(scene: Scene, left: number, width: number, { number }: DrawContext) {
  const { curve, position } = scene;
  const low = Math.min(0, Math.floor(Math.min(...curve) * 2) / 2);
  const x = scaleLinear([low, 1], [left + 4, left + width - 8]);
  const y = (row: number) => titleHeight + (row + 0.5) * rowHeight;
  const bottom = titleHeight + curve.length * rowHeight;
  const grid = [...new Set([low, 0, 0.5, 1])];
  return [
    ...grid.flatMap((value) => [
      el('line', {
        x1: x(value),
        x2: x(value),
        y1: titleHeight,
        y2: bottom,
        stroke: value === 0 ? color.line : color.grid,
      }),
      el(
        'text',
        { x: x(value), y: 36, class: 'px-small', 'text-anchor': 'middle', fill: color.muted },
        number(value, value % 1 ? 1 : 0),
      ),
    ]),
    el('path', {
      d: path(curve.map((value, row) => ({ x: x(value), y: y(row) }))),
      fill: 'none',
      stroke: color.score,
      'stroke-width': 2,
      'data-sym': 'similarity',
    }),
    el('circle', { cx: x(1), cy: y(position), r: 4, fill: color.score }),
  ];
}

function colorBar(
  { kind }: Scene,
  x: number,
  y: number,
  width: number,
  { number }: DrawContext,
): PictureNode {
  const steps = 32;
  const [left, right] = [x + 22, x + width - 18];
  const step = (right - left) / steps;
  const label = (at: number, value: number, anchor: string) =>
    el(
      'text',
      { x: at, y: y + 12, class: 'px-small', 'text-anchor': anchor, fill: color.muted },
      number(value, 0),
    );
  return el(
    'g',
    {},
    label(x, kind === 'binary' ? 0 : -1, 'start'),
    Array.from({ length: steps }, (_, i) =>
      el('rect', {
        x: left + i * step,
        y: y + 3,
        width: step + 0.5,
        height: 9,
        fill: mapColor('diverging', i / (steps - 1)),
      }),
    ),
    label(right + 6, 1, 'start'),
  );
}

/** One clock per pair of columns, fastest first, in lines from left to right. */
export function drawFaces({ faces, kind }: Scene, top: number, context: DrawContext): Part {
  const { width, narrow, pick } = context;
  const labelled = faces.length <= 16;
  const least = labelled ? 12 : 4;
  const across = Math.min(faces.length, (labelled ? 4 : 8) * (narrow ? 1 : 2));
  const size = Math.min(72, (width - least * (across - 1)) / across);
  const gap = Math.min(32, (width - size * across) / Math.max(1, across - 1));
  const pitch = size + (labelled ? 26 : least);
  const nodes = faces.flatMap((face, i) => {
    const x = (i % across) * (size + gap) + size / 2;
    const y = top + 24 + Math.floor(i / across) * pitch + size / 2;
    return [
      drawFace(face, x, y, size / 2 - 1),
      labelled &&
        el(
          'text',
          {
            x,
            y: y + size / 2 + 15,
            class: 'px-small',
            'text-anchor': 'middle',
            fill: color.muted,
          },
          periodText(face.period, context),
        ),
    ].filter((node) => node !== false);
  });
  const title =
    kind === 'binary'
      ? { zh: '每位一盏灯', en: 'one lamp a digit' }
      : { zh: '每对一只钟', en: 'one clock a pair' };
  const more = labelled
    ? { zh: '；下面是几个位置一圈', en: '; below: positions per turn' }
    : { zh: '；左上最快', en: '; the fastest first' };
  return {
    height: 24 + Math.ceil(faces.length / across) * pitch,
    handles: [],
    nodes: [
      el(
        'text',
        { x: 0, y: top + 14, class: 'px-small', fill: color.muted },
        pick(title) + pick(more),
      ),
      ...nodes,
    ],
  };
}

function drawFace({ hand, digit }: Face, x: number, y: number, radius: number): PictureNode {
  const dial = el('circle', {
    cx: x,
    cy: y,
    r: radius,
    fill: digit === 1 ? color.accent : color.panel,
    stroke: color.line,
  });
  if (!hand) {
    return el(
      'g',
      {},
      dial,
      el(
        'text',
        {
          x,
          y: y + 5,
          class: 'px-value',
          'text-anchor': 'middle',
          fill: digit === 1 ? color.paper : color.muted,
        },
        digit,
      ),
    );
  }
  const [tipX, tipY] = [x + hand.x * (radius - 4), y - hand.y * (radius - 4)];
  return el(
    'g',
    {},
    dial,
    el('line', { x1: x, x2: x, y1: y - radius, y2: y - radius + 4, stroke: color.muted }),
    el('line', {
      x1: x,
      y1: y,
      x2: tipX,
      y2: tipY,
      stroke: color.accent,
      'data-sym': 'hand',
      'stroke-width': 2.5,
      'stroke-linecap': 'round',
    }),
    el('circle', { cx: tipX, cy: tipY, r: 3, fill: color.accent }),
  );
}

/** A number of positions, short enough to stand below a clock. */
function periodText(period: number, { number }: Pick<DrawContext, 'number'>): string {
  if (period < 100) return number(period, period % 1 ? 1 : 0);
  return period < 1e6 ? number(period, 0) : `${number(period / 1e6, 1)}M`;
}

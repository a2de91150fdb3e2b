/** The attention matrices of “Shuffle the sentence”, before and after the reordering. */
import { color, el, heatmap, mapInk, type DrawContext, type PictureNode } from './frame.js';
import { textWidth } from './shuffle-chips.js';
import {
  heading,
  placeMark,
  seriesOf,
  tokenLabel,
  type Part,
  type Scene,
} from './shuffle-picture.js';

/** Height of the heading and the column labels above a matrix. */
const above = 46;
/** Smallest cells whose rows can carry a label. */
const labelledCell = 14;
/** Smallest cells that can carry their value. */
const valueCell = 34;

/** Side by side, or one above the other when the cells would be too small to label. */
export function drawMatrices(scene: Scene, top: number, context: DrawContext): Part {
  const { tokens, order, result, causal } = scene;
  const { width, narrow, pick } = context;
  const count = tokens.length;
  const gap = narrow ? 14 : 32;
  const panel = (width - gap) / 2;
  const room = Math.max(...tokens.map((token) => textWidth(token, 12))) + 32;
  const roomBeside = Math.min(narrow ? 46 : 80, room);
  const beside = Math.min(48, (panel - roomBeside) / count);
  const stacked = beside < labelledCell;
  const gutter = stacked ? Math.min(96, room) : roomBeside;
  const cell = stacked ? Math.min(20, (width - gutter) / count) : beside;
  const high = Math.max(...result.original.weights, ...result.shuffled.weights);
  const size = { gutter, cell, high, causal };
  const height = above + cell * count;
  const identity = tokens.map((_, i) => i);
  const original = pick({
    zh: '注意力权重：原句',
    en: narrow ? 'weights, original' : 'attention weights, original',
  });
  const shuffled = pick({
    zh: narrow ? '打乱后' : '注意力权重：打乱后',
    en: narrow ? 'shuffled' : 'attention weights, shuffled',
  });
  const place = stacked ? { x: 0, y: top + height + 16 } : { x: panel + gap, y: top };
  return {
    nodes: [
      heading(original, 0, top + 14),
      ...matrix(
        'original',
        tokens,
        identity,
        result.original.weights,
        { ...size, x: 0, y: top },
        context,
      ),
      heading(shuffled, place.x, place.y + 14),
      ...matrix('shuffled', tokens, order, result.shuffled.weights, { ...size, ...place }, context),
    ],
    height: stacked ? 2 * height + 16 : height,
  };
}

interface Place {
  readonly x: number;
  readonly y: number;
  /** Room for the row labels. */
  readonly gutter: number;
  readonly cell: number;
  /** The largest weight: full colour. */
  readonly high: number;
  /** Cells right of the diagonal are hidden by the mask, not zero by chance. */
  readonly causal: boolean;
}

function matrix(
  key: string,
  tokens: readonly string[],
  order: readonly number[],
  weights: Float32Array,
  { x, y, gutter, cell, high, causal }: Place,
  { number, pick }: DrawContext,
): PictureNode[] {
  const count = order.length;
  const [left, top] = [x + gutter, y + above];
  const nameOf = (place: number) => {
    const from = order[place] ?? 0;
    return `${tokens[from] ?? ''}${placeMark(from)}`;
  };
  const isHidden = (row: number, column: number) => causal && column > row;
  const shown = weights.map((weight, i) =>
    isHidden(Math.floor(i / count), i % count) ? NaN : weight,
  );
  const map = heatmap({
    key,
    x: left,
    y: top,
    width: cell * count,
    height: cell * count,
    rows: count,
    columns: count,
    values: shown,
    low: 0,
    high,
    map: 'sequential',
    cell: (row, column) => {
      const weight = number(weights[row * count + column] ?? 0, 3);
      const hidden = pick({ zh: '被掩码遮住', en: 'hidden by the mask' });
      return `${nameOf(row)} → ${nameOf(column)}: ${isHidden(row, column) ? hidden : weight}`;
    },
  });
  const marks = order.flatMap((from, place) =>
    marksOf(tokens[from] ?? '', from, place, { x: left, y: top, gutter, cell }),
  );
  const values = Array.from(cell >= valueCell ? shown : [], (value, i) =>
    el(
      'text',
      {
        x: left + ((i % count) + 0.5) * cell,
        y: top + (Math.floor(i / count) + 0.5) * cell + 4,
        class: 'px-small',
        'text-anchor': 'middle',
        fill: mapInk('sequential', (value || 0) / high),
      },
      Number.isNaN(value) ? '' : number(value, 2).replace(/^0/, ''),
    ),
  );
  return [map, ...marks, ...values];
}

/** Label and colour of one token, at its row and its column. */
function marksOf(
  token: string,
  from: number,
  place: number,
  { x, y, gutter, cell }: { x: number; y: number; gutter: number; cell: number },
): PictureNode[] {
  const start = place * cell + 1;
  const middle = (place + 0.5) * cell;
  const length = Math.max(1, cell - 2);
  const stripe = { fill: seriesOf(from) };
  const stripes = [
    el('rect', { ...stripe, x: x - 6, y: y + start, width: 4, height: length }),
    el('rect', { ...stripe, x: x + start, y: y - 6, width: length, height: 4 }),
  ];
  if (cell < labelledCell) return stripes;
  return [
    ...stripes,
    tokenLabel(token, from, { x: x - 11, y: y + middle + 4, room: gutter - 12, anchor: 'end' }),
    el(
      'text',
      { x: x + middle, y: y - 11, class: 'px-small', 'text-anchor': 'middle', fill: color.muted },
      from + 1,
    ),
  ];
}

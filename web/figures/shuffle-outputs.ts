/** The output bars of “Shuffle the sentence”: what a token gets after the reordering, and before. */
import { color, el, type DrawContext, type PictureNode } from './frame.js';
import { width as outputWidth } from './shuffle-model.js';
import {
  heading,
  scientific,
  seriesOf,
  tokenLabel,
  type Part,
  type Scene,
} from './shuffle-picture.js';

/** Pixels of the largest value, up and down. */
const reach = 26;
/** Height of one line of groups: bars and two lines of text. */
const pitch = 2 * reach + 58;
const gap = 12;

/** One group of bars per place in the reordered sentence, capped by where P·A(x) would be. */
export function drawOutputs(scene: Scene, top: number, context: DrawContext): Part {
  const { order, result } = scene;
  const { width, narrow, pick } = context;
  const most = Math.floor((width + gap) / ((narrow ? 84 : 100) + gap));
  const lines = Math.ceil(order.length / most);
  const across = Math.ceil(order.length / lines);
  const group = Math.min(160, (width - gap * (across - 1)) / across);
  const largest = Math.max(1e-6, ...[...result.shuffled.output, ...result.moved].map(Math.abs));
  const title = pick({
    zh: '打乱后每个字的输出：竖条是 A(Px)，短横是 P·A(x)',
    en: narrow
      ? 'outputs: bars A(Px), caps P·A(x)'
      : 'output of each token after the shuffle: bars A(Px), caps P·A(x)',
  });
  const groups = order.flatMap((_, place) => {
    const x = (place % across) * (group + gap);
    const y = top + 26 + Math.floor(place / across) * pitch;
    return drawGroup(scene, place, { x, y, width: group, largest }, context);
  });
  return { nodes: [heading(title, 0, top + 12), ...groups], height: 26 + lines * pitch };
}

function drawGroup(
  { tokens, order, result }: Scene,
  place: number,
  { x, y, width, largest }: { x: number; y: number; width: number; largest: number },
  context: DrawContext,
): PictureNode[] {
  const from = order[place] ?? 0;
  const middle = y + reach;
  const bar = width / outputWidth;
  const pixels = (values: Float32Array, i: number) =>
    ((values[place * outputWidth + i] ?? 0) / largest) * reach;
  const bars = Array.from({ length: outputWidth }, (_, i) => {
    const height = pixels(result.shuffled.output, i);
    const cap = middle - pixels(result.moved, i);
    return el(
      'g',
      {},
      el('rect', {
        x: x + i * bar + 0.5,
        y: middle - Math.max(0, height),
        width: bar - 1,
        height: Math.abs(height),
        fill: seriesOf(from),
        opacity: 0.55,
        'data-sym': 'shuffled',
      }),
      el('line', {
        x1: x + i * bar,
        x2: x + (i + 1) * bar,
        y1: cap,
        y2: cap,
        stroke: color.ink,
        'stroke-width': 1.5,
        'data-sym': 'moved',
      }),
    );
  });
  const difference = scientific(result.rowDifference[place] ?? 0, context);
  const below = middle + reach;
  return [
    el('line', { x1: x, x2: x + width, y1: middle, y2: middle, stroke: color.line }),
    ...bars,
    tokenLabel(tokens[from] ?? '', from, { x, y: below + 16, room: width, anchor: 'start' }),
    el(
      'text',
      { x, y: below + 32, class: 'px-small', fill: color.muted },
      `${context.pick({ zh: '差', en: 'Δ' })} ${difference}`,
    ),
  ];
}

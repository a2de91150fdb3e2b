/**
 * The frame that all figures share.
 *
 * A figure is one file with one default export made by `defineFigure`: its words, a typed state, at
 * most three controls and a pure function `draw(state, context)` that returns a picture as data,
 * the result in words, and the numbers as a table. The frame adds everything else: sizes, themes,
 * keyboard and drag, the announced sentence, reset, link, table, export, full screen, the state in
 * the URL, the static picture for pages without JavaScript, and an error box that helps.
 *
 * A figure module imports this file and types of `posenc`, nothing else. The smallest one:
 *
 * ```ts
 * import { color, defineFigure, el, handle, integer } from './frame.js';
 *
 * export default defineFigure({
 *   id: 'turn',
 *   key: 'f99',
 *   title: { zh: '位置就是转角', en: 'A position is a turn' },
 *   caption: { zh: '每走一格，指针转一弧度。', en: 'Every step turns the hand by one radian.' },
 *   state: { m: integer(0, 63, 7) },
 *   controls: [],
 *   draw({ m }, { posenc, number, width }) {
 *     const rope = posenc.encoding('rope', { headDim: 2 });
 *     const [x, y] = rope.rotate(Float32Array.of(1, 0), { shape: [1, 2], positions: m });
 *     const at = (position: number) => 22 + (position * (width - 44)) / 63;
 *     return {
 *       height: 160,
 *       nodes: [el('path', { d: `M60,60L${60 + 40 * x!},${60 - 40 * y!}`, stroke: color.q })],
 *       handles: [
 *         handle({
 *           key: 'm',
 *           label: { zh: '位置', en: 'Position' },
 *           value: m,
 *           min: 0,
 *           max: 63,
 *           text: String(m),
 *           x: at(m),
 *           y: 130,
 *           move: (value) => ({ m: value }),
 *           at: (point) => ({ m: ((point.x - 22) * 63) / (width - 44) }),
 *           nodes: [el('circle', { cx: at(m), cy: 130, r: 8, fill: color.q })],
 *         }),
 *       ],
 *       sentence: `cos ${m} = ${number(x!, 4)}`,
 *       table: { columns: ['m', 'cos', 'sin'], rows: [[m, x!, y!]] },
 *     };
 *   },
 * });
 * ```
 */
import { mountFigure } from './frame-mount.js';
import {
  initialState,
  parseState,
  patchState,
  serializeState,
  type Schema,
} from './frame-state.js';
import type { Figure, FigureDefinition } from './frame-types.js';

export { color, mapColor, mapInk } from './frame-color.js';
export { action, segmented, slider, textInput, toggle } from './frame-controls.js';
export { drawContext } from './frame-context.js';
export { button, el, handle, heatmap, path } from './frame-picture.js';
export { axisBottom, scaleLinear, scaleLog, type Scale } from './frame-scale.js';
export { choice, flag, graphemes, integer, list, real, text, type State } from './frame-state.js';
export type { DrawContext, Drawing, Language, Table, Words } from './frame-types.js';
export type { PictureNode, Point, Pressable } from './frame-picture.js';

const MAX_CONTROLS = 3;
const MAX_ACTIONS = 1;

/** Completes a definition with state in links and with `mount`. Throws when it has too many controls. */
export function defineFigure<const T extends Schema>(definition: FigureDefinition<T>): Figure<T> {
  const { state: schema, controls } = definition;
  const actions = controls.filter(({ kind }) => kind === 'action').length;
  if (actions > MAX_ACTIONS || controls.length - actions > MAX_CONTROLS)
    throw new Error(`Figure ${definition.id}: at most three controls and one action`);
  const figure: Figure<T> = {
    ...definition,
    initial: initialState(schema),
    // Clean once more: a value read from a link is as good as one set by hand.
    parse: (source) => patchState(schema, initialState(schema), parseState(schema, source)),
    serialize: (state) => serializeState(schema, state),
    mount: (element, options) => mountFigure(figure, element, options),
  };
  return figure;
}

/** The parts of the picture of “Two hands”: dial, score meter, ruler, small dials. */
import { color, el, handle, scaleLinear } from './frame.js';
import type { DrawContext, PictureNode, Point, Pressable } from './frame.js';
import { LAST_POSITION, type Hands, type Placement } from './two-hands-model.js';

type Vector = readonly [number, number];
type Side = 'q' | 'k';

/** The large dial: both hands, where they started, and the angle between them. */
export function dial(at: Point, radius: number, here: Placement, hands: Hands): PictureNode[] {
  const start = hands.at(0, 0);
  const ticks = Array.from({ length: 24 }, (_, i) => {
    const inner = polar(at, (i * Math.PI) / 12, radius - (i % 6 === 0 ? 10 : 5));
    const outer = polar(at, (i * Math.PI) / 12, radius);
    return el('line', { x1: inner.x, y1: inner.y, x2: outer.x, y2: outer.y, stroke: color.line });
  });
  const length = radius - 16;
  return [
    el('circle', { cx: at.x, cy: at.y, r: radius, fill: color.paper, stroke: color.line }),
    ...ticks,
    wedge(at, here, radius * 0.46),
    ghost(at, start.query, length, color.q),
    ghost(at, start.key, length, color.k),
    hand(at, here.key, length, 'k'),
    hand(at, here.query, length, 'q'),
    el('circle', { cx: at.x, cy: at.y, r: 5, fill: color.ink }),
    ...names(at, here, radius + 16),
  ];
}

/** The score as a number and on a scale from −1 to 1, and the angles it comes from. */
export function scoreMeter(
  at: Point & { readonly width: number },
  here: Placement,
  frequency: number,
  { number, pick, narrow }: DrawContext,
): PictureNode[] {
  const { x, y, width } = at;
  const scale = scaleLinear([-1, 1], [x + 8, x + width - 8]);
  const bar = y + (narrow ? 58 : 66);
  const turn = (position: number) =>
    `${position} × ${frequency} = ${number(position * frequency, 3)}`;
  const angles = [
    { sym: 'q', fill: color.q, text: pick({ zh: 'q 转了 ', en: 'q turned by ' }) + turn(here.m) },
    { sym: 'k', fill: color.k, text: pick({ zh: 'k 转了 ', en: 'k turned by ' }) + turn(here.n) },
    {
      sym: 'distance',
      fill: color.score,
      text:
        pick({ zh: '相差 ', en: 'difference ' }) +
        turn(here.m - here.n).replaceAll('-', '−') +
        pick({ zh: ' 弧度', en: ' rad' }),
    },
  ];
  return [
    el('text', { x, y, class: 'px-label px-muted' }, pick({ zh: '分数 q·k', en: 'Score q·k' })),
    el('text', { x, y: y + 38, class: 'px-huge', 'data-sym': 'score' }, number(here.score, 5)),
    el('line', { x1: scale(-1), x2: scale(1), y1: bar, y2: bar, class: 'px-groove' }),
    el('line', { x1: scale(0), x2: scale(here.score), y1: bar, y2: bar, class: 'px-fill' }),
    [-1, 0, 1].map((tick) => [
      el('line', {
        x1: scale(tick),
        x2: scale(tick),
        y1: bar - 6,
        y2: bar + 6,
        stroke: color.line,
      }),
      el(
        'text',
        { x: scale(tick), y: bar + 22, class: 'px-small px-muted', 'text-anchor': 'middle' },
        String(tick).replace('-', '−'),
      ),
    ]),
    el('circle', { cx: scale(here.score), cy: bar, r: 7, fill: color.score, stroke: color.panel }),
    angles.map(({ sym, fill, text }, i) =>
      el('text', { x, y: bar + 56 + i * 23, class: 'px-value', fill, 'data-sym': sym }, text),
    ),
  ].flat(2);
}

interface HandsOnRuler {
  readonly m: number;
  readonly n: number;
  readonly lock: boolean;
}

/** The ruler of positions: q hangs above it, k stands below, a bracket spans the distance. */
export function ruler(
  y: number,
  now: HandsOnRuler,
  { width, narrow, pick }: DrawContext,
  move: (patch: { m?: number; n?: number }) => Readonly<Record<string, unknown>>,
): { nodes: PictureNode[]; handles: Pressable[] } {
  const { m, n, lock } = now;
  const scale = scaleLinear([0, LAST_POSITION], [22, width - 22]);
  const distance = m - n;
  // With the distance locked a hand can go no further than its partner lets it.
  const range = (partner: number) =>
    lock
      ? [Math.max(0, partner), Math.min(LAST_POSITION, LAST_POSITION + partner)]
      : [0, LAST_POSITION];
  const ticks = Array.from({ length: LAST_POSITION + 1 }, (_, t) => {
    const long = t % 8 === 0 || t === LAST_POSITION;
    const numbered = t % (narrow ? 16 : 8) === 0 || t === LAST_POSITION;
    return [
      el('line', {
        x1: scale(t),
        x2: scale(t),
        y1: y - (long ? 7 : 3.5),
        y2: y + (long ? 7 : 3.5),
        stroke: color.line,
      }),
      numbered &&
        el(
          'text',
          { x: scale(t), y: y + 62, class: 'px-small px-muted', 'text-anchor': 'middle' },
          t,
        ),
    ];
  });
  const pin = (side: Side, position: number): PictureNode[] => {
    const up = side === 'q' ? -1 : 1;
    const x = scale(position);
    return [
      el('path', {
        d: `M${x},${y + up * 3}l-6,${up * 11}h12z`,
        fill: color[side],
        'data-sym': side,
      }),
      el('circle', { cx: x, cy: y + up * 24, r: 13, fill: color[side], 'data-sym': side }),
      el(
        'text',
        { x, y: y + up * 24 + 5, class: 'px-knob', 'text-anchor': 'middle', fill: color.panel },
        side,
      ),
    ];
  };
  const slide = (side: Side, name: 'm' | 'n', value: number): Pressable => {
    const [min, max] = range(side === 'q' ? distance : -distance) as [number, number];
    return handle({
      key: name,
      label: pick(
        side === 'q'
          ? { zh: 'q 的位置 m', en: 'Position m of q' }
          : { zh: 'k 的位置 n', en: 'Position n of k' },
      ),
      value,
      min,
      max,
      page: 8,
      text: String(value),
      x: scale(value),
      y: y + (side === 'q' ? -24 : 24),
      move: (to) => move({ [name]: to }),
      at: (point) => move({ [name]: Math.round(scale.invert(point.x)) }),
      nodes: pin(side, value),
    });
  };
  const [left, right] = [scale(Math.min(m, n)), scale(Math.max(m, n))];
  return {
    nodes: [
      el('line', { x1: scale(0), x2: scale(LAST_POSITION), y1: y, y2: y, stroke: color.line }),
      ...ticks.flat().filter((node) => node !== false),
      el('line', {
        x1: left,
        x2: right,
        y1: y,
        y2: y,
        class: lock ? 'px-span' : 'px-span px-span-open',
        'data-sym': 'distance',
      }),
      el(
        'text',
        {
          x: width - 4,
          y: y - 46,
          class: 'px-value',
          'text-anchor': 'end',
          fill: color.score,
          'data-sym': 'distance',
        },
        `m − n = ${String(distance).replace('-', '−')}`,
      ),
      el(
        'text',
        { x: 4, y: y - 46, class: 'px-label px-muted' },
        pick({ zh: '尺子：拖动 q 和 k', en: 'Ruler: drag q and k' }),
      ),
    ],
    handles: [slide('q', 'm', m), slide('k', 'n', n)],
  };
}

/** A small dial of one placement with its score. */
export function miniDial(at: Point, place: Placement, { number }: DrawContext): PictureNode[] {
  const radius = 22;
  return [
    el('circle', { cx: at.x, cy: at.y, r: radius, fill: color.paper, stroke: color.line }),
    wedge(at, place, radius - 6),
    hand(at, place.key, radius - 2, 'k', 2),
    hand(at, place.query, radius - 2, 'q', 2),
    el(
      'text',
      { x: at.x, y: at.y + radius + 18, class: 'px-small px-muted', 'text-anchor': 'middle' },
      `${place.m}, ${place.n}`,
    ),
    el(
      'text',
      {
        x: at.x,
        y: at.y + radius + 36,
        class: 'px-value',
        'text-anchor': 'middle',
        'data-sym': 'score',
      },
      number(place.score, 4),
    ),
  ];
}

const polar = (at: Point, angle: number, length: number): Point =>
  tip(at, [Math.cos(angle), Math.sin(angle)], length);

/** The y axis of a screen points down, that of the formula up. */
const tip = (at: Point, [x, y]: Vector, length: number): Point => ({
  x: at.x + x * length,
  y: at.y - y * length,
});

const angleOf = ([x, y]: Vector) => Math.atan2(y, x);

/** The signed angle from k to q, the short way round. */
const between = ({ query, key }: Placement) =>
  Math.atan2(key[0] * query[1] - key[1] * query[0], key[0] * query[0] + key[1] * query[1]);

function hand(
  at: Point,
  direction: Vector,
  length: number,
  side: Side,
  thickness = 4,
): PictureNode {
  const end = tip(at, direction, length);
  const shaft = tip(at, direction, length - thickness * 2.2);
  const [wingX, wingY] = [direction[1] * thickness * 1.5, direction[0] * thickness * 1.5];
  return el(
    'g',
    { 'data-sym': side },
    el('line', {
      x1: at.x,
      y1: at.y,
      x2: shaft.x,
      y2: shaft.y,
      stroke: color[side],
      'stroke-width': thickness,
    }),
    el('path', {
      d: `M${end.x},${end.y}L${shaft.x - wingX},${shaft.y - wingY}L${shaft.x + wingX},${shaft.y + wingY}z`,
      fill: color[side],
    }),
  );
}

function ghost(at: Point, direction: Vector, length: number, stroke: string): PictureNode {
  const end = tip(at, direction, length);
  return el('line', { x1: at.x, y1: at.y, x2: end.x, y2: end.y, stroke, class: 'px-ghost' });
}

function wedge(at: Point, place: Placement, radius: number): PictureNode {
  const angle = between(place);
  const [from, to] = [angleOf(place.key), angleOf(place.key) + angle].map((a) =>
    polar(at, a, radius),
  );
  const sweep = angle > 0 ? 0 : 1;
  return el('path', {
    d: `M${at.x},${at.y}L${from!.x},${from!.y}A${radius},${radius} 0 0 ${sweep} ${to!.x},${to!.y}z`,
    class: 'px-wedge',
    'data-sym': 'distance',
  });
}

/** Names at the tips; they keep apart when the hands lie over each other. */
function names(at: Point, here: Placement, length: number): PictureNode[] {
  const angle = between(here);
  const apart = Math.max(0, 0.22 - Math.abs(angle)) / 2;
  const side = angle >= 0 ? 1 : -1;
  const places = [
    { name: 'q', index: 'm', angle: angleOf(here.query) + side * apart },
    { name: 'k', index: 'n', angle: angleOf(here.key) - side * apart },
  ] as const;
  return places.map(({ name, index, angle: direction }) => {
    const { x, y } = polar(at, direction, length);
    const place = { x, y: y + 5, class: 'px-name', 'text-anchor': 'middle', fill: color[name] };
    const subscript = el('tspan', { dy: 4, 'font-size': 12 }, index);
    return el('text', { ...place, 'data-sym': name }, name, subscript);
  });
}

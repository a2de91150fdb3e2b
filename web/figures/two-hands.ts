/** F10: with the distance locked both hands spin, and the score does not move a digit. */
import {
  action,
  choice,
  color,
  defineFigure,
  el,
  flag,
  integer,
  segmented,
  toggle,
} from './frame.js';
import type { DrawContext, PictureNode, State } from './frame.js';
import { dial, miniDial, ruler, scoreMeter } from './two-hands-picture.js';
import { LAST_POSITION, PAIRS, placements, spread, turnHands } from './two-hands-model.js';
import type { Placement } from './two-hands-model.js';

const state = {
  m: integer(0, LAST_POSITION, 12),
  n: integer(0, LAST_POSITION, 5),
  lock: flag(true),
  pair: choice(PAIRS, '1'),
  key: choice(['alike', 'across', 'opposite'], 'alike'),
};
type HandsState = State<typeof state>;

export default defineFigure({
  id: 'two-hands',
  key: 'f10',
  variant: 'lite',
  title: {
    zh: '距离不变，分数就不变',
    en: 'Same distance, same score',
  },
  caption: {
    zh: 'RoPE 按位置转动 q 和 k。锁住它们的距离一起往后走：两根指针都在转，夹角不动，分数一位也不变。',
    en: 'RoPE turns q and k by their positions. Lock their distance and walk: both hands spin, the angle between them stays, and so does every digit of the score.',
  },
  state,
  controls: [
    toggle('lock', { zh: '锁住距离', en: 'Lock distance' }),
    segmented(
      'pair',
      { zh: '第几对维度', en: 'Pair of dimensions' },
      Object.fromEntries(PAIRS.map((pair) => [pair, pair])),
    ),
    segmented(
      'key',
      { zh: 'k 的内容和 q', en: 'k against q' },
      {
        alike: { zh: '相近', en: 'alike' },
        across: { zh: '垂直', en: 'across' },
        opposite: { zh: '相反', en: 'opposite' },
      },
    ),
    action('walk', { zh: '一起走一步', en: 'Step both' }, walk),
  ],
  draw(now, context) {
    const { number, pick, width, narrow } = context;
    const { m, n } = now;
    const hands = turnHands(context.posenc, Number(now.pair), now.key);
    const here = hands.at(m, n);
    const same = placements(hands, m - n);
    const difference = spread(same);

    const radius = narrow ? 92 : 98;
    const dialAt = { x: narrow ? width / 2 : radius + 34, y: radius + 24 };
    const meterAt = narrow
      ? { x: 16, y: dialAt.y + radius + 34, width: width - 32 }
      : { x: 2 * radius + 96, y: 46, width: width - 2 * radius - 116 };
    const rulerY = narrow ? meterAt.y + 240 : dialAt.y + radius + 76;
    const rule = ruler(rulerY, now, context, (patch) => moveHand(now, patch));
    const stripY = rulerY + 132;

    return {
      height: stripY + 64,
      nodes: [
        ...dial(dialAt, radius, here, hands),
        ...scoreMeter(meterAt, here, hands.frequency, context),
        ...rule.nodes,
        ...strip(stripY, same, context),
      ],
      handles: rule.handles,
      sentence: {
        zh:
          `q 在位置 ${m}，k 在位置 ${n}，相隔 ${m - n}：分数 ${number(here.score, 5)}。` +
          `保持这段距离，尺子上一共放得下 ${same.length} 处，逐处算过，分数最大相差 ${number(difference, 8)}，只是单精度的舍入。`,
        en:
          `q stands at ${m}, k at ${n}, distance ${number(m - n, 0)}: score ${number(here.score, 5)}. ` +
          `This distance fits on the ruler in ${same.length} places; over all of them the score differs by at most ${number(difference, 8)}, the rounding of float32.`,
      },
      table: {
        columns: [
          { zh: 'm（q 的位置）', en: 'm (position of q)' },
          { zh: 'n（k 的位置）', en: 'n (position of k)' },
          'q₁',
          'q₂',
          'k₁',
          'k₂',
          { zh: '分数 q·k', en: 'score q·k' },
        ],
        rows: same.map((p) => [p.m, p.n, ...p.query, ...p.key, p.score]),
        digits: 5,
      },
      legend: [
        {
          sym: 'q',
          mark: 'line',
          color: color.q,
          label: { zh: 'q，转了 mω', en: 'q, turned by mω' },
        },
        {
          sym: 'k',
          mark: 'line',
          color: color.k,
          label: { zh: 'k，转了 nω', en: 'k, turned by nω' },
        },
        {
          sym: 'distance',
          mark: 'box',
          color: color.score,
          label: { zh: '夹角，只看 m − n', en: 'angle, set by m − n alone' },
        },
        {
          mark: 'dash',
          color: color.muted,
          label: { zh: '没转时（位置 0）', en: 'unturned (position 0)' },
        },
      ],
    };

    function strip(y: number, places: readonly Placement[], ctx: DrawContext): PictureNode[] {
      const count = Math.min(narrow ? 4 : 8, places.length);
      const shown = Array.from(
        { length: count },
        (_, i) => places[Math.round((i * (places.length - 1)) / Math.max(1, count - 1))]!,
      );
      const step = (width - 8) / (narrow ? 4 : 8);
      return [
        el(
          'text',
          { x: 4, y: y - 38, class: 'px-small px-muted' },
          pick({
            zh: '同样的距离，放在尺子别处：',
            en: 'The same distance elsewhere on the ruler:',
          }),
        ),
        ...shown.flatMap((place, i) => miniDial({ x: 4 + step * (i + 0.5), y }, place, ctx)),
      ];
    }
  },
});

/** Moves one hand; with the distance locked the other one follows, and both stay on the ruler. */
function moveHand(now: HandsState, patch: Partial<Pick<HandsState, 'm' | 'n'>>) {
  const distance = now.m - now.n;
  const wanted = patch.m ?? (patch.n ?? now.n) + distance;
  if (!now.lock) return patch;
  const m = Math.min(
    LAST_POSITION + Math.min(0, distance),
    Math.max(Math.max(0, distance), Math.round(wanted)),
  );
  return { m, n: m - distance };
}

/** One step on with the distance kept; from the end of the ruler back to its start. */
function walk({ m, n }: HandsState): Partial<HandsState> {
  const back = Math.max(m, n) === LAST_POSITION ? Math.min(m, n) : -1;
  return { m: m - back, n: n - back };
}

/** F3, “A wall of clocks”: the sinusoidal table, its clocks, and how alike its rows are. */
import {
  choice,
  defineFigure,
  flag,
  integer,
  real,
  segmented,
  slider,
  toggle,
  type DrawContext,
  type Table,
  type Words,
} from './frame.js';
import {
  bit,
  bitSimilarity,
  flips,
  rowOf,
  similarities,
  turns,
  wallOf,
  type Wall,
} from './clocks-model.js';
import { drawFaces, drawTable, type Scene } from './clocks-picture.js';

/** Rows of the heat map: what the chapter's similarity numbers speak of. */
const positions = 100;

export default defineFigure({
  id: 'clocks',
  key: 'f3',
  title: { zh: '一个位置，一墙时钟', en: 'A position is a wall of clocks' },
  caption: {
    zh: '快的指针分辨邻居，慢的指针分辨远近。相邻两行总是一样像，无论在哪里；换成二进制，同样的图案会跳变。',
    en: 'Fast hands tell neighbours apart, slow hands tell far from near. Neighbouring rows are equally alike everywhere; the binary counter has the same pattern with jumps.',
  },
  variant: 'lite',
  state: {
    m: integer(0, positions - 1, 37),
    base: real(10, 1e7, 10000),
    d: choice(['8', '16', '32', '64', '128'], '32'),
    binary: flag(false),
  },
  controls: [
    slider('base', { zh: '底数', en: 'Base' }, { log: true, format: (base) => String(base) }),
    segmented(
      'd',
      { zh: '宽度 d', en: 'Width d' },
      { '8': '8', '16': '16', '32': '32', '64': '64', '128': '128' },
    ),
    toggle('binary', { zh: '换成二进制', en: 'Binary counter' }),
  ],
  draw({ m, base, d, binary }, context) {
    const wall = wallOf(context.posenc, positions, Number(d), base);
    const scene = binary ? binaryScene(wall, m, context) : clockScene(wall, m, context);
    const table = drawTable(scene, context);
    const faces = drawFaces(scene, table.height, context);
    return {
      height: table.height + faces.height,
      nodes: [...table.nodes, ...faces.nodes],
      handles: table.handles,
      sentence: binary
        ? binarySentence(wall, m, scene, context)
        : clockSentence(wall, m, scene, context),
      table: binary ? binaryTable(scene, m) : clockTable(wall, m),
    };
  },
});

function clockScene(wall: Wall, position: number, { number, pick }: DrawContext): Scene {
  const row = rowOf(wall, position);
  return {
    kind: 'clocks',
    values: wall.table,
    positions,
    columns: wall.width,
    position,
    curve: similarities(wall, position),
    faces: Array.from(wall.speeds, (speed, i) => ({
      hand: { x: row[2 * i] ?? 0, y: row[2 * i + 1] ?? 0 },
      digit: null,
      period: (2 * Math.PI) / speed,
    })),
    cell: (m, column) => {
      const name = column % 2 ? 'cos' : 'sin';
      const value = number(wall.table[m * wall.width + column] ?? 0, 3);
      return pick({
        zh: `位置 ${m}，第 ${Math.floor(column / 2)} 对 ${name}：${value}`,
        en: `position ${m}, pair ${Math.floor(column / 2)} ${name}: ${value}`,
      });
    },
  };
}

/** As many binary digits as there are clocks, lowest first, drawn as −1 and 1. */
function binaryScene({ width }: Wall, position: number, { pick }: DrawContext): Scene {
  const digits = width / 2;
  return {
    kind: 'binary',
    values: Array.from(
      { length: positions * digits },
      (_, i) => 2 * bit(Math.floor(i / digits), i % digits) - 1,
    ),
    positions,
    columns: digits,
    position,
    curve: Array.from({ length: positions }, (_, other) => bitSimilarity(position, other, digits)),
    faces: Array.from({ length: digits }, (_, column) => ({
      hand: null,
      digit: bit(position, column),
      period: 2 ** (column + 1),
    })),
    cell: (m, column) =>
      pick({
        zh: `位置 ${m}，第 ${column} 位：${bit(m, column)}`,
        en: `position ${m}, digit ${column}: ${bit(m, column)}`,
      }),
  };
}

/** The neighbour that the sentence speaks of: the one before, or position 1 for position 0. */
const neighbourOf = (position: number): number => (position === 0 ? 1 : position - 1);

function clockSentence(wall: Wall, m: number, { curve }: Scene, { number }: DrawContext): Words {
  const [fast, slow] = [wall.speeds[0] ?? 0, wall.speeds.at(-1) ?? 0].map((s) => turns(s, m));
  const near = number(curve[neighbourOf(m)] ?? 0, 3);
  const first = number(curve[0] ?? 0, 3);
  return {
    zh: `位置 ${m}：最快的钟转了 ${number(fast ?? 0, 2)} 圈，最慢的转了 ${number(slow ?? 0, 4)} 圈；与位置 ${neighbourOf(m)} 的相似度 ${near}，与位置 0 的相似度 ${first}。`,
    en: `Position ${m}: the fastest clock has turned ${number(fast ?? 0, 2)} times, the slowest ${number(slow ?? 0, 4)} times; similarity with position ${neighbourOf(m)} is ${near}, with position 0 ${first}.`,
  };
}

function binarySentence(wall: Wall, m: number, { curve }: Scene, { number }: DrawContext): Words {
  const neighbour = neighbourOf(m);
  const count = flips(m, neighbour, wall.width / 2);
  const near = number(curve[neighbour] ?? 0, 3);
  return {
    zh: `位置 ${m} 的二进制是 ${m.toString(2)}；与位置 ${neighbour} 差 ${count} 位，相似度 ${near}。`,
    en: `Position ${m} is ${m.toString(2)} in binary; it differs from position ${neighbour} in ${count} digits, similarity ${near}.`,
  };
}

function clockTable(wall: Wall, m: number): Table {
  const row = rowOf(wall, m);
  return {
    columns: [
      { zh: '对', en: 'Pair' },
      { zh: '转一圈要几个位置', en: 'Positions per turn' },
      { zh: '已转圈数', en: 'Turns' },
      'sin',
      'cos',
    ],
    rows: Array.from(wall.speeds, (speed, i) => [
      i,
      (2 * Math.PI) / speed,
      turns(speed, m),
      row[2 * i] ?? 0,
      row[2 * i + 1] ?? 0,
    ]),
  };
}

function binaryTable({ faces }: Scene, m: number): Table {
  return {
    columns: [
      { zh: '位', en: 'Digit' },
      { zh: '几个位置一个来回', en: 'Positions per cycle' },
      { zh: '值', en: 'Value' },
    ],
    rows: faces.map(({ period }, column) => [column, period, bit(m, column)]),
    digits: 0,
  };
}

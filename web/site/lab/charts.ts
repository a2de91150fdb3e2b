/** The loss and the accuracy of learners, drawn as pictures of the figures are. */
import { labEncodingTitles, type LabEncodingName, type Score } from 'posenc/lab';
import {
  axisBottom,
  color,
  el,
  path,
  scaleLinear,
  scaleLog,
  type Drawing,
  type Scale,
} from '../../figures/frame.js';
import type { Language, PictureNode } from '../../figures/frame.js';
import { formatNumber } from '../../figures/frame-words.js';
import { markOf, pointNode } from './marks.js';

/** As much of a learner as charts show. */
export interface Curve {
  readonly id: string;
  readonly encoding: LabEncodingName;
  readonly losses: readonly number[];
  readonly scores: readonly Score[];
}

const MARGIN = { top: 30, right: 16, bottom: 46, left: 46 };
const HEIGHT = 270;
const NARROW_HEIGHT = 230;
const NARROW = 520;
/** Points of a loss curve; each is the mean of as many steps as fall on it. */
const POINTS = 160;
/** Smaller losses are drawn at the bottom. */
const LEAST_LOSS = 1e-3;

const step = { zh: '步', en: 'step' };

/** Where a chart stands in its picture. */
function frameOf(width: number) {
  const height = width < NARROW ? NARROW_HEIGHT : HEIGHT;
  return {
    height,
    left: MARGIN.left,
    right: width - MARGIN.right,
    top: MARGIN.top,
    bottom: height - MARGIN.bottom,
  };
}

type Frame = ReturnType<typeof frameOf>;

/** Means of equal parts, at most so many. */
export function thin(values: readonly number[], most = POINTS): { step: number; value: number }[] {
  const each = Math.max(1, Math.ceil(values.length / most));
  return Array.from({ length: Math.ceil(values.length / each) }, (_, i) => {
    const part = values.slice(i * each, (i + 1) * each);
    return { step: i * each + part.length, value: part.reduce((a, b) => a + b, 0) / part.length };
  });
}

function rows(
  y: Scale,
  ticks: readonly number[],
  { left, right }: Frame,
  format: (value: number) => string,
) {
  return ticks.map((tick) => [
    el('line', { x1: left, x2: right, y1: y(tick), y2: y(tick), stroke: color.grid }),
    el(
      'text',
      { x: left - 8, y: y(tick) + 4, class: 'px-small px-muted', 'text-anchor': 'end' },
      format(tick),
    ),
  ]);
}

const legendOf = (curves: readonly Curve[], lang: Language): Drawing['legend'] =>
  curves.map(({ encoding }) => {
    const { color, dash } = markOf(encoding);
    return {
      label: labEncodingTitles[encoding][lang],
      color,
      mark: dash === null ? 'line' : 'dash',
    };
  });

/** Loss by step, on a logarithmic axis. */
export function lossChart(
  curves: readonly Curve[],
  steps: number,
  width: number,
  lang: Language,
): Drawing {
  const frame = frameOf(width);
  const { left, right, top, bottom, height } = frame;
  const thinned = curves.map(({ losses }) => thin(losses));
  const values = thinned.flat().map(({ value }) => value);
  const high = Math.max(4, ...values);
  const low = Math.max(LEAST_LOSS, Math.min(0.5, ...values) / 1.3);
  const x = scaleLinear([0, steps], [left, right]);
  const y = scaleLog([low, high * 1.1], [bottom, top]);
  const ticks = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10].filter(
    (tick) => tick >= low && tick <= high * 1.1,
  );
  const lines = curves.map(({ encoding }, i) => {
    const { color: stroke, dash } = markOf(encoding);
    const points = thinned[i]!.map(({ step, value }) => ({
      x: x(step),
      y: y(Math.max(low, value)),
    }));
    return el('path', {
      ...{ d: path(points), fill: 'none', stroke, 'stroke-width': 2 },
      ...{ 'stroke-dasharray': dash, 'stroke-linejoin': 'round' },
    });
  });
  const last = curves.flatMap((curve, i) => {
    const end = thinned[i]!.at(-1);
    return end === undefined
      ? []
      : [{ name: labEncodingTitles[curve.encoding], end, steps: curve.losses.length }];
  });
  return {
    height,
    nodes: [
      ...rows(y, ticks, frame, String).flat(),
      axisBottom(x, {
        y: bottom,
        from: left,
        to: right,
        ticks: x.ticks(width < NARROW ? 4 : 6),
        label: step[lang],
      }),
      ...lines,
    ],
    legend: legendOf(curves, lang)!,
    sentence:
      last.length === 0
        ? { zh: '还没有开始。', en: 'Nothing has begun yet.' }
        : {
            zh: `损失：${last.map(({ name, end, steps }) => `${name.zh} 第 ${steps} 步 ${formatNumber(end.value)}`).join('，')}。`,
            en: `Loss: ${last.map(({ name, end, steps }) => `${name.en} ${formatNumber(end.value)} at step ${steps}`).join(', ')}.`,
          },
    table: {
      columns: [step, ...curves.map(({ encoding }) => labEncodingTitles[encoding])],
      rows: lossRows(curves),
    },
  };
}

/** Twenty rows at most: a table is to be read. */
const TABLE_ROWS = 20;

function lossRows(curves: readonly Curve[]): (string | number)[][] {
  const longest = Math.max(0, ...curves.map(({ losses }) => losses.length));
  const each = Math.max(1, Math.ceil(longest / TABLE_ROWS));
  return Array.from({ length: Math.ceil(longest / each) }, (_, i) => {
    const from = i * each;
    return [
      Math.min(longest, from + each),
      ...curves.map(({ losses }) => {
        const part = losses.slice(from, from + each);
        return part.length === 0 ? '' : part.reduce((a, b) => a + b, 0) / part.length;
      }),
    ];
  });
}

/** Share of right answers by size, with the sizes that were trained shaded. */
export function accuracyChart(
  curves: readonly Curve[],
  options: {
    readonly train: readonly [number, number];
    readonly test: readonly number[];
    /** Whole answers, or of texts their tokens. */
    readonly measure: 'exact' | 'tokens';
  },
  width: number,
  lang: Language,
): Drawing {
  const { train, test, measure } = options;
  const frame = frameOf(width);
  const { left, right, top, bottom, height } = frame;
  const ends = [Math.min(train[0], ...test), Math.max(train[1], ...test)] as const;
  const room = Math.max(1, (ends[1] - ends[0]) * 0.04);
  const x = scaleLinear([ends[0] - room, ends[1] + room], [left, right]);
  const y = scaleLinear([0, 1], [bottom, top]);
  const edge = x(train[1]);
  const percent = (share: number) => `${Math.round(share * 100)}%`;
  const lines = curves.map(({ encoding, scores }) => {
    const mark = markOf(encoding);
    const points = scores.map((score) => ({ x: x(score.size), y: y(score[measure]) }));
    return el(
      'g',
      {},
      el('path', {
        ...{ d: path(points), fill: 'none', stroke: mark.color, 'stroke-width': 2 },
        'stroke-dasharray': mark.dash,
      }),
      points.map((point) => pointNode(mark, point.x, point.y)),
    );
  });
  const size = { zh: '长度', en: 'size' };
  return {
    height,
    nodes: [
      el('rect', {
        x: left,
        y: top,
        width: Math.max(0, edge - left),
        height: bottom - top,
        fill: color.accentSoft,
      }),
      ...rows(y, [0, 0.25, 0.5, 0.75, 1], frame, percent).flat(),
      ...trainedEdge(edge, frame, train[1], lang),
      axisBottom(x, {
        y: bottom,
        from: left,
        to: right,
        ticks: axisTicks(test, x),
        label: size[lang],
      }),
      ...lines,
    ],
    legend: legendOf(curves, lang)!,
    sentence: accuracySentence(curves, options),
    table: {
      columns: [size, ...curves.map(({ encoding }) => labEncodingTitles[encoding])],
      rows: test.map((tried) => [
        tried,
        ...curves.map(({ scores }) => scores.find(({ size }) => size === tried)?.[measure] ?? ''),
      ]),
    },
  };
}

/** Sizes whose numbers do not touch. */
function axisTicks(sizes: readonly number[], x: Scale): number[] {
  const kept: number[] = [];
  for (const size of sizes) {
    if (kept.length === 0 || x(size) - x(kept.at(-1)!) >= 26) kept.push(size);
  }
  return kept;
}

/** The line at the largest trained size; its name stands where there is more room. */
function trainedEdge(
  x: number,
  { top, bottom, left, right }: Frame,
  size: number,
  lang: Language,
): PictureNode[] {
  const name = { zh: `练到 ${size}`, en: `trained to ${size}` };
  const before = x - left > (right - left) / 2;
  return [
    el('line', { x1: x, x2: x, y1: top - 20, y2: bottom, stroke: color.ink, 'stroke-width': 1.5 }),
    el(
      'text',
      {
        x: before ? x - 6 : x + 6,
        y: top - 8,
        class: 'px-label',
        'text-anchor': before ? 'end' : 'start',
      },
      name[lang],
    ),
  ];
}

function accuracySentence(
  curves: readonly Curve[],
  {
    train,
    test,
    measure,
  }: { train: readonly [number, number]; test: readonly number[]; measure: 'exact' | 'tokens' },
): Drawing['sentence'] {
  const longest = Math.max(...test);
  const known = curves.flatMap(({ encoding, scores }) => {
    const at = (wanted: number) => scores.find(({ size }) => size === wanted)?.[measure];
    const [inside, outside] = [at(train[1]), at(longest)];
    if (inside === undefined || outside === undefined) return [];
    return [
      {
        name: labEncodingTitles[encoding],
        inside: Math.round(100 * inside),
        outside: Math.round(100 * outside),
      },
    ];
  });
  if (known.length === 0) return { zh: '还没有试过。', en: 'Nothing has been tried yet.' };
  return {
    zh: `答对的比例，长度 ${train[1]}（练过）→ ${longest}：${known.map(({ name, inside, outside }) => `${name.zh} ${inside}% → ${outside}%`).join('，')}。`,
    en: `Right answers at size ${train[1]} (trained) → ${longest}: ${known.map(({ name, inside, outside }) => `${name.en} ${inside}% → ${outside}%`).join(', ')}.`,
  };
}

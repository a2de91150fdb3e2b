import type { LayerGroup, Note, Plan } from './plan.js';

/** Languages of the printed plan. */
export type Language = 'zh' | 'en';

/** Wraps a text in terminal colours; the identity where colours are off. */
export type Paint = (text: string, colour: 'red' | 'yellow' | 'dim' | 'bold') => string;

/** The claimed length, where it is another one than the trained. */
const stretched = ({ trainedLength, effectiveLength }: Plan, name: string): string[] =>
  effectiveLength === trainedLength ? [] : [`${name} ${count(effectiveLength)}`];

const words = {
  en: {
    layers: 'layers',
    kind: 'kind',
    encoding: 'encoding',
    layout: 'layout',
    rotary: 'rotary dim',
    base: 'base',
    rule: 'rule',
    cosFactor: 'cos factor',
    wavelengths: 'wavelengths',
    incomplete: 'no full turn',
    slopes: 'slopes',
    table: 'table',
    buckets: 'buckets',
    window: 'window',
    chunk: 'chunk',
    scale: 'softmax scale',
    uncomputed: 'not computed',
    unknown: '?',
    of: (part: number, whole: number) => `${part} of ${whole}`,
    title: (plan: Plan) => [
      plan.modelType ?? 'model without type',
      `${count(plan.layers)} layers`,
      `${count(plan.heads)} heads, ${count(plan.kvHeads)} of keys`,
      `head size ${count(plan.headDim)}`,
      `trained length ${count(plan.trainedLength)}`,
      ...stretched(plan, 'claimed length'),
      `asked length ${count(plan.length)}`,
    ],
    levels: { info: 'info', warning: 'warning', error: 'error' },
  },
  zh: {
    layers: '层',
    kind: '类型',
    encoding: '编码',
    layout: '布局',
    rotary: '旋转维数',
    base: '底数',
    rule: '规则',
    cosFactor: 'cos 系数',
    wavelengths: '波长',
    incomplete: '未转满一圈',
    slopes: '斜率',
    table: '位置表',
    buckets: '桶',
    window: '窗口',
    chunk: '分块',
    scale: 'softmax 系数',
    uncomputed: '未计算',
    unknown: '未知',
    of: (part: number, whole: number) => `${part} / ${whole}`,
    title: (plan: Plan) => [
      plan.modelType ?? '未注明类型的模型',
      `${count(plan.layers)} 层`,
      `${count(plan.heads)} 个头，其中键 ${count(plan.kvHeads)} 个`,
      `头宽 ${count(plan.headDim)}`,
      `训练长度 ${count(plan.trainedLength)}`,
      ...stretched(plan, '声称长度'),
      `要求长度 ${count(plan.length)}`,
    ],
    levels: { info: '说明', warning: '警告', error: '错误' },
  },
} as const;

type Words = (typeof words)[Language];

/** A plan as lines of text for a terminal: sizes, one row per layer group, notes. */
export function formatPlan(plan: Plan, language: Language, paint: Paint): string {
  const say = words[language];
  const columns = columnsOf(plan, say);
  const notes = [...plan.warnings, ...plan.assumptions];
  return [
    paint(say.title(plan).join(' · '), 'bold'),
    '',
    ...align(columns, paint),
    ...(notes.length === 0 ? [] : ['', ...notes.map((note) => formatNote(note, language, paint))]),
    '',
  ].join('\n');
}

/** Header and cells; columns without any value are left out. */
function columnsOf(plan: Plan, say: Words): string[][] {
  const { headDim } = plan;
  const column = (name: string, cell: (group: LayerGroup) => string | null): string[] => {
    const cells = plan.layerGroups.map(cell);
    return cells.every((text) => text === null) ? [] : [name, ...cells.map((text) => text ?? '–')];
  };
  return [
    column(say.layers, ({ layers }) => (layers.length === 0 ? say.unknown : ranges(layers))),
    column(say.kind, ({ layerType }) =>
      plan.layerGroups.length === 1 ? null : shortKind(layerType),
    ),
    column(say.encoding, ({ encoding }) => (encoding === 'unknown' ? say.unknown : encoding)),
    column(say.layout, ({ layout }) => layout),
    column(say.rotary, ({ rotaryDim, rotaryStart, latent, options }) => {
      if (rotaryDim === null || headDim === null) return null;
      const own = options !== null && 'headDim' in options ? options.headDim : headDim;
      return say.of(rotaryDim, latent === null ? own : rotaryDim + (rotaryStart ?? 0));
    }),
    column(say.base, ({ base }) => (base === null ? null : count(base))),
    column(say.rule, ({ scaling }) =>
      scaling?.type === 'default' ? null : (scaling?.type ?? null),
    ),
    column(say.cosFactor, ({ attentionFactor }) =>
      attentionFactor === null || attentionFactor === 1 ? null : count(attentionFactor),
    ),
    column(say.wavelengths, ({ encoding, wavelengths }) => {
      if (encoding !== 'rope') return null;
      return wavelengths.length === 0 ? say.uncomputed : span(wavelengths);
    }),
    column(say.incomplete, ({ incompletePairs, wavelengths }) =>
      incompletePairs === null ? null : say.of(incompletePairs, wavelengths.length),
    ),
    column(say.slopes, ({ slopes }) =>
      slopes.length === 0 ? null : span([...slopes].sort((a, b) => b - a)),
    ),
    column(say.table, ({ table }) =>
      table === null ? null : `${count(table.positions)} × ${count(table.width)}`,
    ),
    column(say.buckets, ({ buckets }) =>
      buckets === null ? null : `${count(buckets.count)} / ${count(buckets.maxDistance)}`,
    ),
    column(say.chunk, ({ chunk }) => (chunk === null ? null : count(chunk))),
    column(say.window, ({ window }) => (window === null ? null : count(window))),
    column(say.scale, ({ softmaxScale }) => (softmaxScale === null ? null : count(softmaxScale))),
  ].filter((cells) => cells.length > 0);
}

/** `sliding`, `full`, `encoder` … */
const shortKind = (layerType: string | null): string | null =>
  layerType?.replace(/_attention$/, '') ?? null;

function align(columns: readonly string[][], paint: Paint): string[] {
  const rows = columns[0]?.length ?? 0;
  return Array.from({ length: rows }, (_, row) => {
    const cells = columns.map((column) => {
      const widest = Math.max(...column.map(widthOf));
      const cell = column[row] ?? '';
      return cell + ' '.repeat(widest - widthOf(cell));
    });
    const line = cells.join('  ').trimEnd();
    return row === 0 ? paint(line, 'dim') : line;
  });
}

const colours = { info: 'dim', warning: 'yellow', error: 'red' } as const;

function formatNote(note: Note, language: Language, paint: Paint): string {
  const { levels } = words[language];
  const widest = Math.max(...Object.values(levels).map(widthOf));
  const level = levels[note.level];
  const padding = ' '.repeat(widest - widthOf(level));
  return `${paint(level, colours[note.level])}${padding}  ${note[language]} ${paint(`[${note.code}]`, 'dim')}`;
}

/** `0–31`, or `0–4, 6–10 …` with at most four runs. */
function ranges(layers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const layer of layers) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === layer - 1) last[1] = layer;
    else runs.push([layer, layer]);
  }
  const text = runs.slice(0, 4).map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
  return runs.length <= 4 ? text.join(', ') : `${text.join(', ')} … (${layers.length})`;
}

const span = (values: readonly number[]): string =>
  `${count(values[0] ?? null)} … ${count(values.at(-1) ?? null)}`;

/** Whole numbers and large ones with separators, others with four digits. */
function count(value: number | null): string {
  if (value === null) return '?';
  if (value >= 1e15) return value.toPrecision(4);
  const rounded = value >= 1000 ? Math.round(value) : value;
  if (!Number.isInteger(rounded)) return String(Number(value.toPrecision(4)));
  return String(rounded).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Chinese characters and full-width marks take two columns of a terminal. */
const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/g;

const widthOf = (text: string): number => text.length + (text.match(wide)?.length ?? 0);

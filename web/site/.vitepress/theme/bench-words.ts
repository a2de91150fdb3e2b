/** The words of the benchmark page, and how it writes numbers and works. */
import type { Row, Work } from '../../benchmark/results.js';
import type { Language, Text } from '../chapters.js';

const words = {
  engine: { zh: '在哪里测的', en: 'Measured in' },
  build: { zh: '{0}，{1} 版', en: '{0}, build {1}' },
  machine: {
    zh: '{date}，{cpu}，{threads} 个线程，{memory} GiB 内存，{system}；每个参赛者都只用一个线程。',
    en: '{date}, {cpu}, {threads} threads, {memory} GiB of memory, {system}; every contender used one thread.',
  },
  versions: { zh: '对手的版本：{}', en: 'Versions of the others: {}' },
  absent: { zh: '这里启动不了：{}', en: 'Does not start here: {}' },
  ofLimit: { zh: '{0} / {1} {2}（{3}）', en: '{0} of {1} {2} ({3})' },
  share: { zh: '上限的 {}', en: '{} of the limit' },
  shareAndGoal: { zh: '上限的 {0}（目标 {1}）', en: '{0} of the limit (goal {1})' },
  takes: { zh: '用时 {} 倍', en: 'takes {} ×' },
  spread: { zh: '中间一半的轮次：{0}–{1} 倍', en: 'middle half of the rounds: {0}–{1} ×' },
  failed: { zh: '{0}：{1}', en: '{0}: {1}' },
  pending: { zh: '还没有测：{}', en: 'Not measured yet: {}' },
  atMost: { zh: '最多 {}', en: '{} at most' },
  without: { zh: '不带这一项', en: 'without it' },
  plain: { zh: '纯 JavaScript', en: 'plain JavaScript' },
  groups: { zh: '测哪些', en: 'What to measure' },
  variant: { zh: '用哪个版本', en: 'Build' },
  auto: { zh: '自动（有融合乘加就用）', en: 'automatic (fused where there is fused)' },
  start: { zh: '开始测', en: 'Start' },
  stop: { zh: '停', en: 'Stop' },
  estimate: {
    zh: '约 {} 分钟；别的标签页最好先歇着。',
    en: 'About {} min. Other tabs had better rest.',
  },
  nothing: { zh: '至少选一组。', en: 'Choose at least one group.' },
  starting: { zh: '正在装载……', en: 'Loading …' },
  progress: { zh: '测完 {0} / {1} 项', en: '{0} of {1} rows measured' },
  done: { zh: '测完了。', en: 'Done.' },
  stopped: { zh: '停在第 {0} 项，共 {1} 项。', en: 'Stopped after {0} of {1} rows.' },
  broken: { zh: '没能测下去：{}', en: 'It could not go on: {}' },
  here: { zh: '你的浏览器（{} 版）', en: 'Your browser (build {})' },
} as const satisfies Record<string, Text>;

export type BenchWord = keyof typeof words;

/** A word of the page in a language; `{}`, `{0}`, `{name}` are filled. */
export function benchWord(
  lang: Language,
  word: BenchWord,
  values: Readonly<Record<string, string | number>> | readonly (string | number)[] = [],
): string {
  const table = values as Readonly<Record<string, string | number>>;
  return words[word][lang].replace(/\{(\w*)\}/g, (_, place: string) => String(table[place || 0]));
}

const groupTitles = {
  forward: { zh: '注意力', en: 'Attention' },
  fused: { zh: '带上位置编码', en: 'With an encoding fused in' },
  content: { zh: '带上内容与位置的乘积', en: 'With content × position terms' },
  short: { zh: '短序列', en: 'Short sequences' },
  decode: { zh: '逐词解码', en: 'Decoding, one query' },
  backward: { zh: '反向', en: 'Backward' },
  rope: { zh: 'RoPE 旋转', en: 'RoPE' },
  tables: { zh: '表', en: 'Tables' },
  memory: { zh: '内存', en: 'Memory' },
  gemm: { zh: '矩阵乘法', en: 'Matrix products' },
  model: { zh: '语言模型', en: 'Language models' },
  training: { zh: '训练', en: 'Training' },
} as const satisfies Record<string, Text>;

export const groupTitle = (group: string, lang: Language): string =>
  group in groupTitles ? groupTitles[group as keyof typeof groupTitles][lang] : group;

const limitNames: Readonly<Record<string, Text>> = {
  'fused multiply-add': { zh: '寄存器里的融合乘加', en: 'fused multiply-adds in registers' },
  'multiply and add': { zh: '寄存器里的乘与加', en: 'multiplies and adds in registers' },
  'streaming read': { zh: '顺序读内存', en: 'streaming read' },
  'memory.copy': { zh: '内存复制', en: 'memory copy' },
};

export const limitName = (name: string, lang: Language): string => limitNames[name]?.[lang] ?? name;

/** A contender's name. */
export function contenderName(name: string, lang: Language): string {
  if (name === 'without') return benchWord(lang, 'without');
  return name === 'plain JavaScript' ? benchWord(lang, 'plain') : name;
}

const encodingNames: Readonly<Record<string, string>> = {
  alibi: 'ALiBi',
  t5: 'T5',
  rope: 'RoPE',
  shaw: 'Shaw',
  transformer_xl: 'Transformer-XL',
  deberta: 'DeBERTa',
};

/** What a row does, in a line. */
export function describeWork({ id, work }: Row, lang: Language): string {
  if (!work) return id;
  return { zh: describeInChinese, en: describeInEnglish }[lang](work);
}

function describeInEnglish(work: Work): string {
  switch (work.kind) {
    case 'rope':
      return [
        `[${work.rows}, ${work.tokens}, ${work.headDim}]`,
        work.layout,
        ...(work.rotaryDim < work.headDim ? [`${work.rotaryDim} dimensions turn`] : []),
        work.inPlace ? 'in place' : 'to another tensor',
      ].join(', ');
    case 'table':
      return `cosines and sines of ${work.tokens} positions × ${work.pairs} pairs`;
    case 'sinusoidal':
      return `sinusoidal table, [${work.tokens}, ${work.width}]`;
    case 'gemm':
      return `[${work.rows}, ${work.inputs}] times [${work.outputs}, ${work.inputs}] transposed`;
    case 'writing':
      return `a token of a Llama, ${work.layers} layers of ${work.width}, ${work.vocabulary} words, ${work.dtype}`;
    case 'training':
      return `a step of a GPT-2, ${work.layers} layers of ${work.width}, ${work.batch} × ${work.tokens} tokens`;
    default:
      return [
        shapeOf(work, 'query', 'keys'),
        ...(work.kvHeads < work.heads ? [`${work.kvHeads} key heads`] : []),
        ...(work.causal ? ['causal'] : []),
        ...work.encodings.map((name) => encodingNames[name] ?? name),
        ...(work.kind === 'extra memory' ? ['memory beside the tensors'] : []),
        ...(work.kind === 'total memory' ? ['whole memory, tensors included'] : []),
      ].join(', ');
  }
}

function describeInChinese(work: Work): string {
  switch (work.kind) {
    case 'rope':
      return [
        `[${work.rows}, ${work.tokens}, ${work.headDim}]`,
        work.layout,
        ...(work.rotaryDim < work.headDim ? [`旋转 ${work.rotaryDim} 维`] : []),
        work.inPlace ? '就地' : '写到另一个张量',
      ].join('，');
    case 'table':
      return `${work.tokens} 个位置 × ${work.pairs} 对的余弦与正弦`;
    case 'sinusoidal':
      return `正弦表 [${work.tokens}, ${work.width}]`;
    case 'gemm':
      return `[${work.rows}, ${work.inputs}] 乘 [${work.outputs}, ${work.inputs}] 的转置`;
    case 'writing':
      return `Llama 写一个词元，${work.layers} 层，宽 ${work.width}，词表 ${work.vocabulary}，${work.dtype}`;
    case 'training':
      return `GPT-2 训练一步，${work.layers} 层，宽 ${work.width}，${work.batch} × ${work.tokens} 个词元`;
    default:
      return [
        shapeOf(work, '个查询', '个键'),
        ...(work.kvHeads < work.heads ? [`${work.kvHeads} 个键头`] : []),
        ...(work.causal ? ['因果'] : []),
        ...work.encodings.map((name) => encodingNames[name] ?? name),
        ...(work.kind === 'extra memory' ? ['张量之外的内存'] : []),
        ...(work.kind === 'total memory' ? ['全部内存，含张量'] : []),
      ].join('，');
  }
}

type AttentionWork = Extract<Work, { heads: number }>;

const shapeOf = (
  { heads, queries, keys, headDim }: AttentionWork,
  query: string,
  key: string,
): string =>
  queries === keys
    ? `[1, ${heads}, ${queries}, ${headDim}]`
    : `[1, ${heads}, ${queries}, ${headDim}]: ${queries} ${query}, ${keys} ${key}`;

/** Three digits. */
export const short = (value: number): string =>
  value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));

export const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

const MEGABYTE = 2 ** 20;

/** Megabytes, or kilobytes below one. */
export const memory = (bytes: number): string =>
  bytes < MEGABYTE ? `${short(bytes / 1024)} KiB` : `${short(bytes / MEGABYTE)} MiB`;

/** Milliseconds, or microseconds below one. */
export const duration = (ms: number): string =>
  ms < 1 ? `${short(1000 * ms)} µs` : `${short(ms)} ms`;

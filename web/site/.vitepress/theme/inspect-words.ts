/** The words of the page Inspect, and how it writes numbers and layers. */
import type { LayerGroup } from 'posenc';
import type { Language, Text } from '../chapters.js';

const words = {
  samples: { zh: '试一个现成的', en: 'Try one of these' },
  config: { zh: 'config.json 的内容', en: 'Content of config.json' },
  placeholder: {
    zh: '贴在这里，或把文件拖进来',
    en: 'Paste it here, or drop the file',
  },
  file: { zh: '选择文件', en: 'Choose a file' },
  length: { zh: '打算用到的长度', en: 'Length you want to use' },
  lengthHint: { zh: '空着就按训练长度', en: 'Empty means the trained length' },
  privacy: {
    zh: '一切都在这个网页里算，什么也不上传。',
    en: 'Everything is computed in this page. Nothing is uploaded.',
  },
  failed: { zh: '这份配置读不了', en: 'This config cannot be read' },
  where: { zh: '哪里', en: 'Where' },
  given: { zh: '读到的', en: 'Found' },
  allowed: { zh: '应当是', en: 'Needed' },
  unreadable: { zh: '这个文件打不开。', en: 'The file cannot be opened.' },
  plan: { zh: '逐层的位置方案', en: 'Position, layer by layer' },
  model: { zh: '模型类型', en: 'Model type' },
  layers: { zh: '层数', en: 'Layers' },
  heads: { zh: '头 / KV 头', en: 'Heads / KV heads' },
  headDim: { zh: '每个头的宽度', en: 'Width of a head' },
  trained: { zh: '训练长度', en: 'Trained length' },
  asked: { zh: '要用的长度', en: 'Asked length' },
  unknown: { zh: '没有写', en: 'not given' },
  allLayers: { zh: '全部 {} 层', en: 'All {} layers' },
  someLayers: { zh: '第 {} 层', en: 'Layers {}' },
  noLayers: { zh: '配置没说是哪些层', en: 'The config does not say which layers' },
  encoding: { zh: '编码', en: 'Encoding' },
  layout: { zh: '排法', en: 'Layout' },
  half: { zh: '两半 half：(i, i + d/2)', en: 'half: (i, i + d/2)' },
  interleaved: { zh: '交错 interleaved：(2i, 2i + 1)', en: 'interleaved: (2i, 2i + 1)' },
  rotaryDim: { zh: '旋转的维数', en: 'Dimensions that turn' },
  base: { zh: '底数', en: 'Base' },
  scaling: { zh: '缩放规则', en: 'Scaling rule' },
  window: { zh: '窗口（含自己）', en: 'Window (itself included)' },
  noWindow: { zh: '不限', en: 'none' },
  wavelengths: { zh: '波长', en: 'Wavelengths' },
  unfinished: { zh: '没转满的对', en: 'Unfinished pairs' },
  unfinishedOf: { zh: '{0} / {1}', en: '{0} of {1}' },
  slopes: { zh: '各头斜率', en: 'Slopes of the heads' },
  table: { zh: '位置表', en: 'Position table' },
  rowsBy: { zh: '{0} 行 × {1}', en: '{0} rows × {1}' },
  chart: {
    zh: '每一对转一圈要走多少个位置。实心点：训练时转满过一圈；空心点：从未转满。',
    en: 'Positions per full turn of each pair. Solid: completed a turn in training. Hollow: never did.',
  },
  numbers: { zh: '看数字', en: 'The numbers' },
  pair: { zh: '对', en: 'Pair' },
  head: { zh: '头', en: 'Head' },
  slope: { zh: '斜率', en: 'Slope' },
  frequency: { zh: '频率（弧度/位置）', en: 'Frequency (rad per position)' },
  wavelength: { zh: '波长（位置/圈）', en: 'Wavelength (positions per turn)' },
  code: { zh: '在 posenc 里这样写', en: 'The same in posenc' },
  notComputed: {
    zh: '这几层的数还不能精确算出，所以不画，原因见上面的提示。',
    en: 'The numbers of these layers cannot be computed exactly yet, so none are shown; the notes above say why.',
  },
  warnings: { zh: '要留意', en: 'Watch out' },
  assumptions: { zh: '按惯例认定的', en: 'Taken as given' },
  fine: { zh: '没有发现问题。', en: 'Nothing to worry about.' },
  result: { zh: '已读出：{0} 组层，{1} 条提示。', en: 'Read: {0} groups of layers, {1} warnings.' },
} as const satisfies Record<string, Text>;

export type InspectWord = keyof typeof words;

/** A word of the page in a language; `{}`, `{0}`, `{1}` are filled in order. */
export function inspectWord(
  lang: Language,
  word: InspectWord,
  ...values: readonly (string | number)[]
): string {
  return words[word][lang].replace(/\{(\d?)\}/g, (_, place: string) =>
    String(values[Number(place || 0)] ?? ''),
  );
}

/** Names of encodings, the same in both languages except for two. */
export function encodingName(group: LayerGroup, lang: Language): string {
  const names: Record<LayerGroup['encoding'], Text> = {
    rope: { zh: 'RoPE 旋转', en: 'RoPE' },
    alibi: { zh: 'ALiBi 线性偏置', en: 'ALiBi' },
    learned: { zh: '可学习的位置表', en: 'learned table' },
    sinusoidal: { zh: '正弦', en: 'sinusoidal' },
    t5: { zh: 'T5 分桶偏置', en: 'T5 buckets' },
    deberta: { zh: 'DeBERTa 解耦', en: 'DeBERTa' },
    shaw: { zh: '相对键（Shaw）', en: 'relative keys (Shaw)' },
    transformer_xl: { zh: 'Transformer-XL 相对位置', en: 'Transformer-XL' },
    swin: { zh: 'Swin 窗口偏置', en: 'Swin window biases' },
    convolution: { zh: '卷积', en: 'convolution' },
    nope: { zh: '无位置编码 NoPE', en: 'none (NoPE)' },
    unknown: { zh: '不认识', en: 'unknown' },
  };
  return names[group.encoding][lang];
}

/** `[0, 1, 2, 5, 7, 8]` → `0–2, 5, 7–8`. */
export function layerRanges(layers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const layer of layers) {
    const last = runs.at(-1);
    if (last && layer === last[1] + 1) last[1] = layer;
    else runs.push([layer, layer]);
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from}–${to}`)).join(', ');
}

/** A number with as many digits as help: whole above 1000, four significant below. */
export function shortNumber(value: number): string {
  return Math.abs(value) >= 1000
    ? Math.round(value).toString()
    : String(Number(value.toPrecision(4)));
}

/** The call that makes a group's encoding. */
export function codeOf(group: LayerGroup): string | null {
  if (!group.options) return null;
  const options = Object.entries(group.options).map(
    ([name, value]) => `${name}: ${JSON.stringify(value).replaceAll('"', "'")}`,
  );
  return `pe.encoding('${group.encoding}', { ${options.join(', ')} })`;
}

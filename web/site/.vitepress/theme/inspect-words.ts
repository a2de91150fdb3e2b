/** The words of the page Inspect, and how it writes numbers and layers. */
import type { LayerGroup } from 'posenc';
import type { Language, Text } from '../chapters.js';

const words = {
  model: { zh: '模型', en: 'Model' },
  ownConfig: { zh: '自己的配置', en: 'A config of your own' },
  compareWith: { zh: '与另一份比较', en: 'Compare with' },
  nothing: { zh: '不比较', en: 'Nothing' },
  source: { zh: '{} 的出处', en: 'Source of {}' },
  config: { zh: 'config.json 的内容', en: 'Content of config.json' },
  otherConfig: { zh: '另一份 config.json 的内容', en: 'Content of the other config.json' },
  placeholder: {
    zh: '贴在这里，或把 config.json、.gguf 拖进来',
    en: 'Paste it here, or drop a config.json or .gguf',
  },
  file: { zh: '选择文件', en: 'Choose a file' },
  reading: { zh: '正在读文件头……', en: 'Reading the header …' },
  length: { zh: '打算用到的长度', en: 'Length you want to use' },
  lengthHint: { zh: '空着就按训练长度', en: 'Empty: the trained one' },
  privacy: {
    zh: '一切都在这个网页里算，什么也不上传；GGUF 只读开头的元数据。',
    en: 'Everything is computed in this page, nothing is uploaded. Of a GGUF only the header is read.',
  },
  failed: { zh: '这份配置读不了', en: 'This config cannot be read' },
  where: { zh: '哪里', en: 'Where' },
  given: { zh: '读到的', en: 'Found' },
  allowed: { zh: '应当是', en: 'Needed' },
  unreadable: { zh: '这个文件打不开。', en: 'The file cannot be opened.' },
  tooLarge: {
    zh: '这个文件太大，不是 config.json；模型权重请用 .gguf。',
    en: 'The file is too large for a config.json. Of weights, only .gguf files can be read.',
  },
  brokenGguf: {
    zh: '读不出这个 GGUF 文件的文件头。',
    en: 'The header of this GGUF file cannot be read.',
  },
  plan: { zh: '逐层的位置方案', en: 'Position, layer by layer' },
  modelType: { zh: '模型类型', en: 'Model type' },
  layers: { zh: '层数', en: 'Layers' },
  heads: { zh: '头 / KV 头', en: 'Heads / KV heads' },
  headDim: { zh: '每个头的宽度', en: 'Width of a head' },
  trained: { zh: '训练长度', en: 'Trained length' },
  claimed: { zh: '声称的长度', en: 'Claimed length' },
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
  cosFactor: { zh: 'cos、sin 的系数', en: 'Factor on cos and sin' },
  softmaxScale: { zh: 'softmax 前的系数', en: 'Scale of q·k' },
  window: { zh: '窗口（含自己）', en: 'Window (itself included)' },
  chunk: { zh: '分块', en: 'Chunk' },
  noWindow: { zh: '不限', en: 'none' },
  sections: { zh: '时间 / 高 / 宽的对数', en: 'Pairs of time / height / width' },
  buckets: { zh: '距离桶', en: 'Buckets of distances' },
  terms: { zh: '分数里的位置项', en: 'Terms of the score' },
  farthest: { zh: '最远的距离', en: 'Farthest distance' },
  patches: { zh: '窗口（图块）', en: 'Window of patches' },
  kernel: { zh: '卷积核（帧）', en: 'Kernel (frames)' },
  wavelengths: { zh: '波长', en: 'Wavelengths' },
  unfinished: { zh: '没转满的对', en: 'Unfinished pairs' },
  unfinishedOf: { zh: '{0} / {1}', en: '{0} of {1}' },
  slopes: { zh: '各头斜率', en: 'Slopes of the heads' },
  table: { zh: '位置表', en: 'Position table' },
  rowsBy: { zh: '{0} 行 × {1}', en: '{0} rows × {1}' },
  chart: {
    zh: '每一对转一圈要走多少个位置',
    en: 'Positions per full turn of each pair',
  },
  solid: { zh: '训练时转满过一圈', en: 'completed a turn in training' },
  hollow: { zh: '从未转满', en: 'never did' },
  unscaled: { zh: '缩放之前', en: 'before scaling' },
  otherCurve: { zh: '另一份：{}', en: 'the other: {}' },
  bands: { zh: '缩放规则的分段', en: 'Bands of the scaling rule' },
  bandPairs: { zh: '第 {0}–{1} 对，共 {2} 对', en: 'pairs {0}–{1}, {2} of them' },
  bandPair: { zh: '第 {} 对', en: 'pair {}' },
  kept: { zh: '保持：频率不变（外推）', en: 'kept: as trained (extrapolated)' },
  blended: { zh: '过渡：两者之间', en: 'blended: in between' },
  interpolated: { zh: '内插：波长 × {}', en: 'interpolated: wavelength × {}' },
  rebased: { zh: '换底：波长 × {0} … {1}', en: 'rebased: wavelength × {0} … {1}' },
  searched: { zh: '逐对给出：波长 × {0} … {1}', en: 'searched: wavelength × {0} … {1}' },
  still: { zh: '不转：没有位置', en: 'still: no position' },
  allCovered: {
    zh: '训练时 {0} 对全都转满过一圈（{1} 个位置之内）。',
    en: 'All {0} pairs completed a turn in training (within {1} positions).',
  },
  someCovered: {
    zh: '{1} 对里有 {0} 对在训练中从未转满一圈（只有 {2} 个位置）。',
    en: '{0} of {1} pairs never completed a turn in training (within {2} positions).',
  },
  within: {
    zh: '距离到 {} 为止，每一对的角度都在训练见过的范围里。',
    en: 'Up to a distance of {} every pair stays within the angles that training has shown.',
  },
  outside: {
    zh: '距离到 {0} 时，{1} 对（{2}）会转到训练没见过的角度：分布之外。',
    en: 'Up to a distance of {0}, {1} pairs ({2}) meet angles never seen in training: out of distribution.',
  },
  point: { zh: '指着第几对', en: 'Pair pointed at' },
  pointed: {
    zh: '第 {0} 对：每位置 {1} 弧度，{2} 个位置一圈',
    en: 'Pair {0}: {1} rad per position, {2} positions a turn',
  },
  pointedStill: { zh: '第 {0} 对：这里不转', en: 'Pair {0} does not turn here' },
  stretchedBy: { zh: '（缩放前 {0}，× {1}）', en: ' ({0} before scaling, × {1})' },
  seenShare: { zh: '；训练见过 {0}%', en: '; training has shown {0}%' },
  otherAt: { zh: '；另一份 {0}', en: '; the other {0}' },
  numbers: { zh: '看数字', en: 'The numbers' },
  pair: { zh: '对', en: 'Pair' },
  head: { zh: '头', en: 'Head' },
  slope: { zh: '斜率', en: 'Slope' },
  frequency: { zh: '频率（弧度/位置）', en: 'Frequency (rad per position)' },
  wavelength: { zh: '波长（位置/圈）', en: 'Wavelength (positions per turn)' },
  beforeScaling: { zh: '缩放前', en: 'Before scaling' },
  times: { zh: '× 倍', en: 'Times' },
  band: { zh: '分段', en: 'Band' },
  seen: { zh: '见过', en: 'Seen' },
  turns: { zh: '到要用的长度转几圈', en: 'Turns at the asked length' },
  inRange: { zh: '在见过的范围', en: 'In range' },
  yes: { zh: '是', en: 'yes' },
  no: { zh: '否', en: 'no' },
  copyFrequencies: { zh: '复制频率 JSON', en: 'Copy frequencies (JSON)' },
  copySlopes: { zh: '复制斜率 JSON', en: 'Copy slopes (JSON)' },
  copyTable: { zh: '复制整表 CSV', en: 'Copy table (CSV)' },
  copyPlan: { zh: '复制整个方案 JSON', en: 'Copy the plan (JSON)' },
  copyLink: { zh: '复制链接', en: 'Copy link' },
  copied: { zh: '已复制，{} 个字符', en: 'Copied, {} characters' },
  notCopied: {
    zh: '浏览器不让复制；请在“看数字”里选中',
    en: 'The browser does not allow it; select the numbers below instead',
  },
  code: { zh: '在 posenc 里这样写', en: 'The same in posenc' },
  notComputed: {
    zh: '这几层的数还不能精确算出，所以不画，原因见上面的提示。',
    en: 'The numbers of these layers cannot be computed exactly yet, so none are shown; the notes above say why.',
  },
  assumptions: { zh: '按惯例认定的', en: 'Taken as given' },
  fine: { zh: '没有警告。', en: 'No warnings.' },
  result: { zh: '已读出：{0} 组层，{1} 条提示。', en: 'Read: {0} groups of layers, {1} warnings.' },
  comparison: { zh: '两份对照', en: 'Side by side' },
  differ: { zh: '{1} 项里有 {0} 项不同', en: '{0} of {1} rows differ' },
  differs: { zh: '不同', en: 'differs' },
  same: { zh: '两份配置的方案完全相同。', en: 'Both configs lead to the same plan.' },
  field: { zh: '项目', en: 'Row' },
  configFields: {
    zh: 'config.json 里不同的字段（{} 个）',
    en: 'Fields of config.json that differ ({})',
  },
  absent: { zh: '—', en: '—' },
  otherNotes: { zh: '另一份的提示', en: 'Notes on the other' },
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

/** The words of the page Small model. */
import type { Language, Text } from '../chapters.js';

const words = {
  model: { zh: '哪个模型', en: 'Model' },
  trainZh: { zh: '当场训练：唐诗，按字', en: 'Train here: Tang poems, by character' },
  trainEn: { zh: '当场训练：英文童谣，按字母', en: 'Train here: nursery rhymes, by letter' },
  ownFiles: { zh: '自己的检查点', en: 'A checkpoint of your own' },
  dtype: { zh: '矩阵存成', en: 'Matrices as' },
  dtypeF32: { zh: 'f32，原样', en: 'f32, as they are' },
  dtypeF16: { zh: 'f16，一半内存', en: 'f16, half the memory' },
  dtypeInt8: { zh: 'int8，四分之一', en: 'int8, a quarter' },
  train: { zh: '训练它', en: 'Train it' },
  open: { zh: '打开', en: 'Open' },
  stop: { zh: '停', en: 'Stop' },
  files: { zh: '选文件', en: 'Choose files' },
  folder: { zh: '选文件夹', en: 'Choose a folder' },
  dropHere: {
    zh: '把文件或文件夹拖到这里：config.json、*.safetensors、tokenizer.json；或 llama2.c 的 model.bin 和 tokenizer.bin。',
    en: 'Drop files or a folder here: config.json, *.safetensors, tokenizer.json; or model.bin and tokenizer.bin of llama2.c.',
  },
  chosenFiles: { zh: '{0} 个文件，{1}：{2}', en: '{0} files, {1}: {2}' },
  privacy: {
    zh: '一切都在这个标签页里算，什么也不上传。',
    en: 'Everything is computed in this tab; nothing is uploaded.',
  },
  trainHint: {
    zh: '两层、四个头，约半分钟；停下来就用学到一半的。',
    en: 'Two layers, four heads, about half a minute. Stop early to use it half-taught.',
  },
  opening: { zh: '正在装载…… {}', en: 'Loading … {}' },
  training: { zh: '正在训练…… {0}，损失 {1}', en: 'Training … {0}, loss {1}' },
  ready: { zh: '模型好了，{} 秒。', en: 'The model is ready, {} s.' },
  factFamily: { zh: '家族', en: 'Family' },
  factSize: { zh: '大小', en: 'Size' },
  sizeValue: {
    zh: '{0} 层，每层 {1} 个头，宽 {2}，词表 {3}，{4}',
    en: '{0} layers of {1} heads, width {2}, vocabulary {3}, {4}',
  },
  factPosition: { zh: '位置', en: 'Position' },
  factLength: { zh: '训练长度', en: 'Trained length' },
  lengthValue: { zh: '{} 个词元', en: '{} tokens' },
  unknown: { zh: '配置没有写', en: 'the config does not tell' },

  writing: { zh: '写下去', en: 'Go on writing' },
  prompt: { zh: '开头', en: 'Beginning' },
  tokens: { zh: '最多几个词元', en: 'Most tokens' },
  temperature: { zh: '温度 {}', en: 'Temperature {}' },
  topK: { zh: 'top-k（0 = 不限）', en: 'Top-k (0 = all)' },
  topP: { zh: 'top-p {}', en: 'Top-p {}' },
  seed: { zh: '种子', en: 'Seed' },
  way: { zh: '位置按', en: 'Position by' },
  factor: { zh: '拉长几倍', en: 'Stretched by' },
  window: { zh: '窗口（词元）', en: 'Window (tokens)' },
  write: { zh: '写', en: 'Write' },
  wroteNone: { zh: '一写就停了。', en: 'It stopped at once.' },
  wrote: { zh: '写了 {0} 个词元，每秒 {1} 个。', en: '{0} tokens, {1} a second.' },
  stoppedAt: { zh: '停在第 {} 个词元。', en: 'Stopped after {} tokens.' },
  chips: {
    zh: '写出的词元；用左右键走，看每一个是从什么里选出来的',
    en: 'Tokens it wrote; arrow keys walk through them and tell what each was chosen from',
  },
  chosenFrom: { zh: '“{0}”：概率 {1}，排第 {2}', en: '“{0}”: probability {1}, rank {2}' },
  detailsLater: {
    zh: '写完就能看每个词元的概率。',
    en: 'Probabilities come when it has finished.',
  },
  detailsNever: {
    zh: '词表乘长度太大，概率放不下；写短一点就有。',
    en: 'Vocabulary times length is too much to keep probabilities; write less to see them.',
  },

  looking: { zh: '它在看哪里', en: 'Where it looks' },
  layer: { zh: '层', en: 'Layer' },
  head: { zh: '头', en: 'Head' },
  query: { zh: '查询的词元', en: 'Query token' },
  key: { zh: '键的词元', en: 'Key token' },
  mapLabel: {
    zh: '第 {0} 层第 {1} 个头对 {2} 个词元的注意力；{3}',
    en: 'Attention of layer {0}, head {1} over {2} tokens; {3}',
  },
  mapSentence: {
    zh: '“{0}”最看重“{1}”（往前 {2} 个），权重 {3}。',
    en: '“{0}” looks most at “{1}”, {2} back, with weight {3}.',
  },
  headSentence: {
    zh: '平均往回看 {0} 个词元；最强的一眼平均占 {1}。',
    en: 'On average it looks {0} tokens back; its strongest look takes {1}.',
  },
  cut: { zh: '只画前 {} 个词元。', en: 'Only the first {} tokens are drawn.' },
  mapHint: {
    zh: '行是查询，列是键；词元写在对角线旁。颜色越深，权重越大；点一格，下面就拆开它。',
    en: 'Rows are queries, columns keys; tokens stand beside the diagonal. Darker is more weight. A click takes a cell apart below.',
  },
  mapTable: { zh: '每个词元最看重谁', en: 'Where each token looks most' },
  most: { zh: '最看重', en: 'Looks most at' },
  back: { zh: '往前', en: 'Back' },
  weight: { zh: '权重', en: 'Weight' },
  weightUpTo: { zh: '权重，最高 {}', en: 'Weight, up to {}' },

  adding: { zh: '位置添了什么', en: 'What position adds' },
  content: { zh: '内容：未旋转的 q·k', en: 'Content: q·k before turning' },
  turned: { zh: '旋转添的', en: 'Added by turning' },
  biased: { zh: '偏置添的', en: 'Added by bias' },
  logit: { zh: '合计：掩码之后', en: 'Together, after the mask' },
  stageSentence: {
    zh: '“{0}”看往前 {2} 个的“{1}”：内容 {3}，旋转 {4}，偏置 {5}，合计 {6}，权重 {7}。',
    en: '“{0}” on “{1}”, {2} back: content {3}, turning {4}, bias {5}, together {6}, weight {7}.',
  },
  hidden: { zh: '看不见', en: 'hidden' },
  stagesLabel: {
    zh: '每个键的分数怎样合成，{} 个键',
    en: 'How the score of each of {} keys comes about',
  },
  pairs: { zh: '各频率的一份', en: 'The share of each frequency' },
  pairsLabel: {
    zh: '{} 对维度各自的贡献，旋转之前与之后',
    en: 'What each of {} pairs gives, before and after turning',
  },
  pairsHint: {
    zh: '左边转得快，右边转得慢；空心是旋转之前，实心是之后。慢的几对几乎不动，只看内容。',
    en: 'Fast pairs left, slow ones right; hollow before turning, solid after. The slow ones hardly move: they see content alone.',
  },
  pair: { zh: '对', en: 'Pair' },
  before: { zh: '旋转前', en: 'Before' },
  after: { zh: '旋转后', en: 'After' },
  numbers: { zh: '数字', en: 'The numbers' },

  swapping: { zh: '换一种位置', en: 'Swap positions' },
  text: { zh: '读这段文字', en: 'Text to read' },
  chooseWays: { zh: '比哪几种', en: 'Ways to compare' },
  compare: { zh: '比较', en: 'Compare' },
  comparing: { zh: '读完 {0} / {1} 种……', en: '{0} of {1} read …' },
  compared: { zh: '读了 {} 个词元。', en: '{} tokens read.' },
  chartLabel: {
    zh: '困惑度随位置的变化：{}',
    en: 'Perplexity by position: {}',
  },
  chartHint: {
    zh: '纵轴是困惑度，对数刻度，越低越好；竖线是训练长度。',
    en: 'Perplexity, logarithmic: lower is better. The upright line is the trained length.',
  },
  trainedMark: { zh: '训练长度', en: 'trained length' },
  inside: { zh: '训练长度以内', en: 'Inside the trained length' },
  beyond: { zh: '以外', en: 'Beyond it' },
  goesOn: { zh: '从末尾写下去', en: 'Goes on from the end' },
  noWay: { zh: '不行：{}', en: 'Not possible: {}' },
  fromTo: { zh: '词元 {0}–{1}', en: 'Tokens {0}–{1}' },

  mistaking: { zh: '缓存的三个坑', en: 'Three mistakes with the cache' },
  restart: {
    zh: '缓存满了一半，位置又从 0 数起',
    en: 'Positions restart at 0 behind a filled cache',
  },
  restartWhy: {
    zh: '新词元按 0、1、2……旋转，旧键却还停在原位：距离全错，而且没有报错。',
    en: 'New tokens are turned by 0, 1, 2 … while old keys stay where they were: every distance is wrong, and nothing complains.',
  },
  evict: { zh: '把开头的词元扔掉', en: 'The first tokens are evicted' },
  evictWhy: {
    zh: '只留最近的一窗；对的做法用同样大小的缓存，但留住开头四个（汇）。',
    en: 'Only the latest window stays. The right way has a cache of the same size, but keeps the first four as sinks.',
  },
  renumber: { zh: '重新编号，却不重新旋转', en: 'Renumbered, but not turned anew' },
  renumberWhy: {
    zh: '扔掉旧词元后，槽位往前挪，存着的键还是按旧号旋转的：它们离查询越来越近。',
    en: 'After an eviction slots move up, but stored keys stay turned by their old numbers: to the query they all seem near.',
  },
  noMistake: {
    zh: '这个模型犯不了：它不是只靠旋转知道位置。',
    en: 'Not with this model: it does not know position by turning alone.',
  },
  rightWay: { zh: '对的', en: 'Right' },
  wrongWay: { zh: '错的', en: 'Wrong' },
  mistakeSentence: {
    zh: '从第 {0} 个词元起，每个词元的损失 {1} → {2}（困惑度 {3} → {4}）。',
    en: 'From token {0} on, loss per token {1} → {2} (perplexity {3} → {4}).',
  },
  sinkSentence: {
    zh: '它给最前四个词元 {0} 的注意力，平摊会是 {1}。没有汇的小模型丢了它们不要紧；大模型常常很依赖它们，丢了就垮。',
    en: 'It gives its first four tokens {0} of its attention; an even share would be {1}. A small model without a sink can lose them; large ones often lean on them heavily, and fall.',
  },
  room: { zh: '缓存能放', en: 'Room in the cache' },
  loss: { zh: '损失', en: 'Loss' },
  working: { zh: '正在算……', en: 'Working …' },
  token: { zh: '词元', en: 'Token' },
  position: { zh: '位置', en: 'Position' },
  said: { zh: '引擎的原话：{}', en: 'In the engine’s words: {}' },
} as const satisfies Record<string, Text>;

export type SmallWord = keyof typeof words;

/** A word of the page in a language; `{}`, `{0}` … are filled in order. */
export function smallWord(
  lang: Language,
  word: SmallWord,
  ...values: readonly (string | number)[]
): string {
  return words[word][lang].replace(/\{(\d*)\}/g, (_, place: string) =>
    String(values[Number(place || 0)]),
  );
}

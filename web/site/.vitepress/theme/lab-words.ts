/** The words of the page Lab. */
import { tasks } from 'posenc/lab';
import type { Fault } from '../../lab/protocol.js';
import type { SlotState } from '../../lab/crew.js';
import { TEXT, type Choices } from '../../lab/choices.js';
import type { Language, Text } from '../chapters.js';

const words = {
  task: { zh: '学什么', en: 'Task' },
  textTask: { zh: '接着写你自己的一段文字', en: 'Go on with a text of your own' },
  trainSizes: { zh: '练习长度 n', en: 'Train at sizes n' },
  low: { zh: '练：最短 n', en: 'Train from n =' },
  high: { zh: '练：最长 n', en: 'Train to n =' },
  textLength: { zh: '练习长度（字符）', en: 'Train at length (characters)' },
  upto: { zh: '最远考到', en: 'Test up to' },
  times: { zh: '{} 倍', en: '{} ×' },
  encodings: { zh: '比较哪些编码', en: 'Encodings to compare' },
  seed: { zh: '随机种子', en: 'Seed' },
  steps: { zh: '步数', en: 'Steps' },
  more: { zh: '更多：模型与优化器', en: 'More: model and optimizer' },
  width: { zh: '宽度', en: 'Width' },
  layers: { zh: '层数', en: 'Layers' },
  heads: { zh: '头数', en: 'Heads' },
  batch: { zh: '每步样本', en: 'Examples a step' },
  rate: { zh: '最高学习率', en: 'Highest rate' },
  text: { zh: '要学的文字', en: 'Text to learn' },
  textHint: {
    zh: '{0} 个字符，至少要 {1} 个。文字只留在这个浏览器里，不进地址。',
    en: '{0} characters, at least {1} are needed. The text stays in this browser and out of the address.',
  },
  start: { zh: '开始', en: 'Start' },
  pause: { zh: '暂停', en: 'Pause' },
  resume: { zh: '继续', en: 'Resume' },
  step: { zh: '走一步', en: 'One step' },
  cancel: { zh: '取消', en: 'Cancel' },
  reset: { zh: '还原选项', en: 'Reset choices' },
  nothing: { zh: '至少选一种编码。', en: 'Choose at least one encoding.' },
  ready: {
    zh: '{0} 种编码，各一个后台线程，同时最多 {1} 个。',
    en: '{0} encodings, each in a worker of its own, at most {1} at once.',
  },
  working: { zh: '{0} / {1} 个学完了。', en: '{0} of {1} have finished.' },
  held: { zh: '停住了。可以继续，也可以一步一步走。', en: 'Held. Go on, or step by step.' },
  finished: { zh: '都结束了。', en: 'All have ended.' },
  learners: { zh: '正在学的', en: 'Learners' },
  queued: { zh: '排队', en: 'waits' },
  starting: { zh: '装载中', en: 'loads' },
  running: { zh: '在学', en: 'learns' },
  pausing: { zh: '正在停下', en: 'comes to a halt' },
  paused: { zh: '暂停', en: 'paused' },
  done: { zh: '学完', en: 'finished' },
  cancelled: { zh: '已取消', en: 'cancelled' },
  broken: { zh: '出错', en: 'failed' },
  ofSteps: { zh: '{0} / {1} 步', en: 'step {0} of {1}' },
  pace: { zh: '每步 {} 毫秒', en: '{} ms a step' },
  retry: { zh: '从存档继续', en: 'Resume from what was kept' },
  weights: { zh: '下载权重', en: 'Weights' },
  weightsOf: { zh: '下载权重：{}', en: 'Weights of {}' },
  noWeights: { zh: '这个模型拿不出来：{}', en: 'This model cannot be had: {}' },
  loss: { zh: '损失', en: 'Loss' },
  accuracy: {
    zh: '练短考长：整个答案全对的比例',
    en: 'Train short, test long: answers right in every token',
  },
  textAccuracy: {
    zh: '练短考长：下一个字符猜对的比例',
    en: 'Train short, test long: next characters foreseen',
  },
  shaded: {
    zh: '底色标出练过的长度，竖线右边一个也没练过。',
    en: 'Shaded: trained. Nothing to the right of the line was ever trained.',
  },
  inside: { zh: '模型里面', en: 'Inside a model' },
  learner: { zh: '看哪个', en: 'Model' },
  layer: { zh: '层', en: 'Layer' },
  head: { zh: '头', en: 'Head' },
  attention: {
    zh: '注意力：每一行是一个记号，颜色越鲜明看得越多',
    en: 'Attention: each row is a token; the stronger a colour, the more it looks there',
  },
  bias: { zh: '偏置：按距离给分数加多少', en: 'Bias: what is added to scores by distance' },
  noView: {
    zh: '模型一装好，这里就有图。',
    en: 'There is a picture as soon as the model is loaded.',
  },
  data: { zh: '数据表', en: 'Data' },
  scrollable: { zh: '{}，可滚动', en: '{}, scrollable' },
  notSaved: { zh: '这个浏览器不能导出图片', en: 'This browser cannot export the image' },
  kept: { zh: '存下的运行', en: 'Kept runs' },
  keptNote: {
    zh: '存在这个浏览器的 IndexedDB 里，每 5 秒一次；刷新或崩溃以后可以接着学。',
    en: 'In IndexedDB of this browser, every 5 seconds, so that a run goes on after a reload or a crash.',
  },
  nothingKept: { zh: '还没有。', en: 'None yet.' },
  notKept: {
    zh: '这个浏览器不让网页存数据（无痕窗口，或者空间满了），所以刷新后接不上；别的都照常。（{}）',
    en: 'This browser does not let the page keep data (a private window, or no room left): runs cannot go on after a reload. Everything else works. ({})',
  },
  unfinished: { zh: '有 {} 个没学完。', en: '{} did not finish.' },
  resumeAll: { zh: '接着学', en: 'Resume them' },
  keptTask: { zh: '{0}，练 {1}', en: '{0}, trained at {1}' },
  encoding: { zh: '编码', en: 'Encoding' },
  stepsDone: { zh: '步数', en: 'Steps' },
  size: { zh: '考 {}', en: 'at {}' },
  sizeScore: { zh: '考 {0}：{1}%', en: 'at {0}: {1}%' },
  actions: { zh: '操作', en: 'Actions' },
  resumeOf: { zh: '继续：{}', en: 'Resume {}' },
  remove: { zh: '删除', en: 'Delete' },
  removeOf: { zh: '删除：{}', en: 'Delete {}' },
  removeAll: { zh: '全部删除', en: 'Delete all' },
  csv: { zh: '导出 CSV', en: 'Export CSV' },
  gone: { zh: '存档已经不在了。', en: 'What was kept is gone.' },
} as const satisfies Record<string, Text>;

export type LabWord = keyof typeof words;

/** Choices that are numbers; their words are those of their fields. */
export type NumberName = Exclude<keyof Choices, 'task' | 'pe' | 'upto'>;

/** What helps in each kind of trouble. */
const faults: Readonly<Record<Fault['kind'], Text>> = {
  memory: {
    zh: '内存不够了。把宽度、每步样本或长度调小，或少选几种编码。',
    en: 'Out of memory. Make width, examples a step or sizes smaller, or choose fewer encodings.',
  },
  load: {
    zh: '计算内核启动不了：浏览器需要支持 WebAssembly SIMD，内容安全策略需要允许 wasm-unsafe-eval。',
    en: 'The kernels do not start: the browser needs WebAssembly SIMD, and a content security policy must allow wasm-unsafe-eval.',
  },
  short: {
    zh: '文字太短。再贴长一些，或把练习长度、最远考到的倍数调小。',
    en: 'The text is too short. Paste more, or make the trained length or the tested multiple smaller.',
  },
  rate: {
    zh: '损失不再是有限的数。把学习率调低。',
    en: 'The loss is no finite number any more. Take a lower rate.',
  },
  file: {
    zh: '存档读不了，可能是别的版本写的。删掉它，重新开始。',
    en: 'What was kept cannot be read; another version may have written it. Delete it and start anew.',
  },
  lost: {
    zh: '后台线程意外结束，多半是内存不够，或浏览器收回了它。可以从最近的存档继续。',
    en: 'The worker ended unexpectedly: memory ran out, or the browser took it back. It can go on from what was kept last.',
  },
  other: { zh: '没能进行下去。', en: 'It could not go on.' },
};

/** A word of the page in a language; `{}`, `{0}`, `{1}` are filled. */
export function labWord(lang: Language, word: LabWord, ...values: (string | number)[]): string {
  return words[word][lang].replace(/\{(\d?)\}/g, (_, place: string) =>
    String(values[Number(place || 0)]),
  );
}

/** How the state of a learner reads. */
export const stateWord = (lang: Language, state: SlotState): string => labWord(lang, state);

/** What went wrong and what helps. */
export function faultText(lang: Language, { kind, message }: Fault): string {
  const helps = faults[kind][lang];
  if (message === '') return helps;
  return lang === 'zh' ? `${helps}（${message}）` : `${helps} (${message})`;
}

/** What a task is about. */
export const taskTitle = (lang: Language, name: string): string =>
  name === TEXT
    ? labWord(lang, 'textTask')
    : (tasks.find((task) => task.name === name)?.about[lang] ?? name);

/** `1–10`, or one size. */
export const sizeRange = ([low, high]: readonly [number, number]): string =>
  low === high ? String(high) : `${low}–${high}`;

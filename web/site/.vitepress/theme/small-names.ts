/** Names of ways, and what errors of the page Small model mean to a reader. */
import type { Reason, Way } from '../../small/protocol.js';
import type { Language, Text } from '../chapters.js';

const wayNames: Readonly<Record<Way, Text>> = {
  own: { zh: '模型自己的', en: 'The model’s own' },
  nope: { zh: '没有位置（NoPE）', en: 'No position (NoPE)' },
  linear: { zh: 'RoPE，位置内插（PI）', en: 'RoPE, interpolated (PI)' },
  dynamic: { zh: 'RoPE，动态 NTK', en: 'RoPE, dynamic NTK' },
  yarn: { zh: 'RoPE，YaRN', en: 'RoPE, YaRN' },
  alibi: { zh: 'ALiBi', en: 'ALiBi' },
  window: { zh: '滑动窗口', en: 'Sliding window' },
  sinks: { zh: '汇加窗口（StreamingLLM）', en: 'Sinks and window (StreamingLLM)' },
};

/** The name of a way to know about position. */
export const wayName = (way: Way, lang: Language): string => wayNames[way][lang];

const reasons: Readonly<Record<Reason, Text>> = {
  stopped: { zh: '停下了。', en: 'Stopped.' },
  noWeights: {
    zh: '这里面没有权重：需要 .safetensors，或 llama2.c 的 .bin。',
    en: 'No weights among these: they are .safetensors, or a .bin of llama2.c.',
  },
  noConfig: {
    zh: '缺 config.json：请把它和权重一起拖进来。',
    en: 'config.json is missing: drop it together with the weights.',
  },
  noTokenizer: {
    zh: '缺分词器：请加上 tokenizer.json，llama2.c 则是 tokenizer.bin。',
    en: 'The tokenizer is missing: add tokenizer.json, or tokenizer.bin of llama2.c.',
  },
  tooBig: {
    zh: '太大了：浏览器里的一个模块最多 4 GiB。请换小一点的模型。',
    en: 'Too large: a module in a browser has at most 4 GiB. Take a smaller model.',
  },
  memory: {
    zh: '内存不够。把矩阵存成 f16 或 int8，或关掉别的标签页再试。',
    en: 'Out of memory. Hold matrices as f16 or int8, or close other tabs and try again.',
  },
  family: {
    zh: '这里跑不了这一类模型。能跑的 model_type：',
    en: 'Models of this family do not run here. These values of model_type do:',
  },
  tensors: {
    zh: '权重和配置对不上：缺张量、多张量，或形状不同。一个模型的所有分片都要拖进来。',
    en: 'Weights and config do not fit: tensors are missing, unknown or of other shapes. A split model needs all its parts.',
  },
  broken: {
    zh: '文件坏了，或者不是检查点：可能没下载完，或只是 Git LFS 的指针。',
    en: 'The file is broken or no checkpoint: perhaps cut short, or only a pointer of Git LFS.',
  },
  decoder: {
    zh: '这个模型不会一个词一个词地写：这里要只有解码器的模型。',
    en: 'This model does not write word by word: the page needs one that is a decoder alone.',
  },
  alphabet: {
    zh: '这个小模型只认得它学过的字：',
    en: 'This small model knows only the characters that it learned:',
  },
  tooShort: { zh: '文字太短，多写几个字。', en: 'The text is too short: write a little more.' },
  fetch: { zh: '没能取到模型文件，再试一次。', en: 'The model’s file did not come. Try again.' },
  wasm: {
    zh: 'WebAssembly 启动不了：浏览器太旧，或内容安全策略（CSP）不许。',
    en: 'WebAssembly does not start: the browser is too old, or a policy (CSP) forbids it.',
  },
  other: { zh: '没有成。', en: 'It did not work.' },
};

/** What an error means to a reader. */
export const reasonText = (reason: Reason, lang: Language): string => reasons[reason][lang];

/** The pages of the API reference, one per noun, and which of them shows a symbol. */

/**
 * @typedef {object} Group
 * @property {string} path file name below `en/api/`
 * @property {{ zh: string, en: string }} title
 * @property {{ zh: string, en: string }} about one line
 * @property {string} [lead] Markdown before the symbols, where the line does not say how to get there
 * @property {string} [first] the symbol to begin with; else functions come first
 */

/** In the order of their list. @type {readonly Group[]} */
export const groups = [
  {
    path: 'load',
    title: { zh: '加载与错误', en: 'Load and errors' },
    about: {
      zh: '取得模块；哪里不对，错误会说清。',
      en: 'Getting the module, and what errors tell.',
    },
    first: 'load',
  },
  {
    path: 'encodings',
    title: { zh: '编码', en: 'Encodings' },
    about: {
      zh: '配置好的编码能做什么，登记表怎样描述它。',
      en: 'What a configured encoding does, and how the registry describes it.',
    },
    lead: '`encoding` of a [loaded module](/en/api/load.html#Posenc) configures one by its name. Which there are, with their options and papers: [Encodings](/en/encodings.html).',
    first: 'Encoding',
  },
  {
    path: 'options',
    title: { zh: '编码的选项', en: 'Options of encodings' },
    about: {
      zh: '每种编码的选项类型，含形状与出处。',
      en: 'The options of each encoding as types, with shapes and sources.',
    },
    lead: 'The same by encoding, with hooks and models: [Encodings](/en/encodings.html).',
  },
  {
    path: 'attention',
    title: { zh: '注意力', en: 'Attention' },
    about: {
      zh: '任意编码下的精确注意力，途中每一步都能读出。',
      en: 'Exact attention with any encoding; every stage can be read out.',
    },
    lead: '`attention` of a [loaded module](/en/api/load.html#Posenc) composes the logit in one order: `s = scale · (q·k + content)` → softcap → `+ bias` → mask → softmax → `· v`.',
    first: 'AttentionInputs',
  },
  {
    path: 'interop',
    title: { zh: 'ONNX 与 PyTorch', en: 'ONNX and PyTorch' },
    about: {
      zh: 'ONNX 的 Attention 与 RotaryEmbedding、PyTorch 的 SDPA，名称与语义照旧。',
      en: 'Attention and RotaryEmbedding of ONNX and the SDPA of PyTorch, with their names and semantics.',
    },
    lead: 'Methods of a [loaded module](/en/api/load.html#Posenc).',
    first: 'Interop',
  },
  {
    path: 'cache',
    title: { zh: '缓存', en: 'Cache' },
    about: {
      zh: '已见词元的键与值：逐个、分块、填充或淘汰，结果与一次算完相同。',
      en: 'Keys and values of tokens so far: decoding in any way gives the numbers of prefill.',
    },
    lead: '`kvCache` of a [loaded module](/en/api/load.html#Posenc) makes one.',
    first: 'KvCache',
  },
  {
    path: 'threads',
    title: { zh: '线程', en: 'Threads' },
    about: {
      zh: '同样的注意力，由几个线程分担，结果逐位相同。',
      en: 'The same attention, shared by several threads, with the same bits.',
    },
    lead: '`posenc/threads` exports all that `posenc` does; its `load` takes `ThreadsOptions` and gives a `ThreadedPosenc`. Threads share memory, which browsers allow on pages that are [cross-origin isolated](https://developer.mozilla.org/docs/Web/API/Window/crossOriginIsolated). Elsewhere there is one thread, and `info.threads` says so.',
    first: 'ThreadedPosenc',
  },
  {
    path: 'positions',
    title: { zh: '位置', en: 'Positions' },
    about: {
      zh: '填充、打包、缓存、图像与训练时，词元各在哪里。',
      en: 'Where tokens stand under padding, packing, caches, images and training.',
    },
    lead: 'Plain functions that need no loaded module.',
  },
  {
    path: 'layout',
    title: { zh: '布局', en: 'Layout' },
    about: {
      zh: 'RoPE 的两种布局：转换与辨认。',
      en: 'The two layouts of RoPE: conversion and detection.',
    },
    lead: 'Plain functions that need no loaded module.',
  },
  {
    path: 'scaling',
    title: { zh: '上下文扩展', en: 'Scaling' },
    about: {
      zh: '拉长上下文的各种规则与它们的频率表。',
      en: 'The rules that stretch a context, and the frequency tables they make.',
    },
    lead: 'The encoding `rope` takes a rule as its option `scaling`; alone, the rules need no loaded module.',
    first: 'scaleFrequencies',
  },
  {
    path: 'inspect',
    title: { zh: '体检', en: 'Inspect' },
    about: {
      zh: '从 config.json 读出每一层怎样对待位置。',
      en: 'How each layer of a model handles position, read from its config.json.',
    },
    lead: '`posenc/inspect` exports this alone, for pages that need nothing else. Try it: [Inspect](/en/inspect.html).',
  },
  {
    path: 'model',
    title: { zh: '模型', en: 'Models' },
    about: {
      zh: '载入真实的小模型：生成、困惑度、看进每一层；检查点与分词器。',
      en: 'Small models that run: text, perplexity, the inside of each layer; checkpoints and tokenizers.',
    },
    lead: '`loadModel` of a [loaded module](/en/api/load.html#Posenc) makes a `LanguageModel` of a checkpoint, `createModel` one to be trained, `linear` runs one layer; checkpoints and tokenizers need no module.',
    first: 'LanguageModel',
  },
  {
    path: 'train',
    title: { zh: '训练', en: 'Training' },
    about: {
      zh: '整个模型与编码的梯度，AdamW 的一步步更新。',
      en: 'Gradients of a whole model and its encodings, and the steps of AdamW.',
    },
    lead: '`trainer` of a [loaded module](/en/api/load.html#Posenc) makes one of a loaded model.',
    first: 'Trainer',
  },
  {
    path: 'lab',
    title: { zh: '实验室', en: 'Lab' },
    about: {
      zh: '在短处训练小模型，到长处考它们，一种编码比一种：任务、配方、能存能续的训练。',
      en: 'Small models trained at short lengths and tried at longer ones, one encoding against another.',
    },
    lead: '`posenc/lab` exports this; a [loaded module](/en/api/load.html#Posenc) is passed in. `npm run train -- recipe.json` of the repository does the same for many runs, on all cores.',
    first: 'startRun',
  },
  {
    path: 'tensors',
    title: { zh: '张量与随机数', en: 'Tensors and random numbers' },
    about: {
      zh: '常驻模块内存的数据，与处处相同的随机数。',
      en: 'Data in the memory of the module, and random numbers that are the same everywhere.',
    },
    lead: '`tensor`, `zeros` and `random` of a [loaded module](/en/api/load.html#Posenc) make them.',
    first: 'Tensor',
  },
];

/** Where the symbols of `types.ts` stand; all others with the encodings. */
const partsOfTypes = [
  { path: 'load', names: /^(Load|Posenc$|Variant$)/ },
  { path: 'attention', names: /^(Attention|Tap$)/ },
  { path: 'positions', names: /^Position/ },
  { path: 'tensors', names: /^(Tensor$|Data$|Random$)/ },
];

/**
 * The path of the group that shows a symbol.
 * @param {{ name: string, file: string }} symbol
 */
export function groupOf({ name, file }) {
  if (file === 'types.ts')
    return partsOfTypes.find(({ names }) => names.test(name))?.path ?? 'encodings';
  if (file.startsWith('encodings/')) return 'options';
  if (file === 'error.ts') return 'load';
  const topic = file.split(/[/.]/, 1)[0];
  if (groups.some(({ path }) => path === topic)) return topic;
  throw new Error(`scripts/reference/groups.mjs has no page for ${name} of web/api/${file}`);
}

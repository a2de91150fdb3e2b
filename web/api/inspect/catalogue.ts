import type { NoteLevel } from './plan.js';

/** A note before its numbers are filled in. */
interface Template<P> {
  readonly level: NoteLevel;
  readonly en: (given: P) => string;
  readonly zh: (given: P) => string;
}

const note = <P>(
  level: NoteLevel,
  en: (given: P) => string,
  zh: (given: P) => string,
): Template<P> => ({ level, en, zh });

type Type = { type: string };
type Length = { length: number };

/** Remarks on which config was read, and as what. */
const reading = {
  'read-through': note<{ path: string }>(
    'info',
    ({ path }) => `This is a wrapper config; the language model in ${path} was read.`,
    ({ path }) => `这是一个外层配置，读取的是 ${path} 里的语言模型。`,
  ),
  'outer-fields-ignored': note<{ names: string; path: string }>(
    'warning',
    ({ names, path }) =>
      `Outside ${path} these fields look like position settings and were not used: ${names}.`,
    ({ names, path }) => `${path} 之外有些字段像是位置设置，没有采用：${names}。`,
  ),
  'model-type-from-architecture': note<{ architecture: string } & Type>(
    'info',
    ({ architecture, type }) => `model_type is missing; ${architecture} was read as ${type}.`,
    ({ architecture, type }) => `缺少 model_type；按 ${architecture} 读作 ${type}。`,
  ),
  'unknown-model-type': note<{ type: string | null }>(
    'warning',
    ({ type }) =>
      `${type === null ? 'The config has no model_type' : `Model type ${type} is not known yet`}: ` +
      'its rotary fields were read the usual way, which is wrong where its code treats some layers in another.',
    ({ type }) =>
      `${type === null ? '配置里没有 model_type' : `尚不认识模型类型 ${type}`}：` +
      '其旋转字段按通常含义读取；若其代码对某些层另行处理，结果就不对。',
  ),
  'unknown-encoding': note<{ type: string | null }>(
    'error',
    ({ type }) =>
      `How ${type === null ? 'this model' : `a model of type ${type}`} encodes position cannot be told: ` +
      'the type is not known yet and the config has no rotary fields.',
    ({ type }) =>
      `无法判断${type === null ? '该模型' : `类型为 ${type} 的模型`}如何编码位置：` +
      '尚不认识这个类型，配置里也没有旋转字段。',
  ),
  'special-model': note<Type>(
    'warning',
    ({ type }) =>
      `Layers of ${type} differ in ways that the fields alone do not tell, and this type is not computed ` +
      'yet: the fields are shown, the frequencies are not.',
    ({ type }) =>
      `${type} 各层的差别无法只凭字段得知，这个类型尚未支持计算：只列出字段，不给出频率。`,
  ),
  'special-fields': note<{ names: string }>(
    'warning',
    ({ names }) =>
      `These fields change how position works, which is not computed yet: ${names}. ` +
      'No frequencies are given.',
    ({ names }) => `这些字段改变了位置的用法，尚未支持计算：${names}。不给出频率。`,
  ),
  'fields-not-read': note<{ names: string; hint: string | null }>(
    'warning',
    ({ names, hint }) =>
      `These fields look like position settings but had no effect on this plan: ${names}.` +
      (hint === null ? '' : ` Did you mean ${hint}?`),
    ({ names, hint }) =>
      `这些字段像是位置设置，但对本结果没有影响：${names}。` +
      (hint === null ? '' : `是否想写 ${hint}？`),
  ),
};

/** Remarks on heads, layers and lengths. */
const shape = {
  'default-assumed': note<{ name: string; value: number } & Type>(
    'info',
    ({ name, value, type }) => `${name} is missing; ${type} takes ${value}.`,
    ({ name, value, type }) => `缺少 ${name}；${type} 的默认值是 ${value}。`,
  ),
  'layers-missing': note<object>(
    'warning',
    () => 'The number of layers is missing: one layer stands for all.',
    () => '缺少层数：以一层代表全部。',
  ),
  'head-dim-missing': note<object>(
    'error',
    () => 'The head size cannot be told: give head_dim, or hidden_size and num_attention_heads.',
    () => '无法得知每个头的宽度：请给出 head_dim，或 hidden_size 与 num_attention_heads。',
  ),
  'head-dim-explicit': note<{ headDim: number; quotient: number }>(
    'info',
    ({ headDim, quotient }) =>
      `The head size is given as ${headDim}, although hidden size / heads is ${quotient}; the given one counts.`,
    ({ headDim, quotient }) =>
      `头宽明确给出为 ${headDim}，而隐藏宽度 / 头数是 ${quotient}；以给出的为准。`,
  ),
  'heads-not-dividing': note<{ hiddenSize: number; heads: number }>(
    'error',
    ({ hiddenSize, heads }) =>
      `hidden size ${hiddenSize} is not a multiple of ${heads} heads, and no head_dim is given: ` +
      'such a model cannot be built.',
    ({ hiddenSize, heads }) =>
      `隐藏宽度 ${hiddenSize} 不是头数 ${heads} 的倍数，又没有给出 head_dim：这样的模型无法建立。`,
  ),
  'kv-heads-not-dividing': note<{ kvHeads: number; heads: number }>(
    'error',
    ({ kvHeads, heads }) =>
      `${heads} query heads cannot be shared out evenly among ${kvHeads} key heads.`,
    ({ kvHeads, heads }) => `${heads} 个查询头无法平均分给 ${kvHeads} 个键头。`,
  ),
  contradiction: note<{ kept: string; keptValue: string; other: string; otherValue: string }>(
    'error',
    ({ kept, keptValue, other, otherValue }) =>
      `${kept} says ${keptValue}, ${other} says ${otherValue}; ${kept} was used.`,
    ({ kept, keptValue, other, otherValue }) =>
      `${kept} 是 ${keptValue}，${other} 是 ${otherValue}，互相矛盾；采用了 ${kept}。`,
  ),
  'trained-length-missing': note<object>(
    'warning',
    () => 'The config does not say how long the training sequences were.',
    () => '配置没有说明训练时的序列有多长。',
  ),
  'claimed-length': note<{ trained: number; claimed: number }>(
    'info',
    ({ trained, claimed }) =>
      `Trained on seq_length ${trained}; max_position_embeddings ${claimed} is reached only by stretching.`,
    ({ trained, claimed }) =>
      `训练长度是 seq_length ${trained}；max_position_embeddings ${claimed} 要靠拉伸才能达到。`,
  ),
};

/** Remarks on the rotary fields. */
const rope = {
  'base-default': note<{ base: number } & Type>(
    'info',
    ({ base, type }) => `The config names no base; ${type} takes ${base}.`,
    ({ base, type }) => `配置没有给出底数；${type} 的默认值是 ${base}。`,
  ),
  'base-missing': note<object>(
    'error',
    () =>
      'The config names no base (rope_theta), and the default of this model type is not known yet.',
    () => '配置没有给出底数（rope_theta），而这个模型类型的默认值尚不清楚。',
  ),
  'rotary-fraction-default': note<{ fraction: number } & Type>(
    'info',
    ({ fraction, type }) =>
      `The config names no rotary fraction; ${type} turns ${fraction} of each head.`,
    ({ fraction, type }) => `配置没有给出旋转比例；${type} 默认旋转每个头的 ${fraction}。`,
  ),
  'rotary-fraction-undeclared': note<{ name: string } & Type>(
    'warning',
    ({ name, type }) =>
      `${name} is not a setting of ${type} in transformers; its code may turn whole heads all the same.`,
    ({ name, type }) => `${name} 不是 transformers 中 ${type} 的设置；其代码可能仍旋转整个头。`,
  ),
  'rotary-dim-invalid': note<{ rotaryDim: number; headDim: number }>(
    'error',
    ({ rotaryDim, headDim }) =>
      `${rotaryDim} of ${headDim} dimensions would turn; it must be an even number from 2 to ${headDim}.`,
    ({ rotaryDim, headDim }) =>
      `${headDim} 维中要旋转 ${rotaryDim} 维；必须是 2 到 ${headDim} 之间的偶数。`,
  ),
  'rule-not-computed': note<Type>(
    'warning',
    ({ type }) => `The scaling rule ${type} is not computed yet: no frequencies are given.`,
    ({ type }) => `缩放规则 ${type} 尚未支持计算：不给出频率。`,
  ),
  'rule-unknown': note<{ hint: string | null } & Type>(
    'error',
    ({ type, hint }) =>
      `There is no scaling rule ${type}.` + (hint === null ? '' : ` Did you mean ${hint}?`),
    ({ type, hint }) =>
      `没有名为 ${type} 的缩放规则。` + (hint === null ? '' : `是否想写 ${hint}？`),
  ),
  'rule-missing': note<{ factor: number }>(
    'error',
    ({ factor }) =>
      `There is a factor ${factor} but no rope_type: which rule it belongs to cannot be told.`,
    ({ factor }) => `有缩放倍数 ${factor}，但没有 rope_type：无法得知属于哪条规则。`,
  ),
  'rule-parameter-missing': note<{ name: string } & Type>(
    'error',
    ({ type, name }) => `The scaling rule ${type} needs ${name}.`,
    ({ type, name }) => `缩放规则 ${type} 需要 ${name}。`,
  ),
  'factor-one': note<Type>(
    'info',
    ({ type }) => `The rule ${type} with factor 1 changes nothing.`,
    ({ type }) => `规则 ${type} 的倍数为 1，不改变任何频率。`,
  ),
  'factor-ignored': note<{ factor: number }>(
    'warning',
    ({ factor }) => `The rule is "default", so the factor ${factor} has no effect.`,
    ({ factor }) => `规则是 "default"，所以倍数 ${factor} 不起作用。`,
  ),
  'text-only': note<object>(
    'warning',
    () =>
      'The rotary pairs are shared out among time, height and width (M-RoPE). The frequencies hold for all; ' +
      'positions of images and video are not computed yet. Text is not affected.',
    () =>
      '旋转对分给时间、高、宽三轴（M-RoPE）。频率适用于所有情形；图像与视频的位置尚未支持计算，文本不受影响。',
  ),
  'layout-half': note<Type>(
    'info',
    ({ type }) =>
      `Layout half, as in Hugging Face checkpoints of ${type}; the original weights of the authors ` +
      '(consolidated files) are interleaved.',
    ({ type }) =>
      `布局为 half，与 ${type} 的 Hugging Face 权重一致；作者发布的原始权重（consolidated 文件）是 interleaved。`,
  ),
  'layout-assumed': note<object>(
    'warning',
    () =>
      'The layout is not in the config; half was assumed, as in most Hugging Face checkpoints ' +
      '(GLM, Cohere, DeepSeek and GPT-J are interleaved).',
    () =>
      '配置不含布局信息；假定为 half，与多数 Hugging Face 权重一致（GLM、Cohere、DeepSeek、GPT-J 是 interleaved）。',
  ),
  'layer-types-missing': note<object>(
    'warning',
    () =>
      'Rotary settings are given per layer type, but layer_types does not say which layers these are.',
    () => '旋转设置按层类型给出，但没有 layer_types 说明哪些层属于哪一类。',
  ),
  'layer-type-unknown': note<{ layerType: string }>(
    'warning',
    ({ layerType }) => `Layers of type ${layerType} are not computed yet.`,
    ({ layerType }) => `类型为 ${layerType} 的层尚未支持计算。`,
  ),
  'layer-type-without-settings': note<{ layerType: string }>(
    'error',
    ({ layerType }) => `There are layers of type ${layerType}, but no rotary settings for them.`,
    ({ layerType }) => `有类型为 ${layerType} 的层，却没有相应的旋转设置。`,
  ),
  'dynamic-base': note<Length>(
    'info',
    ({ length }) =>
      `use_dynamic_ntk: for sequences over ${length} tokens the model raises its base.`,
    ({ length }) => `use_dynamic_ntk：序列超过 ${length} 个 token 时模型会增大底数。`,
  ),
  'log-n': note<Length>(
    'info',
    ({ length }) =>
      `use_logn_attn: in sequences over ${length} tokens, queries past that position p are multiplied by log p / log ${length}.`,
    ({ length }) =>
      `use_logn_attn：序列超过 ${length} 个 token 时，其后位置 p 的查询乘以 log p / log ${length}。`,
  ),
};

/** Remarks on windows and on the asked length. */
const length = {
  'window-counts-self': note<{ window: number }>(
    'info',
    ({ window }) => `A window of ${window} means ${window} keys, the token itself included.`,
    ({ window }) => `窗口 ${window} 指 ${window} 个键，包括 token 自己。`,
  ),
  'window-off': note<{ window: number }>(
    'info',
    ({ window }) => `use_sliding_window is not true, so sliding_window ${window} has no effect.`,
    ({ window }) => `use_sliding_window 不为 true，所以 sliding_window ${window} 不起作用。`,
  ),
  'window-unused': note<{ window: number }>(
    'warning',
    ({ window }) => `The window of ${window} is on, but no layer uses it.`,
    ({ window }) => `窗口 ${window} 已打开，但没有层使用它。`,
  ),
  'window-missing': note<{ layerType: string }>(
    'error',
    ({ layerType }) => `There are layers of type ${layerType}, but no sliding_window.`,
    ({ layerType }) => `有类型为 ${layerType} 的层，却没有 sliding_window。`,
  ),
  'window-layers-unknown': note<{ window: number }>(
    'warning',
    ({ window }) =>
      `Which layers use the window of ${window} is not in the config; none was assumed.`,
    ({ window }) => `配置没有说明哪些层使用窗口 ${window}；假定都不使用。`,
  ),
  'unseen-phases': note<{ asked: number; reach: number; pairs: number; of: number; first: number }>(
    'warning',
    ({ asked, reach, pairs, of, first }) =>
      `Asked ${asked}, but training saw no distance of ${reach} or more: ${pairs} of ${of} pairs ` +
      `(from pair ${first}) never completed a turn and would enter angles that were never trained.`,
    ({ asked, reach, pairs, of, first }) =>
      `要求 ${asked}，而训练中没有 ${reach} 及以上的距离：${of} 对中有 ${pairs} 对（从第 ${first} 对起）从未转满一圈，` +
      '会进入从未训练过的角度。',
  ),
  'beyond-trained': note<{ asked: number; trained: number }>(
    'warning',
    ({ asked, trained }) => `Asked ${asked}, beyond the trained length of ${trained}.`,
    ({ asked, trained }) => `要求 ${asked}，超出训练长度 ${trained}。`,
  ),
  'window-bounds-distance': note<{ asked: number; window: number }>(
    'info',
    ({ asked, window }) =>
      `Asked ${asked}: no layer looks back ${window} tokens or more, so no new angle appears.`,
    ({ asked, window }) =>
      `要求 ${asked}：没有层会回看 ${window} 个及以上的 token，所以不会出现新的角度。`,
  ),
  'alibi-extrapolates': note<{ asked: number; trained: number }>(
    'warning',
    ({ asked, trained }) =>
      `ALiBi has a bias for every distance, so ${asked} runs; but training ended at ${trained}, ` +
      'and what lies farther back counts for little.',
    ({ asked, trained }) =>
      `ALiBi 对任何距离都有偏置，所以 ${asked} 可以运行；但训练只到 ${trained}，更远的内容权重很小。`,
  ),
  'table-ends': note<{ asked: number; positions: number }>(
    'error',
    ({ asked, positions }) =>
      `Asked ${asked}, but the position table has ${positions} rows: positions from ${positions} on do not exist.`,
    ({ asked, positions }) =>
      `要求 ${asked}，而位置表只有 ${positions} 行：从位置 ${positions} 起不存在。`,
  ),
};

/** Every remark that `inspect` can make, by code. */
export const catalogue = { ...reading, ...shape, ...rope, ...length };

/** Codes of all notes. */
export type NoteCode = keyof typeof catalogue;

/** What the note of this code has to be given. */
export type NoteDetails<Code extends NoteCode> = Parameters<(typeof catalogue)[Code]['en']>[0];

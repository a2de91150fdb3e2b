import { note } from './note.js';
import type { Type } from './note.js';

/** Remarks on the rotary fields. */
export const rope = {
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
  'base-default-of-layers': note<{ base: number; layerType: string } & Type>(
    'info',
    ({ base, type, layerType }) =>
      `The config names no base for layers of type ${layerType}; ${type} takes ${base}.`,
    ({ base, type, layerType }) =>
      `配置没有给出类型为 ${layerType} 的层的底数；${type} 的默认值是 ${base}。`,
  ),
  'base-ratio': note<{ ratio: number; base: number }>(
    'info',
    ({ ratio, base }) => `rope_ratio ${ratio} multiplies the default base: ${base}.`,
    ({ ratio, base }) => `rope_ratio ${ratio} 乘以默认底数：${base}。`,
  ),
  'rotary-fraction-latent': note<{ name: string } & Type>(
    'warning',
    ({ name, type }) =>
      `${name} was not applied: ${type} turns all of qk_rope_head_dim, and halving that breaks the model.`,
    ({ name, type }) => `没有采用 ${name}：${type} 旋转整个 qk_rope_head_dim，减半会使模型出错。`,
  ),
  latent: note<{ nope: number; rotary: number; whole: number }>(
    'info',
    ({ nope, rotary, whole }) =>
      `Latent attention (MLA): of ${whole} dimensions of a query or key, ${nope} carry no position and the ` +
      `last ${rotary} turn; the softmax divides by √${whole}.`,
    ({ nope, rotary, whole }) =>
      `潜在注意力（MLA）：查询与键的 ${whole} 维中，${nope} 维不带位置，后 ${rotary} 维旋转；softmax 除以 √${whole}。`,
  ),
  'turns-backwards': note<Type>(
    'warning',
    ({ type }) =>
      `${type} turns by the negative angle: scores are the same, but its weights want the inverse rotation.`,
    ({ type }) => `${type} 按负角度旋转：分数相同，但其权重需要反向旋转。`,
  ),
  sections: note<{ sizes: string; order: string }>(
    'info',
    ({ sizes, order }) =>
      `M-RoPE: of the pairs, ${sizes} turn by time, height and width, ${order}. ` +
      'Text has the three alike and turns as in plain RoPE.',
    ({ sizes, order }) =>
      `M-RoPE：各有 ${sizes} 对按时间、高、宽旋转，${order === 'interleaved' ? '交错' : '分段'}排列。` +
      '文本的三个坐标相同，与普通 RoPE 一样旋转。',
  ),
  'sections-mismatch': note<{ sum: number; pairs: number }>(
    'error',
    ({ sum, pairs }) =>
      `mrope_section needs three whole numbers that add up to the ${pairs} pairs, not ${sum}: ` +
      'which pair turns by which axis cannot be told.',
    ({ sum, pairs }) =>
      `mrope_section 应是三个整数，总和等于对数 ${pairs}，而不是 ${sum}：无法得知哪一对按哪个轴旋转。`,
  ),
  'latent-still': note<{ whole: number }>(
    'info',
    ({ whole }) =>
      `Latent attention without rotation: all ${whole} dimensions of a query or key carry no position, also ` +
      `those that qk_rope_head_dim sets apart; the softmax divides by √${whole}.`,
    ({ whole }) =>
      `不旋转的潜在注意力：查询与键的 ${whole} 维都不带位置，包括 qk_rope_head_dim 划出的那些；softmax 除以 √${whole}。`,
  ),
  'nope-anyway': note<object>(
    'warning',
    () =>
      'mla_use_nope is false, but the code of kimi_linear in transformers has no rotation at all, and was followed.',
    () => 'mla_use_nope 为 false，但 transformers 中 kimi_linear 的代码完全不旋转，这里照此处理。',
  ),
  'two-rotations': note<{ base: number; compressed: number }>(
    'info',
    ({ base, compressed }) =>
      `Sliding layers turn by base ${base} without any rule; compressed layers by base ${compressed}, and they alone have the rule.`,
    ({ base, compressed }) =>
      `滑动窗口层用底数 ${base}，没有缩放规则；压缩层用底数 ${compressed}，缩放规则只用于它们。`,
  ),
  'turns-back': note<Type>(
    'info',
    ({ type }) =>
      `In ${type} keys are the values too, rotation included: the output has to be turned back by the query's position.`,
    ({ type }) => `${type} 的键同时是值，连同旋转：输出必须按查询的位置反向转回。`,
  ),
  'yarn-unscaled': note<Type>(
    'info',
    ({ type }) => `${type} leaves out YaRN's factor on cos and sin.`,
    ({ type }) => `${type} 不使用 YaRN 的 cos、sin 系数。`,
  ),
  'rotary-dim-odd': note<{ width: number; pairs: number } & Type>(
    'warning',
    ({ width, pairs, type }) =>
      `The share of the head that turns is ${width} dimensions, an odd number: the code of ${type} makes ${pairs} pairs ` +
      `with exponents over ${width} and turns ${2 * pairs} dimensions.`,
    ({ width, pairs, type }) =>
      `旋转部分是 ${width} 维，为奇数：${type} 的代码生成 ${pairs} 对，指数以 ${width} 为分母，实际旋转 ${2 * pairs} 维。`,
  ),
  'grid-halves': note<Type>(
    'info',
    ({ type }) =>
      `${type} turns the first half of the pairs by the row of an image patch and the second by its column; ` +
      'the two share out the frequencies in turn.',
    ({ type }) => `${type} 的前一半对按图块的行旋转，后一半按列旋转；两者轮流分得频率。`,
  ),
  'grid-mixed': note<Type>(
    'info',
    ({ type }) =>
      `${type} turns all heads together before they are split, pairs in turn by row and column, counted from 1: ` +
      'heads differ in their frequencies. Only self-attention turns, cross-attention does not.',
    ({ type }) =>
      `${type} 在切分各头之前整体旋转，各对轮流按行、按列，从 1 数起：因此各头的频率不同。` +
      '只有自注意力旋转，交叉注意力不旋转。',
  ),
  'grid-rule': note<{ rule: string } & Type>(
    'error',
    ({ rule, type }) => `${type} turns without scaling rules; its code refuses ${rule}.`,
    ({ rule, type }) => `${type} 的旋转没有缩放规则；其代码拒绝 ${rule}。`,
  ),
  'grid-width': note<{ needed: number; made: number }>(
    'error',
    ({ needed, made }) =>
      `Frequencies for ${needed} dimensions are needed, half the hidden size, but head size times partial_rotary_factor makes ${made}.`,
    ({ needed, made }) =>
      `需要 ${needed} 维的频率（隐藏宽度的一半），而头宽乘以 partial_rotary_factor 是 ${made}。`,
  ),
};

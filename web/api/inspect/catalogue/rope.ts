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
};

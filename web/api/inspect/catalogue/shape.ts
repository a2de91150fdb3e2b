import { note } from './note.js';
import type { Type } from './note.js';

/** Remarks on heads, layers and lengths. */
export const shape = {
  'default-assumed': note<{ name: string; value: number | string } & Type>(
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
  'head-dim-floored': note<{ hiddenSize: number; heads: number; headDim: number } & Type>(
    'warning',
    ({ hiddenSize, heads, headDim, type }) =>
      `hidden size ${hiddenSize} is not a multiple of ${heads} heads; the code of ${type} rounds the head size down ` +
      `to ${headDim}. Published models give head_dim: perhaps it was lost.`,
    ({ hiddenSize, heads, headDim, type }) =>
      `隐藏宽度 ${hiddenSize} 不是头数 ${heads} 的倍数；${type} 的代码把头宽向下取整为 ${headDim}。` +
      '已发布的模型都写明 head_dim：也许它丢失了。',
  ),
  patches: note<{ side: number; extra: number; positions: number }>(
    'info',
    ({ side, extra, positions }) =>
      `The image has ${side} × ${side} patches; with ${extra} for the tokens beside them that is ${positions} positions.`,
    ({ side, extra, positions }) =>
      `图像有 ${side} × ${side} 个图块；加上 ${extra} 个额外的 token，共 ${positions} 个位置。`,
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

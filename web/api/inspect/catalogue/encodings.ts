import { note } from './note.js';
import type { Type } from './note.js';

/** Remarks on biases and tables. */
export const encodings = {
  'alibi-scaled': note<{ divisor: number }>(
    'warning',
    ({ divisor }) =>
      `Falcon divides its biases by √(head size) = ${Number(divisor.toPrecision(6))} along with the scores, and makes ` +
      'them in bfloat16: the slopes given here are the exact ones, divided.',
    ({ divisor }) =>
      `Falcon 把偏置与分数一起除以 √头宽 = ${Number(divisor.toPrecision(6))}，并以 bfloat16 计算：这里给出的是除过之后的精确斜率。`,
  ),
  'alibi-both-sides': note<object>(
    'info',
    () => 'The biases fall off on both sides of the query: −slope·|distance|.',
    () => '偏置在查询两侧都递减：−斜率·|距离|。',
  ),
  'baichuan-by-size': note<{ encoding: string }>(
    'info',
    ({ encoding }) =>
      `Baichuan configs do not name the encoding: 7B rotates and 13B has ALiBi; by its size this one has ${encoding}.`,
    ({ encoding }) =>
      `Baichuan 的配置不写明编码：7B 用 RoPE，13B 用 ALiBi；按大小判断此模型用 ${encoding}。`,
  ),
  't5-unscaled': note<object>(
    'info',
    () =>
      'T5 does not divide q·k by √(head size); the bias is added to q·k itself, and cross-attention has none.',
    () => 'T5 不把 q·k 除以 √头宽；偏置直接加到 q·k 上，交叉注意力没有偏置。',
  ),
  'buckets-saturate': note<{ saturatesAt: number; maxDistance: number }>(
    'info',
    ({ saturatesAt, maxDistance }) =>
      `From distance ${saturatesAt} on every token falls into the last bucket (not only from ${maxDistance}).`,
    ({ saturatesAt, maxDistance }) =>
      `从距离 ${saturatesAt} 起，所有 token 都落入最后一个桶（而不是从 ${maxDistance} 起）。`,
  ),
  'buckets-extrapolate': note<{ asked: number; trained: number }>(
    'warning',
    ({ asked, trained }) =>
      `Asked ${asked}, beyond the trained length of ${trained}: far tokens share the last bucket, so it runs, untested.`,
    ({ asked, trained }) =>
      `要求 ${asked}，超出训练长度 ${trained}：远处的 token 共用最后一个桶，可以运行，但未经检验。`,
  ),
  'relative-off': note<Type>(
    'warning',
    ({ type }) =>
      `relative_attention is not true: ${type} then attends without relative positions, which is not computed.`,
    ({ type }) => `relative_attention 不为 true：${type} 此时不用相对位置，尚未支持计算。`,
  ),
  disentangled: note<{ terms: string; scored: number }>(
    'info',
    ({ terms, scored }) => `Scores are ${terms}, divided by √(${scored} · head size).`,
    ({ terms, scored }) => `分数是 ${terms}，除以 √(${scored} · 头宽)。`,
  ),
  'position-type-unknown': note<{ kind: string }>(
    'warning',
    ({ kind }) => `position_embedding_type ${kind} is not computed.`,
    ({ kind }) => `尚未支持计算 position_embedding_type ${kind}。`,
  ),
  'table-offset': note<{ offset: number } & Type>(
    'info',
    ({ offset, type }) => `${type} keeps position 0 in row ${offset} of its table.`,
    ({ offset, type }) => `${type} 把位置 0 放在表的第 ${offset} 行。`,
  ),
  'padding-offset': note<{ padding: number; offset: number }>(
    'info',
    ({ padding, offset }) =>
      `Positions count from row ${offset}, after the padding row ${padding}; padding tokens are not counted, ` +
      'so the table holds fewer tokens than it has rows.',
    ({ padding, offset }) =>
      `位置从第 ${offset} 行数起，在填充行 ${padding} 之后；填充 token 不计数，所以能容纳的 token 少于表的行数。`,
  ),
};

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
      `relative_attention is not true: ${type} then has no relative positions, only those added to its input, if any. ` +
      'Published checkpoints have it on.',
    ({ type }) =>
      `relative_attention 不为 true：${type} 此时没有相对位置，只有加在输入上的位置（如果有）。已发布的权重都是打开的。`,
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
  sinusoids: note<{ side: string | null; denominator: string }>(
    'info',
    ({ side, denominator }) =>
      `${side === null ? 'The table' : `The table of the ${side}`} is sinusoidal, not learned: exponents i / (${denominator}), ` +
      (side === null ? 'sines and cosines in turn.' : 'first all sines, then all cosines.'),
    ({ side, denominator }) =>
      `${side === null ? '位置表' : side === 'encoder' ? '编码器的位置表' : '解码器的位置表'}是正弦的，不是学习得到的：指数为 i / (${denominator})，` +
      (side === null ? '正弦与余弦交错。' : '先是全部正弦，后是全部余弦。'),
  ),
  'sinusoids-grow': note<{ offset: number }>(
    'info',
    ({ offset }) =>
      `Position 0 has the sinusoids of ${offset}, padding has zeros and is not counted; rows beyond the stated length are made when needed.`,
    ({ offset }) =>
      `位置 0 用的是 ${offset} 处的正弦值，填充为零且不计数；超出所写长度的行在需要时生成。`,
  ),
  'table-and-buckets': note<object>(
    'info',
    () =>
      'Positions enter twice: a learned table at the input, and in every layer a bias per bucket of distances.',
    () => '位置进入两次：输入处的学习表，以及每一层按距离分桶的偏置。',
  ),
  'relative-keys': note<{ terms: string; rows: number }>(
    'info',
    ({ terms, rows }) =>
      `Every layer has ${rows} learned vectors, one per distance, that meet the content as ${terms}; nothing is added at the input. ` +
      'There is none for greater distances.',
    ({ terms, rows }) =>
      `每层有 ${rows} 个学习得到的向量，每个距离一个，以 ${terms} 与内容相遇；输入处不加位置。更大的距离没有向量。`,
  ),
  'segment-memory': note<{ memory: number }>(
    'info',
    ({ memory }) =>
      `Only distances matter, so a segment may look back into ${memory === 0 ? 'keys' : `up to ${memory} keys`} kept of earlier ones.`,
    ({ memory }) =>
      `只有距离起作用，所以一段可以回看之前各段保留的${memory === 0 ? '' : `至多 ${memory} 个`}键。`,
  ),
  'position-convolution': note<{ kernel: number; groups: number }>(
    'info',
    ({ kernel, groups }) =>
      `A convolution over ${kernel} frames in ${groups} groups, added to the input, tells the order; there is neither table nor end. ` +
      'All its numbers are trained weights, outside the config.',
    ({ kernel, groups }) =>
      `加在输入上的 ${kernel} 帧、${groups} 组卷积给出顺序；没有位置表，也没有长度上限。其数值都是训练得到的权重，不在配置里。`,
  ),
  'swin-table': note<{ window: number }>(
    'info',
    ({ window }) =>
      `Patches see only their window of ${window} × ${window}; a learned bias stands for each offset and head, and every ` +
      'second layer moves its windows by half.',
    ({ window }) =>
      `图块只看自己所在的 ${window} × ${window} 窗口；每个偏移与头有一个学习得到的偏置，每隔一层窗口移动一半。`,
  ),
  'swin-network': note<{ window: number }>(
    'info',
    ({ window }) =>
      `Patches see only their window of ${window} × ${window}; a small network of the log offset makes the biases, and ` +
      'attention compares directions (cosine) with a learned scale for each head.',
    ({ window }) =>
      `图块只看自己所在的 ${window} × ${window} 窗口；偏置由对数偏移的小网络给出，注意力比较方向（余弦），每个头有学习得到的系数。`,
  ),
  'absolute-too': note<object>(
    'info',
    () => 'use_absolute_embeddings adds a learned table of patches to the input as well.',
    () => 'use_absolute_embeddings 还在输入上加一个学习得到的图块位置表。',
  ),
  'local-radius': note<{ radius: number }>(
    'info',
    ({ radius }) => `Encoder layers see ${radius} tokens to each side.`,
    ({ radius }) => `编码器各层只看每侧 ${radius} 个 token。`,
  ),
  'global-blocks': note<{ block: number }>(
    'info',
    ({ block }) =>
      `Each block of ${block} tokens also has a summary that every token sees, with buckets of its own by distance in blocks.`,
    ({ block }) => `每 ${block} 个 token 还有一个所有 token 都能看到的摘要，按块距离另有分桶偏置。`,
  ),
};

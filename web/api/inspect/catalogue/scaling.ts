import { note } from './note.js';
import type { Length, Type } from './note.js';

/** Remarks on the rules that stretch the context. */
export const scaling = {
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
  'rule-default': note<Type>(
    'info',
    ({ type }) => `The config names no rotary settings; those that ${type} takes were read.`,
    ({ type }) => `配置没有给出旋转设置；采用了 ${type} 的默认设置。`,
  ),
  'rule-old-name': note<{ old: string } & Type>(
    'info',
    ({ old, type }) => `${old} is the old name of the rule ${type}.`,
    ({ old, type }) => `${old} 是规则 ${type} 的旧名。`,
  ),
  'rule-on-full-layers': note<{ rule: string } & Type>(
    'info',
    ({ rule, type }) =>
      `${type} applies the rule ${rule} to full layers only; sliding layers are not stretched.`,
    ({ rule, type }) => `${type} 只在全注意力层使用规则 ${rule}；滑动窗口层不拉伸。`,
  ),
  'parameter-unused': note<{ names: string } & Type>(
    'warning',
    ({ type, names }) => `The rule ${type} does not use ${names}.`,
    ({ type, names }) => `规则 ${type} 不使用 ${names}。`,
  ),
  'factor-derived': note<{ factor: number }>(
    'info',
    ({ factor }) => `No factor is given; claimed length / original length is ${factor}.`,
    ({ factor }) => `没有给出倍数；最大长度 / 原始长度是 ${factor}。`,
  ),
  'factor-recomputed': note<{ factor: number; ratio: number }>(
    'warning',
    ({ factor, ratio }) =>
      `The factor is ${factor}, but claimed length / original length is ${ratio}. Some versions of transformers ` +
      `(for YaRN those of March to August 2025) put the latter in its place` +
      (ratio === 1 ? ', which is no scaling at all.' : '.'),
    ({ factor, ratio }) =>
      `倍数是 ${factor}，而最大长度 / 原始长度是 ${ratio}。transformers 的一些版本（YaRN 为 2025 年 3 月至 8 月）会以后者代替` +
      (ratio === 1 ? '，等于完全不缩放。' : '。'),
  ),
  'original-length-assumed': note<Length & Type>(
    'warning',
    ({ type, length }) =>
      `The rule ${type} has no original_max_position_embeddings; max_position_embeddings ${length} was taken, ` +
      'as in transformers (mlx-lm takes 4096).',
    ({ type, length }) =>
      `规则 ${type} 没有 original_max_position_embeddings；与 transformers 一样采用 max_position_embeddings ${length}` +
      '（mlx-lm 采用 4096）。',
  ),
  'original-length-unused': note<{ original: number; claimed: number }>(
    'warning',
    ({ original, claimed }) =>
      `The rule dynamic goes by max_position_embeddings ${claimed}, not by original_max_position_embeddings ${original}.`,
    ({ original, claimed }) =>
      `规则 dynamic 依据 max_position_embeddings ${claimed}，而不是 original_max_position_embeddings ${original}。`,
  ),
  'dynamic-length': note<Length>(
    'info',
    ({ length }) =>
      `Dynamic NTK: up to ${length} tokens nothing changes; beyond, the base grows with the sequence.`,
    ({ length }) => `动态 NTK：不超过 ${length} 个 token 时不变；超过后底数随序列增大。`,
  ),
  'dynamic-cache': note<{ trained: number }>(
    'warning',
    ({ trained }) =>
      `Past ${trained} tokens every new one changes the base: keys cached after rotation were turned by older bases. ` +
      'Cache them before the rotation.',
    ({ trained }) =>
      `超过 ${trained} 个 token 后，每个新 token 都会改变底数：旋转后缓存的键用的是旧底数。应缓存旋转之前的键。`,
  ),
  'longrope-switch': note<Length>(
    'info',
    ({ length }) =>
      `Sequences of up to ${length} tokens use the short factors, longer ones the long factors; crossing that ` +
      'while generating invalidates every cached key. The sequence decides, not the allocated cache.',
    ({ length }) =>
      `不超过 ${length} 个 token 的序列用短因子，更长的用长因子；生成时越过这一长度，已缓存的键全部失效。` +
      '取决于序列长度，而不是分配的缓存。',
  ),
  'attention-factor-given': note<{ value: number }>(
    'info',
    ({ value }) =>
      `attention_factor ${value} replaces the rule's own factor on cos and sin (mlx-lm and TGI ignore it).`,
    ({ value }) =>
      `attention_factor ${value} 取代规则自己的 cos、sin 系数（mlx-lm 与 TGI 会忽略它）。`,
  ),
  'mscale-alone': note<{ mscale: number }>(
    'warning',
    ({ mscale }) =>
      `mscale ${mscale} without mscale_all_dim has no effect in transformers, which was followed; ` +
      'mlx-lm, TGI and the code of DeepSeek-V2 use it.',
    ({ mscale }) =>
      `只有 mscale ${mscale} 而没有 mscale_all_dim：在 transformers 中不起作用，这里照此处理；` +
      'mlx-lm、TGI 与 DeepSeek-V2 的代码会使用它。',
  ),
  'softmax-factor-unused': note<object>(
    'info',
    () =>
      'mscale_all_dim multiplies the softmax scale in latent attention only; here it acts on cos and sin alone.',
    () => 'mscale_all_dim 只在潜在注意力中乘到 softmax 系数上；这里只影响 cos 与 sin。',
  ),
  'softmax-factor-omitted': note<Type>(
    'warning',
    ({ type }) =>
      `transformers 5.0 leaves the softmax factor of mscale_all_dim out for ${type}; the authors' code has it, and so has this plan.`,
    ({ type }) =>
      `transformers 5.0 对 ${type} 漏掉了 mscale_all_dim 的 softmax 系数；作者的代码有这个系数，本结果也有。`,
  ),
  'factor-on-cos': note<{ rule: string; value: number }>(
    'info',
    ({ rule, value }) =>
      `${rule} multiplies cos and sin by ${Number(value.toPrecision(6))}, so q·k by its square.`,
    ({ rule, value }) =>
      `${rule} 把 cos 与 sin 乘以 ${Number(value.toPrecision(6))}，q·k 因此乘以其平方。`,
  ),
  'factor-on-softmax': note<{ value: number }>(
    'info',
    ({ value }) =>
      `mscale_all_dim multiplies the softmax scale by ${Number(value.toPrecision(6))}; code that only rotates must not forget it.`,
    ({ value }) =>
      `mscale_all_dim 把 softmax 系数乘以 ${Number(value.toPrecision(6))}；只做旋转的代码容易漏掉它。`,
  ),
  'truncate-off': note<object>(
    'warning',
    () =>
      'truncate is false: the ramp ends between pairs. transformers before August 2025, mlx-lm and TGI round them, ' +
      'which changes the blended pairs.',
    () =>
      'truncate 为 false：过渡区的端点落在两对之间。2025 年 8 月之前的 transformers、mlx-lm 与 TGI 会取整，过渡区各对因此不同。',
  ),
  'yarn-static': note<{ factor: number }>(
    'info',
    ({ factor }) =>
      `YaRN is static: short texts are stretched by ${factor} too, which can cost quality.`,
    ({ factor }) => `YaRN 是静态的：短文本也按 ${factor} 倍拉伸，可能损失质量。`,
  ),
};

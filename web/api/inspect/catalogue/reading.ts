import { note } from './note.js';
import type { Type } from './note.js';

/** Remarks on which config was read, and as what. */
export const reading = {
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
  'model-type-of-wrapper': note<Type>(
    'info',
    ({ type }) => `The inner config has no model_type; it was read as that of ${type}.`,
    ({ type }) => `内层配置没有 model_type；按 ${type} 的内层读取。`,
  ),
  gguf: note<{ architecture: string }>(
    'info',
    ({ architecture }) => `The metadata of a GGUF file of architecture ${architecture} was read.`,
    ({ architecture }) => `读取的是 GGUF 文件的元数据，架构为 ${architecture}。`,
  ),
  'gguf-keys-unread': note<{ names: string }>(
    'warning',
    ({ names }) => `These keys of the file had no effect on this plan: ${names}.`,
    ({ names }) => `文件里的这些键对本结果没有影响：${names}。`,
  ),
  'gguf-divisors': note<object>(
    'warning',
    () =>
      'The frequencies of this file are divided by a tensor (rope_freqs or rope_factors), which stands outside the ' +
      'metadata: none are given. The original config.json has the rule.',
    () =>
      '此文件的频率还要除以一个张量（rope_freqs 或 rope_factors），它不在元数据里：因此不给出频率。原始的 config.json 里有这条规则。',
  ),
};

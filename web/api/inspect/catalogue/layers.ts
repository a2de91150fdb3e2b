import { note } from './note.js';
import type { Type } from './note.js';

/** Remarks on which layers do what. */
export const layers = {
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
  'layers-without-rope': note<{ count: number; of: number }>(
    'info',
    ({ count, of }) =>
      `${count} of ${of} layers do not rotate (NoPE): only the mask tells them the order.`,
    ({ count, of }) => `${of} 层中有 ${count} 层不旋转（NoPE）：只有掩码告诉它们顺序。`,
  ),
  'layers-recurrent': note<{ layerType: string; count: number }>(
    'info',
    ({ layerType, count }) =>
      `${count} layers of type ${layerType} have no positions: their recurrence or convolution tells the order.`,
    ({ layerType, count }) => `${count} 个 ${layerType} 层没有位置编码：顺序由其递归或卷积给出。`,
  ),
  'layers-hybrid': note<Type>(
    'info',
    ({ type }) =>
      `${type} mixes attention with layers that have no positions; where layer_types is missing, which are which was not told apart by the config.`,
    ({ type }) => `${type} 混合了注意力层与没有位置的层；缺少 layer_types 时，配置没有区分它们。`,
  ),
  compressed: note<{ layerType: string; count: number; rate: number }>(
    'info',
    ({ layerType, count, rate }) =>
      `${count} layers of type ${layerType} see keys one by one within the window; beyond, every ${rate} tokens share ` +
      'one key, turned by the position of the first.',
    ({ layerType, count, rate }) =>
      `${count} 个 ${layerType} 层在窗口内逐个看键；窗口之外每 ${rate} 个 token 共用一个键，按其中第一个的位置旋转。`,
  ),
  'no-rope-meaning': note<{ rotating: number; of: number }>(
    'info',
    ({ rotating, of }) =>
      `In no_rope_layers 1 means that the layer does rotate, despite the name: ${rotating} of ${of} do.`,
    ({ rotating, of }) =>
      `no_rope_layers 中的 1 表示该层旋转，与名字相反：${of} 层中有 ${rotating} 层旋转。`,
  ),
  'no-rope-inverted': note<{ rotating: number; of: number }>(
    'warning',
    ({ rotating, of }) =>
      `Only ${rotating} of ${of} layers would rotate; published models rotate in most. Perhaps the entries were written the other way round.`,
    ({ rotating, of }) =>
      `${of} 层中只有 ${rotating} 层旋转，而已发布的模型大多数层都旋转。这些值也许写反了。`,
  ),
  chunked: note<{ chunk: number }>(
    'info',
    ({ chunk }) => `Layers that rotate see only keys of their own chunk of ${chunk} tokens.`,
    ({ chunk }) => `旋转的层只能看到自己所在的 ${chunk} 个 token 的块内的键。`,
  ),
  temperature: note<{ scale: number; floor: number; shift: number }>(
    'info',
    ({ scale, floor, shift }) =>
      `Queries at position p are multiplied by 1 + ${scale}·ln(⌊${shift === 1 ? '(p + 1)' : 'p'}/${floor}⌋ + 1).`,
    ({ scale, floor, shift }) =>
      `位置 p 的查询乘以 1 + ${scale}·ln(⌊${shift === 1 ? '(p + 1)' : 'p'}/${floor}⌋ + 1)。`,
  ),
  sinks: note<object>(
    'info',
    () =>
      'Each head has a learned logit in its softmax that takes weight from all keys (attention sinks).',
    () => '每个头的 softmax 里有一个学习得到的额外 logit，从所有键分走权重（attention sink）。',
  ),
};

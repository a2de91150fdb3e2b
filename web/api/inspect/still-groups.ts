import type { Context } from './context.js';
import { unknownGroup } from './group.js';
import type { Model } from './group.js';
import { recurrentTypes } from './layers.js';
import type { LayerKind } from './layers.js';
import type { Factor, LayerGroup } from './plan.js';
import { readSoftmax, readTemperature, softmaxScale } from './softmax.js';

/** Jamba, Kimi Linear, Mamba, RWKV: no layer is told its positions. */
export const stillGroups = (context: Context, model: Model): LayerGroup[] =>
  model.kinds.map((kind) => stillGroup(context, model, kind));

/** Layers without rotation: attention without positions, or a recurrence. */
export function stillGroup(
  context: Context,
  { shape, ordinary }: Model,
  kind: LayerKind,
): LayerGroup {
  const recurrent = recurrentTypes.has(kind.layerType);
  const softmax = recurrent ? null : readSoftmax(context, shape, shape.headDim);
  const temperature = recurrent ? null : readTemperature(context, false);
  const query: Factor[] =
    temperature === null ? [] : [{ on: 'query', value: null, from: 'temperature' }];
  const factors = [...(softmax === null ? [] : [softmax]), ...query];
  return {
    ...unknownGroup(kind, shape),
    encoding: 'nope',
    computed: ordinary,
    sinks: context.family.sinks,
    temperature,
    factors,
    softmaxScale: softmaxScale(factors),
  };
}

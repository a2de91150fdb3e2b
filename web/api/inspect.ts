import { checkOptions, integer } from './check.js';
import { alibiGroups, debertaGroups, t5Groups } from './inspect/bias-groups.js';
import { convolutionGroups, transformerXlGroups } from './inspect/distance-groups.js';
import { unknownGroup } from './inspect/group.js';
import type { Model } from './inspect/group.js';
import { identify } from './inspect/identify.js';
import { judgeLength } from './inspect/judge.js';
import { readLayers } from './inspect/layers.js';
import { limits } from './inspect/limits.js';
import type { InspectOptions, Plan } from './inspect/plan.js';
import { ropeGroups } from './inspect/rope-groups.js';
import { readShape } from './inspect/shape.js';
import { stackGroups } from './inspect/stack-groups.js';
import { stillGroups } from './inspect/still-groups.js';
import { swinGroups } from './inspect/swin.js';
import { learnedGroups } from './inspect/table-groups.js';
import { reportSpecial, reportUnread } from './inspect/unread.js';

export type * from './inspect/plan.js';
export { pairCoverage } from './scaling/coverage.js';
export { scalingBands } from './scaling/index.js';
export type * from './scaling/types.js';

const planners = {
  rope: ropeGroups,
  alibi: alibiGroups,
  learned: learnedGroups,
  stacks: stackGroups,
  t5: t5Groups,
  deberta: debertaGroups,
  transformer_xl: transformerXlGroups,
  swin: swinGroups,
  convolution: convolutionGroups,
  none: stillGroups,
};

/**
 * Reads a model's Hugging Face `config.json`, or the metadata of a GGUF header, and tells, layer by layer,
 * how it handles position: encoding, frequencies, who multiplies what, window, lengths; and what was
 * assumed, contradicts itself or will go wrong at the asked length. Needs no WebAssembly.
 *
 * Rotary models with every rule of `scalings`, per layer type, without rotation in some layers, with
 * latent attention, sections or two dimensions for images; tables, learned or sinusoidal; ALiBi, T5,
 * DeBERTa, Shaw, Transformer-XL, Swin, convolutions; recurrent layers, which have none. Unknown model
 * types are read the usual way with a warning. What is not computed has `computed: false` and a note, never a
 * number that could be wrong.
 *
 * @param config the parsed object, or its JSON text (at most 8 MiB characters); of a GGUF file the parsed
 *   metadata, or an object with `metadata` and `tensorInfos` as GGUF libraries return it
 * @throws PosencError `config` where the config is broken or not believable (names the field, its value
 *   and what is needed), `argument`, `range` or `option` for wrong options
 */
export function inspect(config: unknown, options: InspectOptions = {}): Plan {
  const { length: asked } = checkOptions(options, ['length'], 'inspect');
  if (asked !== undefined) integer(asked, 'length', limits.length.low, limits.length.high);
  const { recognised, divided, ...context } = identify(config);
  const { fields, family, modelType, notes } = context;
  const shape = readShape(context);
  const length = asked ?? shape.trainedLength;
  if (divided) notes.add('gguf-divisors', [], {});
  const plain = reportSpecial(context);
  const kinds = readLayers(context, shape);
  const model: Model = { shape, kinds, length, ordinary: plain && !divided };
  const layerGroups = recognised
    ? planners[family.encoding](context, model)
    : kinds.map((kind) => unknownGroup(kind, shape));
  judgeLength(context, layerGroups, shape.trainedLength, length);
  reportUnread(context);
  const { hiddenSize, heads, kvHeads, headDim, trainedLength } = shape;
  const lengths = layerGroups.map((group) => group.effectiveLength ?? 0);
  // An encoder and a decoder are counted together.
  const stacked = layerGroups.reduce((sum, group) => sum + group.layers.length, 0);
  return {
    modelType,
    path: fields.path,
    layers: family.encoding === 't5' || family.stacks !== null ? stacked : shape.layers,
    hiddenSize,
    heads,
    kvHeads,
    headDim,
    trainedLength,
    effectiveLength: Math.max(...lengths) || null,
    length,
    layerGroups,
    assumptions: notes.assumptions,
    warnings: notes.warnings,
  };
}

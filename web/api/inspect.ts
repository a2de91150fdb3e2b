import { checkOptions, integer } from './check.js';
import { alibiGroups, learnedGroups, ropeGroups, unknownGroup } from './inspect/groups.js';
import type { Model } from './inspect/groups.js';
import { specialTypes } from './inspect/families.js';
import { identify } from './inspect/identify.js';
import { judgeLength } from './inspect/judge.js';
import { readLayers } from './inspect/layers.js';
import { limits } from './inspect/limits.js';
import type { InspectOptions, Plan } from './inspect/plan.js';
import { readShape } from './inspect/shape.js';
import { readStretch } from './inspect/stretch.js';
import { reportSpecial, reportUnread } from './inspect/unread.js';

export type { InspectOptions, LayerGroup, Note, NoteLevel, Plan, Scaling } from './inspect/plan.js';

const planners = { rope: ropeGroups, alibi: alibiGroups, learned: learnedGroups };

/**
 * Reads a model's Hugging Face `config.json` and tells, layer by layer, how it handles position:
 * encoding, frequencies, wavelengths, window, and what was assumed, contradicts itself or will go wrong
 * at the asked length. Needs no WebAssembly.
 *
 * Exact for Llama, Mistral, Mixtral, Qwen 1 to 3, GPT-NeoX/Pythia, BLOOM and GPT-2 without context
 * extension; other rotary models are read the usual way with a warning. What is not computed yet has
 * `computed: false` and a note, never a number that could be wrong.
 *
 * @param config the parsed object, or its JSON text (at most 8 MiB characters)
 * @throws PosencError `config` where the config is broken or not believable (names the field, its value
 *   and what is needed), `argument`, `range` or `option` for wrong options
 */
export function inspect(config: unknown, options: InspectOptions = {}): Plan {
  const { length: asked } = checkOptions(options, ['length'], 'inspect');
  if (asked !== undefined) integer(asked, 'length', limits.length.low, limits.length.high);
  const { recognised, ...context } = identify(config);
  const { fields, family, modelType, notes } = context;
  const shape = readShape(context);
  const length = asked ?? shape.trainedLength;
  const special = modelType !== null && specialTypes.has(modelType);
  if (special) notes.add('special-model', [fields.at('model_type')], { type: modelType });
  const plain = reportSpecial(context);
  const exact = readStretch(context, shape.trainedLength, length);
  const model: Model = {
    shape,
    kinds: readLayers(context, shape),
    ordinary: plain && exact && !special,
  };
  const layerGroups = recognised
    ? planners[family.encoding](context, model)
    : model.kinds.map(unknownGroup);
  judgeLength(context, layerGroups, shape.trainedLength, length);
  reportUnread(context);
  const { layers, hiddenSize, heads, kvHeads, headDim, trainedLength } = shape;
  return {
    modelType,
    path: fields.path,
    layers,
    hiddenSize,
    heads,
    kvHeads,
    headDim,
    trainedLength,
    length,
    layerGroups,
    assumptions: notes.assumptions,
    warnings: notes.warnings,
  };
}

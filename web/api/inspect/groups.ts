import type { Context } from './context.js';
import { layoutKnown } from './families.js';
import type { Fields } from './fields.js';
import { alibiSlopes, rules } from './frequencies.js';
import type { Frequencies, Rotation } from './frequencies.js';
import { attentionTypes } from './layers.js';
import type { LayerKind } from './layers.js';
import { limits } from './limits.js';
import type { LayerGroup } from './plan.js';
import { readRope } from './rope.js';
import type { RopeSettings } from './rope.js';
import type { Shape } from './shape.js';

/** The layers of a model, and whether anything may be computed about them. */
export interface Model {
  readonly shape: Shape;
  readonly kinds: readonly LayerKind[];
  /** False where the layers are known to be special in ways that are not computed yet. */
  readonly ordinary: boolean;
}

/** A group of which nothing is known but its layers. */
export const unknownGroup = ({ layers, layerType, window }: LayerKind): LayerGroup => ({
  layers,
  layerType,
  encoding: 'unknown',
  computed: false,
  options: null,
  layout: null,
  rotaryDim: null,
  base: null,
  scaling: null,
  inverseFrequencies: [],
  wavelengths: [],
  attentionFactor: null,
  incompletePairs: null,
  firstIncompletePair: null,
  slopes: [],
  table: null,
  window,
  softmaxScale: null,
});

/** One group per layer type, with the rotary settings that hold for it. */
export function ropeGroups(context: Context, model: Model): LayerGroup[] {
  const { fields, family, modelType, notes } = context;
  if (family.originalInterleaved) notes.add('layout-half', [], { type: String(family.type) });
  if (family.type === null && !layoutKnown(modelType)) notes.add('layout-assumed', [], {});
  const settings = readRope(context, model.shape.headDim);
  const nested = settings.some(({ layerType }) => layerType !== null);
  if (nested && model.shape.layerTypes === null && family.windowed === null) {
    notes.add('layer-types-missing', [fields.at('layer_types')], {});
    return settings.map((each) => {
      const layerType = String(each.layerType);
      return ropeGroup(context, model, { layers: [], layerType, window: null }, each);
    });
  }
  return model.kinds.map((kind) => {
    const { layerType } = kind;
    if (!attentionTypes.has(layerType)) {
      notes.add('layer-type-unknown', [fields.at('layer_types')], { layerType });
      return unknownGroup(kind);
    }
    const own = nested ? settings.find((each) => each.layerType === layerType) : settings[0];
    if (own !== undefined) return ropeGroup(context, model, kind, own);
    notes.add('layer-type-without-settings', [fields.at('rope_parameters')], { layerType });
    return { ...unknownGroup(kind), encoding: 'rope' };
  });
}

function ropeGroup(
  context: Context,
  { shape, ordinary }: Model,
  kind: LayerKind,
  { base, rotaryDim, scaling, rulePath }: RopeSettings,
): LayerGroup {
  const { headDim, trainedLength } = shape;
  const { layout } = context.family;
  const group: LayerGroup = {
    ...unknownGroup(kind),
    encoding: 'rope',
    layout,
    rotaryDim,
    base,
    scaling,
    softmaxScale: softmaxScale(context.fields, headDim),
  };
  if (base === null || rotaryDim === null || headDim === null) return group;
  const frequencies = compute(context, rulePath, { base, rotaryDim, scaling });
  if (frequencies === null || !ordinary) return group;
  const { inverseFrequencies, attentionFactor } = frequencies;
  const wavelengths = inverseFrequencies.map((frequency) => (2 * Math.PI) / frequency);
  // A window keeps longer distances out of training.
  const reach = Math.min(trainedLength ?? Infinity, kind.window ?? Infinity);
  const first = wavelengths.findIndex((wavelength) => wavelength > reach);
  return {
    ...group,
    computed: true,
    options: { headDim, rotaryDim, base, layout },
    inverseFrequencies,
    wavelengths,
    attentionFactor,
    incompletePairs: reach === Infinity ? null : wavelengths.filter((w) => w > reach).length,
    firstIncompletePair: first < 0 ? null : first,
  };
}

/** `null`, with a note where the rule is known, when the frequencies would not be exact. */
function compute({ notes }: Context, path: string, rotation: Rotation): Frequencies | null {
  const { type, parameters } = rotation.scaling;
  const rule = rules.get(type);
  if (rule === undefined || !rule.required.every((name) => name in parameters)) return null;
  const frequencies = rule.compute(rotation);
  if (frequencies === null) notes.add('rule-not-computed', [path], { type });
  return frequencies;
}

/** What q·k is multiplied by: Granite's and Gemma's own settings, else 1/√headDim. */
function softmaxScale(fields: Fields, headDim: number | null): number | null {
  const multiplier = fields.number('attention_multiplier', limits.scale);
  if (multiplier !== null) return multiplier;
  const width = fields.number('query_pre_attn_scalar', limits.scale) ?? headDim;
  return width === null ? null : 1 / Math.sqrt(width);
}

/** BLOOM: the same biases in every layer, not scaled by 1/√headDim. */
export function alibiGroups({ fields }: Context, { shape, kinds, ordinary }: Model): LayerGroup[] {
  const { heads, headDim } = shape;
  const computed = ordinary && heads !== null;
  return kinds.map((kind) => ({
    ...unknownGroup(kind),
    encoding: 'alibi',
    computed,
    options: computed ? { heads } : null,
    slopes: computed ? alibiSlopes(heads) : [],
    softmaxScale: softmaxScale(fields, headDim),
  }));
}

/** GPT-2: one table added to the input; the layers themselves differ at most in their scale. */
export function learnedGroups({ fields }: Context, { shape, kinds }: Model): LayerGroup[] {
  const { trainedLength, hiddenSize, headDim } = shape;
  const known = trainedLength !== null && hiddenSize !== null;
  const scaled = fields.flag('scale_attn_weights') ?? true;
  const byLayer = fields.flag('scale_attn_by_inverse_layer_idx') ?? false;
  const scale = scaled ? softmaxScale(fields, headDim) : 1;
  const group = (kind: LayerKind, divisor: number): LayerGroup => ({
    ...unknownGroup(kind),
    encoding: 'learned',
    computed: known,
    table: known ? { positions: trainedLength, width: hiddenSize } : null,
    softmaxScale: scale === null ? null : scale / divisor,
  });
  if (!byLayer) return kinds.map((kind) => group(kind, 1));
  return kinds.flatMap((kind) =>
    kind.layers.map((layer) => group({ ...kind, layers: [layer] }, layer + 1)),
  );
}

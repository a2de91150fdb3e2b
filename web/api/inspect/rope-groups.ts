import type { ScaledFrequencies, ScalingOptions } from '../scaling/types.js';
import { computeTable, qwenStretch } from './compute.js';
import type { Context } from './context.js';
import { layoutKnown } from './families/index.js';
import { unknownGroup } from './group.js';
import type { Model } from './group.js';
import { attentionTypes, recurrentTypes } from './layers.js';
import type { LayerKind } from './layers.js';
import type { Factor, LayerGroup } from './plan.js';
import { oddTable } from './odd-table.js';
import { readRope } from './rope.js';
import type { RopeSettings } from './rope.js';
import { ruleOptions } from './rules.js';
import { readSections } from './sections.js';
import { readBetaTemperature, readSoftmax, softmaxScale } from './softmax.js';
import { stillGroup } from './still-groups.js';

/** One group per kind of layer, with the rotary settings that hold for it. */
export function ropeGroups(context: Context, model: Model): LayerGroup[] {
  const { fields, family, notes } = context;
  const { shape } = model;
  tellLayout(context);
  if (family.hybrid) notes.add('layers-hybrid', [], { type: String(family.type) });
  if (family.sinks) notes.add('sinks', [], {});
  if (family.turnsBack) notes.add('turns-back', [], { type: String(family.type) });
  const settings = readRope(context, shape);
  const nested = settings.some(({ layerType }) => layerType !== null);
  const { windowed, pattern, typing } = family;
  const typed = [shape.layerTypes, windowed, pattern, typing].some((rule) => rule !== null);
  if (nested && !typed) {
    notes.add('layer-types-missing', [fields.at('layer_types')], {});
    return settings.map((each) => {
      const layerType = String(each.layerType);
      const kind = { layers: [], layerType, rotates: true, window: null, chunk: null };
      return ropeGroup(context, model, kind, each);
    });
  }
  return model.kinds.map((kind) => {
    const { layerType } = kind;
    if (recurrentTypes.has(layerType)) return stillGroup(context, model, kind);
    if (!attentionTypes.has(layerType)) {
      notes.add('layer-type-unknown', [fields.at('layer_types')], { layerType });
      return unknownGroup(kind, shape);
    }
    if (!kind.rotates) return stillGroup(context, model, kind);
    const own = nested ? settings.find((each) => each.layerType === layerType) : settings[0];
    if (own !== undefined) return ropeGroup(context, model, kind, own);
    notes.add('layer-type-without-settings', [fields.at('rope_parameters')], { layerType });
    return { ...unknownGroup(kind, shape), encoding: 'rope' };
  });
}

function tellLayout({ family, modelType, notes }: Context): void {
  const type = String(family.type);
  if (family.originalInterleaved) notes.add('layout-half', [], { type });
  if (family.type === null && !layoutKnown(modelType)) notes.add('layout-assumed', [], {});
  if (family.backwards) notes.add('turns-backwards', [], { type });
}

function ropeGroup(
  context: Context,
  model: Model,
  kind: LayerKind,
  settings: RopeSettings,
): LayerGroup {
  const { family } = context;
  const { shape, ordinary } = model;
  const { base, rotaryDim, headDim, scaling, container } = settings;
  const { layout } = readLayout(context);
  const rule = ruleOptions(context, settings, shape);
  const softmax = readSoftmax(context, shape, headDim);
  const temperature = readBetaTemperature(context, container);
  const known: LayerGroup = {
    ...unknownGroup(kind, shape),
    encoding: 'rope',
    layout,
    rotaryDim,
    rotaryStart: shape.latent?.nope ?? 0,
    latent: shape.latent,
    base,
    scaling,
    rule,
    sinks: family.sinks,
    temperature,
    sections: readSections(context, container, scaling, rotaryDim === null ? null : rotaryDim / 2),
    effectiveLength: effectiveLength(context, model, rule),
  };
  const constant = softmax === null ? [] : [softmax];
  const group = { ...known, factors: constant, softmaxScale: softmaxScale(constant) };
  if (base === null || rotaryDim === null || headDim === null || rule === null || !ordinary) {
    return group;
  }
  if (rotaryDim !== settings.exponentDim || family.grid !== null) {
    return { ...group, ...oddTable(context, settings, rule) };
  }
  const stretch = readStretch(context, model);
  const applied: ScalingOptions =
    stretch.ntk === null ? rule : { type: 'ntk', factor: stretch.ntk };
  const rotation = { base, rotaryDim, length: model.length };
  const table = computeTable(context, settings, rotation, applied);
  const factors = [
    ...constant,
    ...ruleFactors(context, applied, table),
    ...(temperature === null ? [] : [{ on: 'query', value: null, from: 'temperature' } as const]),
    ...(stretch.logN ? [{ on: 'query', value: null, from: 'log-n' } as const] : []),
  ];
  const plain = computeTable(context, settings, rotation, { type: 'none' });
  return {
    ...group,
    computed: true,
    options: {
      headDim: shape.latent === null ? headDim : rotaryDim,
      rotaryDim,
      base,
      layout,
      ...(applied.type === 'none' ? {} : { scaling: applied }),
      ...(dependsOnLength(applied) && model.length !== null ? { length: model.length } : {}),
    },
    ...spectrum(table, plain, Math.min(shape.trainedLength ?? Infinity, kind.window ?? Infinity)),
    attentionFactor: table.attentionFactor,
    factors,
    softmaxScale: softmaxScale(factors),
  };
}

const dependsOnLength = ({ type }: ScalingOptions): boolean =>
  type === 'dynamic' || type === 'longrope';

/** Neighbours or halves: `rope_interleave` (DeepSeek) where the config has it. */
function readLayout({ fields, family }: Context): { layout: 'half' | 'interleaved' } {
  const given = family.latent === null ? null : fields.flag('rope_interleave');
  if (given === null) return { layout: family.layout };
  return { layout: given ? 'interleaved' : 'half' };
}

/** Numbers per pair, and how many pairs never completed a turn within `reach`. */
function spectrum(
  { inverseFrequencies }: ScaledFrequencies,
  { inverseFrequencies: plain }: ScaledFrequencies,
  reach: number,
) {
  const turning = inverseFrequencies.filter((frequency) => frequency > 0);
  const trained = turning.map((_, i) => (2 * Math.PI) / plain[i]!);
  const first = trained.findIndex((wavelength) => wavelength > reach);
  return {
    inverseFrequencies,
    wavelengths: turning.map((frequency) => (2 * Math.PI) / frequency),
    divisors: turning.map((frequency, i) => plain[i]! / frequency),
    incompletePairs: reach === Infinity ? null : trained.filter((w) => w > reach).length,
    firstIncompletePair: first < 0 ? null : first,
  };
}

/** What the rule multiplies besides the frequencies, and whose job that is. */
function ruleFactors(
  { family, fields, notes }: Context,
  { type }: ScalingOptions,
  { attentionFactor, softmaxFactor }: ScaledFrequencies,
): Factor[] {
  const factors: Factor[] = [];
  if (attentionFactor !== 1) {
    factors.push({ on: 'cos-sin', value: attentionFactor, from: type });
    notes.add('factor-on-cos', [], { rule: type, value: attentionFactor });
  }
  // Only latent attention (DeepSeek) multiplies its softmax scale.
  if (softmaxFactor !== 1 && family.latent !== null) {
    factors.push({ on: 'softmax', value: softmaxFactor, from: 'mscale_all_dim' });
    const names = [fields.at('rope_scaling.mscale_all_dim')];
    notes.add('factor-on-softmax', names, { value: softmaxFactor });
    if (family.omitsSoftmaxFactor) {
      notes.add('softmax-factor-omitted', names, { type: String(family.type) });
    }
  }
  return factors;
}

/** The longest sequence that the rule or the config claims. */
function effectiveLength(
  { family }: Context,
  { shape }: Model,
  rule: ScalingOptions | null,
): number | null {
  const { claimedLength, trainedLength } = shape;
  if (trainedLength === null || rule === null || !('factor' in rule)) return claimedLength;
  const relative = rule.type === 'linear' || rule.type === 'ntk' || rule.type === 'dynamic';
  if (rule.type === 'proportional' || (relative && family.lengthIsStretched)) return claimedLength;
  return Math.max(claimedLength ?? 0, Math.floor(trainedLength * (rule.factor ?? 1)));
}

/** Qwen 1 stretches itself past its trained length, on its own: says so. */
function readStretch(
  { fields, family, notes }: Context,
  { shape, length }: Model,
): { ntk: number | null; logN: boolean } {
  const trained = shape.trainedLength;
  if (!family.stretches || trained === null) return { ntk: null, logN: false };
  const dynamic = fields.flag('use_dynamic_ntk') ?? true;
  const logN = fields.flag('use_logn_attn') ?? true;
  if (dynamic) notes.add('dynamic-base', [fields.at('use_dynamic_ntk')], { length: trained });
  if (logN) notes.add('log-n', [fields.at('use_logn_attn')], { length: trained });
  const beyond = length !== null && length > trained;
  return { ntk: beyond && dynamic ? qwenStretch(length, trained) : null, logN: beyond && logN };
}

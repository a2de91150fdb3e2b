import { originalLength } from './containers.js';
import { assume, attentionFields, settle } from './context.js';
import type { Context } from './context.js';
import { aliases } from './family.js';
import type { Fields } from './fields.js';
import { layerTypeName, limits } from './limits.js';
import type { Range } from './limits.js';
import type { Latent } from './plan.js';
import { readSwinShape } from './swin.js';

/** Sizes of a model, `null` where the config does not tell. */
export interface Shape {
  readonly layers: number | null;
  readonly layerTypes: readonly string[] | null;
  readonly hiddenSize: number | null;
  readonly heads: number | null;
  readonly kvHeads: number | null;
  readonly headDim: number | null;
  /** The split of a head in latent attention. */
  readonly latent: Latent | null;
  /** What the config claims. */
  readonly claimedLength: number | null;
  /** Before any stretching. */
  readonly trainedLength: number | null;
}

/** Reads sizes, fills in the family's defaults and says so. */
export function readShape(context: Context): Shape {
  const { fields, family, notes } = context;
  if (family.encoding === 'swin') return readSwinShape(context);
  const size = (names: readonly string[], range: Range, initial: number | null): number | null => {
    const claim = settle(fields.integers(names, range), notes);
    if (claim !== null) return claim.value;
    if (initial === null || names.some((name) => fields.mentions(name))) return null;
    return assume(context, names[0] as string, initial);
  };
  // Of two stacks the encoder's layers and heads stand here.
  const own = (name: string, names: readonly string[]): readonly string[] =>
    family.stacks === null ? names : [name, ...names];
  const layerNames = own('encoder_layers', aliases.layers);
  const layerTypes = readLayerTypes(fields);
  const silent = !layerNames.some((name) => fields.has(name));
  const layers =
    layerTypes !== null && silent
      ? layerTypes.length
      : size(layerNames, limits.layers, family.layers);
  if (layerTypes !== null && layerTypes.length !== layers) {
    throw fields.wrong('layer_types', layerTypes, `one entry for each of the ${layers} layers`);
  }
  const hiddenSize = size(aliases.hiddenSize, limits.hiddenSize, family.hiddenSize);
  const heads = family.headless
    ? null
    : size(own('encoder_attention_heads', aliases.heads), limits.heads, family.heads);
  const inAttention = attentionFields(context)?.integer('kv_n_heads', limits.heads) ?? null;
  const kvHeads = inAttention ?? size(aliases.kvHeads, limits.heads, family.kvHeads) ?? heads;
  if (heads !== null && kvHeads !== null && heads % kvHeads !== 0) {
    notes.add('kv-heads-not-dividing', [fields.at('num_key_value_heads')], { heads, kvHeads });
  }
  const headDim = family.headless ? null : readHeadDim(context, hiddenSize, heads);
  const claimedLength = readLength(context);
  return {
    layers,
    layerTypes,
    hiddenSize,
    heads,
    kvHeads,
    headDim,
    latent: headDim === null ? null : readLatent(context, headDim),
    claimedLength,
    trainedLength: originalLength(context) ?? claimedLength,
  };
}

/** Latent attention: a part without position, a part that turns, and values of their own width. */
function readLatent(context: Context, rotary: number): Latent | null {
  const { fields, family, notes } = context;
  if (family.latent === null || family.encoding === 'none') return null;
  const width = (name: string, initial: number): number =>
    fields.integer(name, limits.headDim) ?? assume(context, name, initial);
  const { whole } = family.latent;
  if (whole !== undefined) return splitWhole(context, width('head_dim', whole), rotary);
  const nope = width('qk_nope_head_dim', family.latent.nope);
  const value = width('v_head_dim', family.latent.value);
  const names = ['qk_nope_head_dim', 'qk_rope_head_dim'].map((name) => fields.at(name));
  notes.add('latent', names, { nope, rotary, whole: nope + rotary });
  return { nope, rotary, value };
}

/** DeepSeek-V4: keys are the values too, `head_dim` wide, and their last part turns. */
function splitWhole({ fields, notes }: Context, whole: number, rotary: number): Latent {
  if (rotary >= whole) {
    throw fields.wrong('qk_rope_head_dim', rotary, `less than head_dim (${whole})`);
  }
  const nope = whole - rotary;
  const names = ['head_dim', 'qk_rope_head_dim'].map((name) => fields.at(name));
  notes.add('latent', names, { nope, rotary, whole });
  return { nope, rotary, value: whole };
}

function readLayerTypes(fields: Fields): string[] | null {
  const list = fields.list('layer_types', limits.layers.high);
  if (list === null) return null;
  const wrong = list.find((entry) => typeof entry !== 'string' || !layerTypeName.test(entry));
  if (wrong !== undefined || list.length === 0) {
    throw fields.wrong(
      'layer_types',
      wrong ?? list,
      'a name such as full_attention for each layer',
    );
  }
  if (new Set(list).size > limits.layerTypes) {
    throw fields.wrong('layer_types', list, `at most ${limits.layerTypes} different names`);
  }
  return list as string[];
}

function readHeadDim(
  context: Context,
  hiddenSize: number | null,
  heads: number | null,
): number | null {
  const { fields, family, notes } = context;
  const quotient = hiddenSize === null || heads === null ? null : hiddenSize / heads;
  const given = settle(fields.integers(family.headDimFields, limits.headDim), notes);
  if (given !== null) {
    if (quotient !== null && quotient !== given.value && family.latent === null) {
      notes.add('head-dim-explicit', [given.path], { headDim: given.value, quotient });
    }
    return given.value;
  }
  const part = readPart(context) ?? readStillWidth(context);
  if (part !== null) return part;
  const [name] = family.headDimFields;
  if (name !== undefined && family.headDim !== null && !fields.mentions(name)) {
    return assume(context, name, family.headDim);
  }
  const names = ['hidden_size', 'num_attention_heads'].map((each) => fields.at(each));
  if (hiddenSize === null || heads === null || quotient === null) {
    notes.add('head-dim-missing', [fields.at('head_dim'), ...names], {});
    return null;
  }
  if (!Number.isInteger(quotient) && quotient > 1 && family.floorsHeadDim) {
    const headDim = Math.floor(quotient);
    notes.add('head-dim-floored', names, { hiddenSize, heads, headDim, type: String(family.type) });
    return headDim;
  }
  if (!Number.isInteger(quotient)) {
    notes.add('heads-not-dividing', names, { hiddenSize, heads });
    return null;
  }
  if (quotient <= limits.headDim.high) return quotient;
  const spelling = aliases.hiddenSize.find((each) => fields.has(each)) ?? 'hidden_size';
  const allowed = `at most ${limits.headDim.high} dimensions for each of the ${heads} heads`;
  throw fields.wrong(spelling, hiddenSize, allowed);
}

/** DeepSeek-V4 as transformers writes it: the part that turns is a share of `head_dim`. */
function readPart({ fields, family }: Context): number | null {
  if (family.latent?.whole === undefined) return null;
  const share = fields.number('partial_rotary_factor', limits.fraction);
  const whole = fields.integer('head_dim', limits.headDim) ?? family.latent.whole;
  return share === null ? null : Math.trunc(share * whole);
}

/** Kimi Linear: both parts of a head of latent attention, neither of which turns. */
function readStillWidth(context: Context): number | null {
  const { fields, family, notes } = context;
  if (family.latent === null || family.encoding !== 'none') return null;
  const width = (name: string, initial: number): number =>
    fields.integer(name, { ...limits.headDim, low: 0 }) ?? assume(context, name, initial);
  const names = ['qk_nope_head_dim', 'qk_rope_head_dim'] as const;
  const whole = width(names[0], family.latent.nope) + width(names[1], family.headDim ?? 0);
  const at = [...names, 'mla_use_nope'].map((name) => fields.at(name));
  notes.add('latent-still', at, { whole });
  if (fields.flag('mla_use_nope') === false) notes.add('nope-anyway', [at[2] as string], {});
  return Math.max(whole, 1);
}

function readLength(context: Context): number | null {
  const { fields, family, notes } = context;
  if (family.patches !== null) return readPatches(context, family.patches);
  const lengths = fields.integers(family.lengthFields, limits.length);
  const [trained, claimed] = lengths;
  if (family.lengthsAreClaims && trained !== undefined) {
    if (claimed !== undefined && claimed.value > trained.value) {
      const paths = [trained.path, claimed.path];
      notes.add('claimed-length', paths, { trained: trained.value, claimed: claimed.value });
    }
    return trained.value;
  }
  const settled = settle(lengths, notes);
  const [name] = family.lengthFields;
  const stated =
    settled?.value ??
    (name !== undefined && family.length !== null && !fields.mentions(name)
      ? assume(context, name, family.length)
      : null);
  // RoBERTa's stated length counts the rows up to that of the padding.
  const counted = family.offset === 'padding' && family.stacks === null;
  const rows = counted ? readPadding(fields) + 1 : 0;
  if (stated !== null) return Math.max(stated - rows, 1);
  notes.add('trained-length-missing', name === undefined ? [] : [fields.at(name)], {});
  return null;
}

/** ViT: one position for each patch of the image, and for each token beside them. */
function readPatches(
  context: Context,
  { image, patch, extra }: { image: number; patch: number; extra: number },
): number {
  const { fields, notes } = context;
  const names = ['image_size', 'patch_size'];
  const [size, cell] = names.map(
    (name, i) =>
      fields.integer(name, limits.length) ?? assume(context, name, i === 0 ? image : patch),
  ) as [number, number];
  const side = Math.floor(size / cell);
  if (side < 1) throw fields.wrong('patch_size', cell, `at most image_size (${size})`);
  const at = names.map((name) => fields.at(name));
  notes.add('patches', at, { side, extra, positions: side * side + extra });
  return side * side + extra;
}

/** `pad_token_id`, 1 when a RoBERTa config is silent. */
export const readPadding = (fields: Fields): number =>
  fields.integer('pad_token_id', { low: 0, high: 1000 }) ?? 1;

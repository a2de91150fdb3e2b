import { saturation } from './buckets.js';
import { assume } from './context.js';
import type { Context } from './context.js';
import { unknownGroup } from './group.js';
import type { Model } from './group.js';
import { limits } from './limits.js';
import type { Buckets, Disentangled, LayerGroup } from './plan.js';
import { readSoftmax, softmaxScale } from './softmax.js';
import { stillGroups } from './still-groups.js';
import { learnedGroups } from './table-groups.js';

/** ALiBi slopes in the paper's order (Press 2022): geometric for 2^k heads, then every second of the next. */
export function alibiSlopes(heads: number, most = 8): number[] {
  const whole = 2 ** Math.floor(Math.log2(heads));
  const geometric = (count: number): number[] =>
    Array.from({ length: count }, (_, h) => 2 ** ((-most * (h + 1)) / count));
  const extra = geometric(2 * whole).filter((_, h) => h % 2 === 0);
  return [...geometric(whole), ...extra.slice(0, heads - whole)];
}

/**
 * BLOOM, MPT, Jais, Baichuan-13B, Falcon-RW, Jina-BERT: the same biases in every layer, not scaled by
 * 1/√headDim, but for Falcon, where both are.
 */
export function alibiGroups(context: Context, { shape, kinds, ordinary }: Model): LayerGroup[] {
  const { fields, family, notes } = context;
  const { heads, headDim } = shape;
  const attention = fields.child('attn_config');
  const most = attention?.number('alibi_bias_max', { low: 1e-3, high: 1e3 }) ?? 8;
  const softmax = readSoftmax(context, shape, headDim);
  const own = attention?.number('softmax_scale', limits.scale) ?? null;
  const jais = fields.flag('scale_qk_dot_by_d') ?? fields.flag('mup_scale_qk_dot_by_d') ?? false;
  const scale = own ?? (jais && headDim !== null ? 1 / headDim : (softmax?.value ?? null));
  const from = own === null ? (jais ? 'scale_qk_dot_by_d' : 'head-size') : 'softmax_scale';
  const divisor = family.scalesSlopes && headDim !== null ? Math.sqrt(headDim) : 1;
  const bothSides = family.type === 'bert';
  const computed = ordinary && heads !== null;
  if (family.scalesSlopes) notes.add('alibi-scaled', [fields.at('alibi')], { divisor });
  if (bothSides) notes.add('alibi-both-sides', [fields.at('position_embedding_type')], {});
  const exact = computed && divisor === 1 && !bothSides && most === 8;
  return kinds.map((kind) => ({
    ...unknownGroup(kind, shape),
    encoding: 'alibi',
    computed,
    options: exact ? { heads } : null,
    slopes: computed ? alibiSlopes(heads, most).map((slope) => slope / divisor) : [],
    softmaxScale: scale,
    factors: scale === null ? [] : [{ on: 'softmax', value: scale, from }],
  }));
}

/** T5, mT5, UMT5, LongT5: learned biases by bucket of distance; both stacks, q·k unscaled. */
export function t5Groups(context: Context, { shape, kinds }: Model): LayerGroup[] {
  const { fields, family, notes } = context;
  const number = (name: string, initial: number, low: number, high: number): number =>
    fields.integer(name, { low, high }) ?? assume(context, name, initial);
  const count = number('relative_attention_num_buckets', 32, 4, 4096);
  const maxDistance = number('relative_attention_max_distance', 128, 2, 2 ** 20);
  if (maxDistance <= count) {
    const allowed = `more than relative_attention_num_buckets (${count})`;
    throw fields.wrong('relative_attention_max_distance', maxDistance, allowed);
  }
  const perLayer = family.type === 'umt5';
  notes.add('t5-unscaled', [], {});
  const names = ['relative_attention_num_buckets', 'relative_attention_max_distance'];
  const at = names.map((name) => fields.at(name));
  const stack = (layers: readonly number[], decoder: boolean): LayerGroup => {
    const bidirectional = !decoder;
    const saturatesAt = saturation(count, maxDistance, bidirectional);
    const buckets: Buckets = { count, maxDistance, bidirectional, saturatesAt, perLayer };
    notes.add('buckets-saturate', at, { saturatesAt, maxDistance });
    const layerType = decoder ? 'decoder' : 'encoder';
    const window = decoder ? null : readLocal(context);
    return {
      ...unknownGroup({ layers, layerType, rotates: false, window, chunk: null }, shape),
      encoding: 't5',
      computed: true,
      buckets,
      softmaxScale: 1,
      factors: [{ on: 'softmax', value: 1, from: 'model' }],
    };
  };
  const layers = kinds.flatMap((kind) => kind.layers);
  const both = fields.flag('is_encoder_decoder') ?? true;
  if (!both) return [stack(layers, fields.flag('is_decoder') ?? false)];
  const decoders = fields.integer('num_decoder_layers', limits.layers) ?? layers.length;
  const after = Array.from({ length: decoders }, (_, i) => layers.length + i);
  return [stack(layers, false), stack(after, true)];
}

/** LongT5's encoder sees a window on both sides; with `transient-global` summaries of blocks as well. */
function readLocal(context: Context): number | null {
  const { fields, family, notes } = context;
  if (family.type !== 'longt5') return null;
  const read = (name: string, initial: number): number =>
    fields.integer(name, limits.length) ?? assume(context, name, initial);
  const radius = read('local_radius', 127);
  notes.add('local-radius', [fields.at('local_radius')], { radius });
  if (fields.name('encoder_attention_type') === 'transient-global') {
    const block = read('global_block_size', 16);
    notes.add('global-blocks', [fields.at('encoder_attention_type')], { block });
  }
  return 2 * radius + 1;
}

const terms = ['c2p', 'p2c', 'p2p'] as const;

/** DeBERTa: content-to-position and position-to-content terms, and 1/√(width · number of terms). */
export function debertaGroups(context: Context, model: Model): LayerGroup[] {
  const { fields, family, notes } = context;
  const { shape, kinds } = model;
  const { headDim } = shape;
  if (fields.flag('relative_attention') !== true) {
    notes.add('relative-off', [fields.at('relative_attention')], { type: String(family.type) });
    const absolute = fields.flag('position_biased_input') ?? true;
    return absolute ? learnedGroups(context, model) : stillGroups(context, model);
  }
  const given = readTerms(context);
  const used = terms.filter((term) => given.includes(term));
  const range = { low: -1, high: limits.length.high };
  const stated = fields.integer('max_relative_positions', range) ?? -1;
  const claimed = shape.claimedLength;
  const buckets = fields.integer('position_buckets', range) ?? -1;
  const maxDistance = stated > 0 ? stated : claimed;
  const absolute = fields.flag('position_biased_input') ?? true;
  if (maxDistance === null) return kinds.map((kind) => unknownGroup(kind, shape));
  const disentangled: Disentangled = {
    terms: ['c2c', ...used],
    maxDistance,
    buckets: buckets > 0 ? buckets : null,
    absolute,
  };
  const scored = 1 + used.length;
  notes.add('disentangled', [fields.at('pos_att_type')], {
    terms: disentangled.terms.join(' + '),
    scored,
  });
  const value = headDim === null ? null : 1 / Math.sqrt(headDim * scored);
  const factors = value === null ? [] : [{ on: 'softmax', value, from: 'head-size' } as const];
  return kinds.map((kind) => ({
    ...unknownGroup(kind, shape),
    encoding: 'deberta',
    computed: true,
    disentangled,
    softmaxScale: softmaxScale(factors),
    factors,
  }));
}

/** `pos_att_type`: a list, or one text with bars between. */
function readTerms({ fields }: Context): string[] {
  const value = fields.value('pos_att_type');
  const list = typeof value === 'string' ? value.split('|') : fields.list('pos_att_type', 4);
  const names = (list ?? []).map((term) => (typeof term === 'string' ? term.trim() : term));
  const wrong = names.find(
    (name) => name !== 'c2c' && !(terms as readonly unknown[]).includes(name),
  );
  if (wrong === undefined) return names as string[];
  throw fields.wrong('pos_att_type', value, 'a list, or text with |, of c2p, p2c and p2p');
}

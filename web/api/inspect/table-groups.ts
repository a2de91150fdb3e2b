import { saturation } from './buckets.js';
import { assume } from './context.js';
import type { Context } from './context.js';
import { unknownGroup } from './group.js';
import type { Model } from './group.js';
import type { LayerKind } from './layers.js';
import { limits } from './limits.js';
import type { Buckets, Distances, LayerGroup } from './plan.js';
import { readPadding } from './shape.js';
import { sinusoidal } from './sinusoid.js';
import { readSoftmax } from './softmax.js';

/** GPT-2, BERT, OPT, ViT …: one table added to the input; the layers themselves differ at most in their scale. */
export function learnedGroups(context: Context, { shape, kinds, ordinary }: Model): LayerGroup[] {
  const { fields, family, notes } = context;
  const { claimedLength, headDim } = shape;
  const type = fields.name('position_embedding_type') ?? 'absolute';
  const relative = family.relativeKeys && type.startsWith('relative_key');
  if (type !== 'absolute' && !relative) {
    notes.add('position-type-unknown', [fields.at('position_embedding_type')], { kind: type });
    return kinds.map((each) => unknownGroup(each, shape));
  }
  const scaled = fields.flag('scale_attn_weights') ?? true;
  const byLayer = fields.flag('scale_attn_by_inverse_layer_idx') ?? false;
  const scale = scaled ? (readSoftmax(context, shape, headDim)?.value ?? null) : 1;
  const own = relative
    ? relativeKeys(context, type, headDim, claimedLength)
    : table(context, shape);
  const group = (each: LayerKind, divisor: number): LayerGroup => ({
    ...unknownGroup(each, shape),
    ...own,
    computed: ordinary && (own.table ?? own.distances ?? null) !== null,
    softmaxScale: scale === null ? null : scale / divisor,
    factors:
      scale === null
        ? []
        : [{ on: 'softmax', value: scale / divisor, from: scaled ? 'head-size' : 'model' }],
  });
  if (!byLayer) return kinds.map((each) => group(each, 1));
  return kinds.flatMap((each) =>
    each.layers.map((layer) => group({ ...each, layers: [layer] }, layer + 1)),
  );
}

/** The table of positions: learned, or DistilBERT's frozen sinusoids; MPNet has buckets of distances too. */
function table(
  context: Context,
  { claimedLength, hiddenSize }: Model['shape'],
): Partial<LayerGroup> {
  const { fields, family, notes } = context;
  const offset = readOffset(context);
  const width = readWidth(context, hiddenSize);
  const known = claimedLength !== null && width !== null;
  const rows = known ? { positions: claimedLength, width, offset } : null;
  if (known && fields.flag('sinusoidal_pos_embds') === true) {
    const at = [fields.at('sinusoidal_pos_embds')];
    notes.add('sinusoids', at, { side: null, denominator: 'd/2' });
    return { ...sinusoidal(width, { layout: 'interleaved' }), table: rows };
  }
  if (!family.buckets) return { encoding: 'learned', table: rows };
  return { encoding: 't5', table: rows, buckets: readBuckets(context) };
}

/** ALBERT and ELECTRA keep narrow tables and widen the rows afterwards. */
function readWidth(context: Context, hiddenSize: number | null): number | null {
  const { fields, family } = context;
  const given = fields.integer('embedding_size', limits.hiddenSize);
  if (given !== null || family.tableWidth === null) return given ?? hiddenSize;
  return assume(context, 'embedding_size', family.tableWidth);
}

/** MPNet: T5's buckets, with the greatest distance fixed in its code, shared by all layers. */
function readBuckets(context: Context): Buckets {
  const { fields, notes } = context;
  const name = 'relative_attention_num_buckets';
  const count = fields.integer(name, { low: 4, high: 127 }) ?? assume(context, name, 32);
  const maxDistance = 128;
  const saturatesAt = saturation(count, maxDistance, true);
  notes.add('table-and-buckets', [fields.at(name)], {});
  notes.add('buckets-saturate', [fields.at(name)], { saturatesAt, maxDistance });
  return { count, maxDistance, bidirectional: true, saturatesAt, perLayer: false };
}

/** BERT with Shaw's relative positions: a vector per distance in every layer, no table at the input. */
function relativeKeys(
  { fields, notes }: Context,
  type: string,
  headDim: number | null,
  length: number | null,
): Partial<LayerGroup> {
  const at = [fields.at('position_embedding_type')];
  const keys = type === 'relative_key_query';
  if ((type !== 'relative_key' && !keys) || headDim === null || length === null) {
    notes.add('position-type-unknown', at, { kind: type });
    return {};
  }
  const distances: Distances = {
    terms: keys ? ['q·r', 'k·r'] : ['q·r'],
    vectors: 'learned',
    width: headDim,
    maxDistance: length - 1,
    beyond: 'error',
  };
  notes.add('relative-keys', at, { terms: distances.terms.join(' + '), rows: 2 * length - 1 });
  return { encoding: 'shaw', distances };
}

/** Row of position 0: fixed in OPT and BART, after the padding row in RoBERTa. */
export function readOffset({ fields, family, notes }: Context): number {
  const { offset } = family;
  const type = String(family.type);
  if (offset === 0) return 0;
  if (offset !== 'padding') {
    notes.add('table-offset', [], { offset, type });
    return offset;
  }
  const padding = readPadding(fields);
  notes.add('padding-offset', [fields.at('pad_token_id')], { padding, offset: padding + 1 });
  return padding + 1;
}

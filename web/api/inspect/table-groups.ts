import type { Context } from './context.js';
import { unknownGroup } from './group.js';
import type { Model } from './group.js';
import type { LayerKind } from './layers.js';
import { limits } from './limits.js';
import type { LayerGroup } from './plan.js';
import { readPadding } from './shape.js';
import { readSoftmax } from './softmax.js';

/** GPT-2, BERT, OPT …: one table added to the input; the layers themselves differ at most in their scale. */
export function learnedGroups(context: Context, { shape, kinds }: Model): LayerGroup[] {
  const { fields, notes } = context;
  const { claimedLength, hiddenSize, headDim } = shape;
  const kind = fields.name('position_embedding_type') ?? 'absolute';
  if (kind !== 'absolute') {
    const names = [fields.at('position_embedding_type')];
    notes.add('position-type-unknown', names, { kind });
    return kinds.map((each) => unknownGroup(each, shape));
  }
  const offset = readOffset(context);
  const width = fields.integer('embedding_size', limits.hiddenSize) ?? hiddenSize;
  const known = claimedLength !== null && width !== null;
  const scaled = fields.flag('scale_attn_weights') ?? true;
  const byLayer = fields.flag('scale_attn_by_inverse_layer_idx') ?? false;
  const scale = scaled ? (readSoftmax(context, shape, headDim)?.value ?? null) : 1;
  const group = (each: LayerKind, divisor: number): LayerGroup => ({
    ...unknownGroup(each, shape),
    encoding: 'learned',
    computed: known,
    table: known ? { positions: claimedLength, width, offset } : null,
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

/** Row of position 0: fixed in OPT, after the padding row in RoBERTa. */
function readOffset({ fields, family, notes }: Context): number {
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

import { assume } from './context.js';
import type { Context } from './context.js';
import type { Stack } from './family.js';
import { unknownGroup } from './group.js';
import type { Model } from './group.js';
import { limits } from './limits.js';
import type { LayerGroup } from './plan.js';
import { readPadding } from './shape.js';
import { sinusoidal } from './sinusoid.js';
import { readOffset } from './table-groups.js';

/** BART, Pegasus, Whisper …: an encoder and a decoder, each with a table of its own added to its input. */
export function stackGroups(context: Context, model: Model): LayerGroup[] {
  const { fields, family } = context;
  const { stacks } = family;
  if (stacks === null) return [];
  const layers = model.kinds.flatMap((kind) => kind.layers);
  const both = fields.flag('is_encoder_decoder') ?? true;
  if (!both) {
    const side = fields.flag('is_decoder') === true ? 'decoder' : 'encoder';
    const own = side === 'decoder' ? decoderLayers(context, stacks.decoder, 0) : layers;
    return [stackGroup(context, model, side, stacks[side], own)];
  }
  const after = decoderLayers(context, stacks.decoder, layers.length);
  return [
    stackGroup(context, model, 'encoder', stacks.encoder, layers),
    stackGroup(context, model, 'decoder', stacks.decoder, after),
  ];
}

function decoderLayers(context: Context, { layers }: Stack, from: number): number[] {
  const given = context.fields.integer('decoder_layers', limits.layers);
  const count = given ?? assume(context, 'decoder_layers', layers);
  return Array.from({ length: count }, (_, i) => from + i);
}

function stackGroup(
  context: Context,
  { shape, ordinary }: Model,
  side: 'encoder' | 'decoder',
  { table, heads, lengthField, length }: Stack,
  layers: readonly number[],
): LayerGroup {
  const { fields, family } = context;
  const width = shape.hiddenSize;
  const named = side === 'encoder' ? shape.heads : null;
  const name = `${side}_attention_heads`;
  const own = named ?? fields.integer(name, limits.heads) ?? assume(context, name, heads);
  const positions =
    fields.integer(lengthField, limits.length) ?? assume(context, lengthField, length);
  const grows = family.offset === 'padding';
  const offset = grows ? readPadding(fields) + 1 : readOffset(context);
  const scale = width === null ? null : 1 / Math.sqrt(width / own);
  const kind = { layers, layerType: side, rotates: false, window: null, chunk: null };
  const group: LayerGroup = {
    ...unknownGroup(kind, shape),
    encoding: 'learned',
    computed: ordinary && width !== null,
    table: width === null || grows ? null : { positions, width, offset },
    trainedLength: positions,
    effectiveLength: positions,
    softmaxScale: scale,
    factors: scale === null ? [] : [{ on: 'softmax', value: scale, from: 'head-size' }],
  };
  if (table === 'learned' || width === null) return group;
  const denominator = table === 'sinusoidal' ? 'd/2' : 'd/2-1';
  context.notes.add('sinusoids', [], { side, denominator });
  if (grows) context.notes.add('sinusoids-grow', [fields.at('pad_token_id')], { offset });
  const padded = grows ? { offset, zeroPadding: true } : {};
  return { ...group, ...sinusoidal(width, { layout: 'halves', denominator, ...padded }) };
}

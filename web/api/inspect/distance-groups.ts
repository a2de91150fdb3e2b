import { assume } from './context.js';
import type { Context } from './context.js';
import { unknownGroup } from './group.js';
import type { Model } from './group.js';
import { limits } from './limits.js';
import type { Distances, LayerGroup, PositionConvolution } from './plan.js';
import { sinusoidFrequencies, unscaled } from './sinusoid.js';
import { readSoftmax } from './softmax.js';

/**
 * Transformer-XL and XLNet: sinusoids of the distance, projected in every layer, meet the queries and
 * two learned vectors (Dai 2019, section 3.3).
 */
export function transformerXlGroups(
  context: Context,
  { shape, kinds, ordinary }: Model,
): LayerGroup[] {
  const { fields, notes } = context;
  const { hiddenSize, headDim } = shape;
  const range = { low: -1, high: limits.length.high };
  const clamp = fields.integer('clamp_len', range) ?? -1;
  const memory = fields.integer('mem_len', { low: 0, high: limits.length.high }) ?? 0;
  const softmax = readSoftmax(context, shape, headDim);
  const distances: Distances | null =
    hiddenSize === null
      ? null
      : {
          terms: ['q·r', 'u·k', 'v·r'],
          vectors: 'sinusoidal',
          width: hiddenSize,
          maxDistance: clamp > 0 ? clamp : null,
          beyond: 'clipped',
        };
  const spectrum = unscaled(hiddenSize === null ? [] : sinusoidFrequencies(hiddenSize, 'd/2'));
  notes.add('segment-memory', [fields.at('mem_len')], { memory });
  return kinds.map((kind) => ({
    ...unknownGroup(kind, shape),
    encoding: 'transformer_xl',
    computed: ordinary && distances !== null,
    distances,
    ...spectrum,
    softmaxScale: softmax?.value ?? null,
    factors: softmax === null ? [] : [softmax],
  }));
}

/** wav2vec 2.0, HuBERT: a wide convolution over the input is added to it; layers know no positions. */
export function convolutionGroups(
  context: Context,
  { shape, kinds, ordinary }: Model,
): LayerGroup[] {
  const { fields, notes } = context;
  const read = (name: string, initial: number): number =>
    fields.integer(name, { low: 1, high: 65536 }) ?? assume(context, name, initial);
  const names = ['num_conv_pos_embeddings', 'num_conv_pos_embedding_groups'] as const;
  const convolution: PositionConvolution = {
    kernel: read(names[0], 128),
    groups: read(names[1], 16),
  };
  const { kernel, groups } = convolution;
  const softmax = readSoftmax(context, shape, shape.headDim);
  notes.add(
    'position-convolution',
    names.map((name) => fields.at(name)),
    { kernel, groups },
  );
  return kinds.map((kind) => ({
    ...unknownGroup(kind, shape),
    encoding: 'convolution',
    computed: ordinary,
    convolution,
    softmaxScale: softmax?.value ?? null,
    factors: softmax === null ? [] : [softmax],
  }));
}

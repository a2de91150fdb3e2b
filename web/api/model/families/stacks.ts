import type { LayerSpec, ModelSpec, StackSpec } from '../spec.js';
import { readLayers, readScale } from './positions.js';
import type { Sizes } from './read.js';
import type { Rules } from './rules.js';
import type { Blueprint, Reading } from './types.js';

/** What most models are: no scales, positions from the first row on. */
export const plainModel = {
  embeddingScale: 1,
  positionOffset: 0,
  logitScale: 1,
} as const satisfies Partial<ModelSpec>;

/** Before each sublayer a LayerNorm, no gate, tokens see those before them: GPT-2, and what came of it. */
export const plainDecoder = {
  causal: true,
  cross: false,
  norm: 'layer',
  normPlacement: 'pre',
  parallel: false,
  gated: false,
  queryKeyNorm: false,
} as const satisfies Partial<StackSpec>;

/** What such decoders differ by. */
interface Differences extends Pick<StackSpec, 'normEpsilon' | 'activation'> {
  /** Default: as many as there are heads. */
  readonly kvHeads?: number;
  readonly parallel?: boolean;
  readonly normPlacement?: StackSpec['normPlacement'];
  /** Default: what the plan says of positions. */
  readonly layers?: readonly LayerSpec[];
}

/** A model of one plain decoder, of the tensors that `rules` name. */
export const plainBlueprint = (
  reading: Reading,
  rules: Rules,
  { layers, width, heads, headDim }: Sizes,
  { vocabulary, hidden, positionOffset = 0 }: PlainSizes,
  { layers: own = readLayers(reading, layers), ...differences }: Differences,
): Blueprint => ({
  rules: rules.list,
  unused: rules.unused,
  spec: {
    ...plainModel,
    vocabulary,
    width,
    positionOffset,
    decoder: {
      ...plainDecoder,
      layers: own,
      ...{ heads, kvHeads: heads, headDim, hidden },
      attentionScale: readScale(reading),
      ...differences,
    },
  },
});

/** Sizes that families read each in their own way. */
interface PlainSizes {
  readonly vocabulary: number;
  readonly hidden: number;
  readonly positionOffset?: number;
}

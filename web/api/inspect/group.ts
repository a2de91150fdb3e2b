import type { LayerKind } from './layers.js';
import type { LayerGroup } from './plan.js';
import type { Shape } from './shape.js';

/** The layers of a model, and whether anything may be computed about them. */
export interface Model {
  readonly shape: Shape;
  readonly kinds: readonly LayerKind[];
  /** The asked length, or the trained one. */
  readonly length: number | null;
  /** False where the config or the file has what the family's reading does not take into account. */
  readonly ordinary: boolean;
}

/** A group of which nothing is known but its layers. */
export const unknownGroup = (
  { layers, layerType, window, chunk }: LayerKind,
  { trainedLength, claimedLength }: Pick<Shape, 'trainedLength' | 'claimedLength'>,
): LayerGroup => ({
  layers,
  layerType,
  encoding: 'unknown',
  computed: false,
  options: null,
  layout: null,
  rotaryDim: null,
  rotaryStart: null,
  latent: null,
  base: null,
  scaling: null,
  rule: null,
  inverseFrequencies: [],
  wavelengths: [],
  divisors: [],
  sections: null,
  attentionFactor: null,
  incompletePairs: null,
  firstIncompletePair: null,
  slopes: [],
  table: null,
  buckets: null,
  disentangled: null,
  distances: null,
  patchWindow: null,
  convolution: null,
  window,
  chunk,
  sinks: false,
  temperature: null,
  softmaxScale: null,
  factors: [],
  trainedLength,
  effectiveLength: claimedLength ?? trainedLength,
});

import type { ModelSpec, StackSpec } from '../spec.js';

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

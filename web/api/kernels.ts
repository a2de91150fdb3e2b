/**
 * The functions of one WebAssembly instance, as `cpp/bindings/bindings.cpp` exports them. Pointers
 * are byte offsets into the module's memory; a status of 0 means success, any other indexes
 * `Description.status`.
 */
export interface Kernels {
  describe(): unknown;
  resolve(encoding: number): number;
  faultParameter(): number;
  faultRule(): string;
  frequencyCount(encoding: number): number;
  frequencies(encoding: number, out: number): number;
  domain(encoding: number, out: number): number;
  attentionFactor(encoding: number): number;
  scoreScale(encoding: number, headDim: number): number;
  embedWidth(encoding: number): number;
  embed(encoding: number, positions: number, tokens: number, axes: number, out: number): number;
  rotationWidth(encoding: number): number;
  turnedDim(encoding: number): number;
  rotationTable(
    encoding: number,
    side: number,
    positions: number,
    tokens: number,
    axes: number,
    cos: number,
    sin: number,
  ): number;
  rotate(call: number): number;
  /** Layout 0 is `half`, 1 `interleaved`. */
  rotateByTable(
    call: number,
    cos: number,
    sin: number,
    rows: number,
    rotaryDim: number,
    layout: number,
  ): number;
  biasHeads(encoding: number): number;
  bias(
    encoding: number,
    queryPositions: number,
    queries: number,
    keyPositions: number,
    keys: number,
    axes: number,
    out: number,
  ): number;
  scale(
    encoding: number,
    positions: number,
    tokens: number,
    axes: number,
    heads: number,
    out: number,
  ): number;
  /** Each adds to the arrays whose 32-bit addresses are at `gradients`, one per tensor parameter. */
  embedGradient(
    encoding: number,
    positions: number,
    tokens: number,
    axes: number,
    gradient: number,
    gradients: number,
  ): number;
  /** Writes the gradient by what was turned to `x`, unless it is 0. */
  rotateGradient(call: number, gradients: number, x: number): number;
  biasGradient(
    encoding: number,
    queryPositions: number,
    queries: number,
    keyPositions: number,
    keys: number,
    axes: number,
    gradient: number,
    gradients: number,
  ): number;
  scaleGradient(
    encoding: number,
    positions: number,
    tokens: number,
    axes: number,
    heads: number,
    gradient: number,
    gradients: number,
  ): number;
  attention(call: number): number;
  linear(
    input: number,
    weight: number,
    bias: number,
    rows: number,
    inputs: number,
    outputs: number,
    output: number,
  ): number;
  /** Takes the call of `attention` with what that wrote at `output` and `statistics`. */
  attentionBackward(call: number, gradients: number): number;
  linearAttention(call: number): number;
  /** 1 when only distances matter to an encoding; 1 when keys can wait turned by it. */
  relative(encoding: number): number;
  keepsTurned(encoding: number): number;
  /**
   * A cache is known by the handle that these write to `out`, a float64. A layer or sequence of −1
   * stands for all.
   */
  cacheMake(call: number, out: number): number;
  cacheClone(cache: number, out: number): number;
  cacheFree(cache: number): void;
  cacheAttend(cache: number, layer: number, sequence: number, call: number): number;
  cacheAppend(cache: number, layer: number, sequence: number, call: number): number;
  cacheCount(cache: number, layer: number, sequence: number): number;
  cacheNext(cache: number, layer: number, sequence: number): number;
  cachePositions(cache: number, layer: number, sequence: number, out: number): void;
  cacheEvict(
    cache: number,
    layer: number,
    sequence: number,
    slots: number,
    count: number,
    encodings: number,
    encodingCount: number,
  ): number;
  cacheTruncate(cache: number, layer: number, sequence: number, count: number): number;
  cacheShift(
    cache: number,
    layer: number,
    sequence: number,
    from: number,
    to: number,
    delta: number,
    encodings: number,
    encodingCount: number,
  ): number;
  cacheCopySequence(cache: number, from: number, to: number): number;
  cacheClear(cache: number, sequence: number): number;
  cacheSize(cache: number): number;
  cacheSave(cache: number, tag: number, out: number): void;
  cacheRestore(cache: number, tag: number, from: number, bytes: number): number;
  /**
   * A model is known by the handle that this writes to `out`, a float64. Parts: 0 whole, 1 decoder,
   * 2 encoder; precisions: 0 f32, 1 f16, 2 int8.
   */
  modelMake(call: number, out: number): number;
  modelFree(model: number): void;
  /** Writes rows and columns of a tensor, float64; no rows where the model has no such tensor. */
  modelExpected(model: number, part: number, layer: number, tensor: number, out: number): void;
  modelAdd(
    model: number,
    part: number,
    layer: number,
    tensor: number,
    rows: number,
    columns: number,
    precision: number,
  ): number;
  modelWrite(
    model: number,
    part: number,
    layer: number,
    tensor: number,
    first: number,
    count: number,
    rows: number,
  ): void;
  /** Writes part, layer and tensor of what is missing, float64; returns 0 when nothing is. */
  modelMissing(model: number, out: number): number;
  /** Where a tensor of float32 is; 0 when it is absent or held in fewer bits. */
  modelNumbers(model: number, part: number, layer: number, tensor: number): number;
  modelBytes(model: number): number;
  modelStep(model: number, call: number): number;
  modelCross(model: number, batch: number, tokens: number, encoded: number, out: number): number;
  /** A trainer is known by the handle that this writes to `out`, a float64. */
  trainerMake(model: number, adopted: number, out: number): number;
  trainerFree(trainer: number): void;
  /** Returns where the gradients by an array are added; 0 = no memory. */
  trainerAdopt(trainer: number, values: number, count: number, decays: number): number;
  /** Adds gradients; writes the loss to `loss`, a float64. */
  trainerLearn(trainer: number, step: number, learn: number, loss: number): number;
  trainerClear(trainer: number): void;
  trainerNorm(trainer: number): number;
  trainerUpdate(trainer: number, call: number): void;
  /** Where the gradient by a tensor of the model is; 0 when that is absent. */
  trainerGradient(trainer: number, part: number, layer: number, tensor: number): number;
  trainerStateSize(trainer: number): number;
  trainerSave(trainer: number, out: number): void;
  trainerLoad(trainer: number, from: number): void;
  random(
    seedLow: number,
    seedHigh: number,
    skip: number,
    kind: number,
    count: number,
    out: number,
  ): number;
  /** How many threads work on a call of attention; missing in builds that have one. */
  threads?(): number;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  /** Views of the whole memory. Growth replaces them, so they are read anew for every use. */
  readonly HEAPU8: Uint8Array;
  readonly HEAP32: Int32Array;
  readonly HEAPF32: Float32Array;
  readonly HEAPF64: Float64Array;
}

/** Fields of the call block of `rotate`; the module tells their order. */
export const rotateFields = [
  'encoding',
  'side',
  'inverse',
  'x',
  'out',
  'batch',
  'heads',
  'tokens',
  'head_dim',
  'axes',
  'positions',
  'positions_per_batch',
] as const;

/** Fields of the call block of `attention`; the module tells their order. */
export const attentionFields = [
  'batch',
  'heads',
  'kv_heads',
  'queries',
  'keys',
  'head_dim',
  'value_dim',
  'query',
  'key',
  'value',
  'output',
  'encoding_count',
  'encodings',
  'softcap',
  'scale',
  'head_scales',
  'query_scales',
  'query_scales_per_batch',
  'sink_logits',
  'causal',
  'window',
  'before',
  'after',
  'chunk',
  'sinks',
  'global_keys',
  'global_keys_per_batch',
  'global_queries',
  'global_queries_per_batch',
  'query_segments',
  'query_segments_per_batch',
  'key_segments',
  'key_segments_per_batch',
  'visible',
  'added',
  'mask_batch',
  'mask_head',
  'mask_query',
  'mask_key',
  'axes',
  'query_positions',
  'query_positions_per_batch',
  'key_positions',
  'key_positions_per_batch',
  'key_mask',
  'key_mask_per_batch',
  'scores',
  'capped',
  'biased',
  'logits',
  'weights',
  'statistics',
] as const;

/** Fields of the second call block of `attentionBackward`; the module tells their order. */
export const gradientFields = [
  'd_output',
  'query',
  'key',
  'value',
  'encodings',
  'added',
  'sink_logits',
  'head_scales',
  'query_scales',
  'score_scale',
] as const;

/** Fields of the call block of `linearAttention`; the module tells their order. */
export const linearFields = [
  'batch',
  'heads',
  'kv_heads',
  'tokens',
  'key_dim',
  'value_dim',
  'query',
  'key',
  'value',
  'decay',
  'decay_dim',
  'beta',
  'beta_heads',
  'scale',
  'state',
  'output',
] as const;

/** Fields of the call block of `cacheMake`; the module tells their order. */
export const cacheFields = [
  'layers',
  'batch',
  'kv_heads',
  'head_dim',
  'value_dim',
  'capacity',
  'axes',
  'turned',
  'window',
  'sinks',
  'renumber',
] as const;

/** Fields of the call block of `modelMake`, and of each stack of it. */
export const modelFields = [
  ...(['vocabulary', 'width', 'embedding_scale', 'position_offset'] as const),
  ...(['logit_scale', 'logit_softcap', 'decoder', 'encoder'] as const),
] as const;
export const stackFields = [
  ...(['layers', 'heads', 'kv_heads', 'head_dim', 'hidden', 'norm', 'norm_epsilon'] as const),
  ...(['placement', 'causal', 'cross', 'parallel', 'activation', 'gated', 'softcap'] as const),
] as const;

/** Fields of the call block of `modelStep`, and of the lists that it points to. */
export const stepFields = [
  ...(['part', 'batch', 'tokens', 'sequence', 'ids', 'positions', 'real'] as const),
  ...(['groups', 'group_count', 'layers', 'layer_count'] as const),
  ...(['cross_tokens', 'cross', 'cross_real', 'wanted', 'wanted_count'] as const),
  ...(['hidden', 'logits', 'trace', 'embedding'] as const),
] as const;
/** Fields of the call blocks of `trainerLearn` and `trainerUpdate`. */
export const learnFields = [
  ...(['targets', 'weights', 'trained', 'embedding_trained', 'dropout', 'seed'] as const),
] as const;
export const updateFields = [
  ...(['step', 'rate', 'beta1', 'beta2', 'epsilon', 'decay', 'clip'] as const),
] as const;
export const groupFields = ['encodings', 'encoding_count', 'scale'] as const;
export const stepLayerFields = ['group', 'window', 'cache', 'cache_layer'] as const;
export const traceFields = [
  ...(['input', 'normed', 'query', 'key', 'value', 'scores', 'biased', 'logits'] as const),
  ...(['weights', 'heads', 'attention', 'mlp'] as const),
] as const;

export type RotateCall = Record<(typeof rotateFields)[number], number>;
export type AttentionCall = Record<(typeof attentionFields)[number], number>;
export type GradientCall = Record<(typeof gradientFields)[number], number>;
export type LinearCall = Record<(typeof linearFields)[number], number>;
export type CacheCall = Record<(typeof cacheFields)[number], number>;
export type ModelCall = Record<(typeof modelFields)[number], number>;
export type StackCall = Record<(typeof stackFields)[number], number>;
export type StepCall = Record<(typeof stepFields)[number], number>;
export type GroupCall = Record<(typeof groupFields)[number], number>;
export type StepLayerCall = Record<(typeof stepLayerFields)[number], number>;
export type TraceCall = Record<(typeof traceFields)[number], number>;
export type LearnCall = Record<(typeof learnFields)[number], number>;
export type UpdateCall = Record<(typeof updateFields)[number], number>;

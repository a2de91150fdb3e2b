import { assume } from './context.js';
import type { Context } from './context.js';
import { layerPattern } from './pattern.js';
import { limits } from './limits.js';
import type { Shape } from './shape.js';

/** Layers of one kind, by index. */
export interface LayerKind {
  readonly layers: readonly number[];
  /** `full_attention`, `sliding_attention`, or what else the config says. */
  readonly layerType: string;
  /** Whether its queries and keys turn, in a model that rotates at all. */
  readonly rotates: boolean;
  readonly window: number | null;
  readonly chunk: number | null;
}

const full = 'full_attention';
const sliding = 'sliding_attention';
const chunked = 'chunked_attention';

/** DeepSeek-V4: beyond the window several tokens share one key. Layer type, how many, its own old field. */
const compressions = [
  ['compressed_sparse_attention', 4, 'compress_rate_csa'],
  ['heavily_compressed_attention', 128, 'compress_rate_hca'],
] as const;

export const compressedTypes: readonly string[] = compressions.map(([layerType]) => layerType);

/** Layer types whose attention is like any other, but for the window. */
export const attentionTypes: ReadonlySet<string> = new Set([
  full,
  sliding,
  chunked,
  'attention',
  ...compressedTypes,
]);

/** Layer types without attention over positions: their recurrence or convolution tells the order. */
export const recurrentTypes: ReadonlySet<string> = new Set([
  'conv',
  'linear_attention',
  'mamba',
  'recurrent',
]);

/**
 * Sorts the layers into kinds, in the order of their first layer: by `layer_types` where the config has
 * it, else by the family's own rules.
 */
export function readLayers(context: Context, shape: Shape): LayerKind[] {
  const { fields, family, notes } = context;
  const window = readWindow(context);
  const count = shape.layers ?? 1;
  const rotates = readRotation(context, count, window);
  const chunk = readChunk(context);
  const given = layerTyping(context, shape, window);
  const typeOf = (layer: number): string =>
    shape.layerTypes === null && chunk !== null && rotates(layer, full) ? chunked : given(layer);
  if (shape.layers === null) notes.add('layers-missing', [fields.at('num_hidden_layers')], {});
  const kinds = new Map<string, { layerType: string; rotates: boolean; layers: number[] }>();
  for (let layer = 0; layer < count; layer++) {
    const layerType = typeOf(layer);
    const turning = rotates(layer, layerType);
    const key = `${layerType} ${turning}`;
    const kind = kinds.get(key);
    if (kind !== undefined) kind.layers.push(layer);
    else kinds.set(key, { layerType, rotates: turning, layers: [layer] });
  }
  const list = [...kinds.values()];
  checkWindow(
    context,
    shape,
    window,
    list.some(({ layerType }) => layerType === sliding || compressedTypes.includes(layerType)),
  );
  tellKinds(context, list, chunk);
  const keys = window !== null && family.windowBothSides ? 2 * Math.floor(window / 2) + 1 : window;
  return list.map((kind) => {
    const { layerType } = kind;
    return {
      ...kind,
      window: layerType === sliding ? keys : null,
      chunk: layerType === chunked ? chunk : null,
    };
  });
}

/** Keys a sliding layer sees, the token itself included; `null` = no window. */
function readWindow(context: Context): number | null {
  const { fields, family, notes } = context;
  const name = family.windowBothSides ? 'local_attention' : 'sliding_window';
  const on = fields.flag('use_sliding_window') ?? !family.windowSwitch;
  // ModernBERT's −1 is the same as none.
  const low = family.windowBothSides ? -1 : 0;
  const given = fields.integer(name, { low, high: limits.length.high });
  const window = given === null || given <= 0 ? null : given;
  if (!on) {
    if (window !== null) notes.add('window-off', [fields.at(name)], { window });
    return null;
  }
  if (window !== null || family.window === null || fields.mentions(name)) return window;
  return assume(context, name, family.window);
}

/** Llama 4: layers that rotate see only their chunk. */
function readChunk(context: Context): number | null {
  const { fields, family } = context;
  if (family.chunk === null) return null;
  const given = fields.integer('attention_chunk_size', limits.length);
  if (given !== null || fields.mentions('attention_chunk_size')) return given;
  return assume(context, 'attention_chunk_size', family.chunk);
}

/** Whether a layer rotates: `no_rope_layers` and `no_rope_layer_interval`, or a rule of the family. */
function readRotation(
  context: Context,
  count: number,
  window: number | null,
): (layer: number, layerType: string) => boolean {
  const { fields, family } = context;
  if (family.nope === 'all') return () => false;
  if (family.nope === 'full') return (_, layerType) => layerType !== full;
  if (family.nope === 'full-if-windowed') {
    return (_, layerType) => window === null || layerType !== full;
  }
  if (family.nope !== 'list') return () => true;
  const given = fields.integer('no_rope_layer_interval', limits.layers);
  const list = readNoRopeList(context, count);
  if (list !== null) return (layer) => list[layer] === 1;
  const interval = given ?? assume(context, 'no_rope_layer_interval', 4);
  return (layer) => (layer + 1) % interval !== 0;
}

/** `no_rope_layers`: one number a layer, and 1 means that the layer does rotate. */
function readNoRopeList({ fields, notes }: Context, count: number): number[] | null {
  const list = fields.list('no_rope_layers', limits.layers.high);
  if (list === null || list.length === 0) return null;
  const at = [fields.at('no_rope_layers')];
  const wrong = list.findIndex((entry) => entry !== 0 && entry !== 1);
  if (wrong >= 0) {
    const allowed = '0 (no rotation) or 1 (rotation) for each layer';
    throw fields.wrong(`no_rope_layers[${wrong}]`, list[wrong], allowed);
  }
  if (list.length !== count) {
    throw fields.wrong('no_rope_layers', list, `one entry for each of the ${count} layers`);
  }
  const rotating = list.filter((entry) => entry === 1).length;
  notes.add('no-rope-meaning', at, { rotating, of: count });
  if (2 * rotating < count) notes.add('no-rope-inverted', at, { rotating, of: count });
  return list as number[];
}

function layerTyping(
  context: Context,
  { layers, layerTypes }: Shape,
  window: number | null,
): (layer: number) => string {
  const { fields, family } = context;
  const given = fields.integer('max_window_layers', { low: 0, high: limits.layers.high });
  if (layerTypes !== null) {
    fields.integers(family.pattern?.fields ?? [], limits.layers); // read, though layer_types decides
    return (layer) => layerTypes[layer] as string;
  }
  const typed = family.typing?.(context, layers ?? 1);
  if (typed !== undefined) return (layer) => typed[layer] as string;
  const patterned = layerPattern(context, window);
  if (patterned !== null) return patterned;
  const { windowed, maxWindowLayers } = family;
  if (window === null || windowed === null) return () => full;
  const edge =
    given === null && maxWindowLayers !== null
      ? assume(context, 'max_window_layers', maxWindowLayers)
      : (given ?? 0);
  return (layer) => (windowed(layer, edge) ? sliding : full);
}

function checkWindow(
  { fields, family, notes }: Context,
  { layerTypes }: Shape,
  window: number | null,
  used: boolean,
): void {
  const name = family.windowBothSides ? 'local_attention' : 'sliding_window';
  const names = [fields.at(name)];
  if (window === null) {
    const off = (fields.flag('use_sliding_window') ?? !family.windowSwitch) === false;
    if (used && !off) notes.add('window-missing', names, { layerType: sliding });
  } else if (used && family.windowBothSides) {
    notes.add('window-both-sides', names, { window, side: Math.floor(window / 2) });
  } else if (used) {
    notes.add('window-counts-self', names, { window });
  } else if (layerTypes === null && family.windowed === null && family.pattern === null) {
    notes.add('window-layers-unknown', names, { window });
  } else {
    notes.add('window-unused', names, { window });
  }
}

function tellKinds(
  context: Context,
  kinds: readonly Omit<LayerKind, 'window' | 'chunk'>[],
  chunk: number | null,
): void {
  const { fields, notes } = context;
  const of = (wanted: (kind: (typeof kinds)[number]) => boolean): number =>
    kinds.filter(wanted).reduce((sum, { layers }) => sum + layers.length, 0);
  const still = of((kind) => !kind.rotates && !recurrentTypes.has(kind.layerType));
  const count = of(() => true);
  if (still > 0) notes.add('layers-without-rope', [], { count: still, of: count });
  tellCompressed(context, of);
  if (chunk !== null && of(({ layerType }) => layerType === chunked) > 0) {
    notes.add('chunked', [fields.at('attention_chunk_size')], { chunk });
  }
  for (const { layerType, layers } of kinds) {
    if (!recurrentTypes.has(layerType)) continue;
    notes.add('layers-recurrent', [fields.at('layer_types')], { layerType, count: layers.length });
  }
}

/** How many tokens share a key, per kind of compressed layer. */
function tellCompressed(
  { fields, notes }: Context,
  of: (wanted: (kind: { readonly layerType: string }) => boolean) => number,
): void {
  for (const [layerType, usual, old] of compressions) {
    const count = of((kind) => kind.layerType === layerType);
    if (count === 0) continue;
    const given = fields.integer(old, limits.length);
    const rate =
      fields.child('compress_rates')?.integer(layerType, limits.length) ?? given ?? usual;
    notes.add('compressed', [fields.at('compress_ratios')], { layerType, count, rate });
  }
}

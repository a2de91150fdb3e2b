import { assume } from './context.js';
import type { Context } from './context.js';
import { limits } from './limits.js';
import type { Shape } from './shape.js';

/** Layers of one type, by index. */
export interface LayerKind {
  readonly layers: readonly number[];
  /** `full_attention`, `sliding_attention`, or what else the config says. */
  readonly layerType: string;
  readonly window: number | null;
}

const full = 'full_attention';
const sliding = 'sliding_attention';

/** Layer types whose attention is like any other, but for the window. */
export const attentionTypes: ReadonlySet<string> = new Set([full, sliding]);

/**
 * Sorts the layers into types, in the order of their first layer: by `layer_types` where the config has
 * it, else by the family's own rule for windows.
 */
export function readLayers(context: Context, shape: Shape): LayerKind[] {
  const { fields, notes } = context;
  const window = readWindow(context);
  const typeOf = layerTyping(context, shape, window);
  if (shape.layers === null) notes.add('layers-missing', [fields.at('num_hidden_layers')], {});
  const kinds = new Map<string, number[]>();
  for (let layer = 0; layer < (shape.layers ?? 1); layer++) {
    const type = typeOf(layer);
    const layers = kinds.get(type);
    if (layers === undefined) kinds.set(type, [layer]);
    else layers.push(layer);
  }
  checkWindow(context, shape, window, kinds.has(sliding));
  return [...kinds].map(([layerType, layers]) => {
    return { layers, layerType, window: windowOf(layerType, window) };
  });
}

/** Only sliding layers have a window. */
export const windowOf = (layerType: string, window: number | null): number | null =>
  layerType === sliding ? window : null;

/** Keys a sliding layer sees, the token itself included; `null` = no window. */
export function readWindow(context: Context): number | null {
  const { fields, family, notes } = context;
  const on = fields.flag('use_sliding_window') ?? !family.windowSwitch;
  const given = fields.integer('sliding_window', { low: 0, high: limits.length.high }) || null;
  if (!on) {
    if (given !== null) notes.add('window-off', [fields.at('sliding_window')], { window: given });
    return null;
  }
  if (given !== null || family.window === null || fields.mentions('sliding_window')) return given;
  return assume(context, 'sliding_window', family.window);
}

function layerTyping(
  context: Context,
  { layerTypes }: Shape,
  window: number | null,
): (layer: number) => string {
  const { fields, family } = context;
  const given = fields.integer('max_window_layers', { low: 0, high: limits.layers.high });
  if (layerTypes !== null) return (layer) => layerTypes[layer] as string;
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
  const names = [fields.at('sliding_window')];
  if (window === null) {
    const off = (fields.flag('use_sliding_window') ?? !family.windowSwitch) === false;
    if (used && !off) notes.add('window-missing', names, { layerType: sliding });
  } else if (used) {
    notes.add('window-counts-self', names, { window });
  } else if (layerTypes === null && family.windowed === null) {
    notes.add('window-layers-unknown', names, { window });
  } else {
    notes.add('window-unused', names, { window });
  }
}

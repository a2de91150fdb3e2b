/** Bounds of a number, inclusive. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/** What is believed of a config: far above every published model, and what the module accepts. */
export const limits = {
  layers: { low: 1, high: 4096 },
  /** Different names in `layer_types`. */
  layerTypes: 16,
  hiddenSize: { low: 1, high: 2 ** 20 },
  heads: { low: 1, high: 4096 },
  headDim: { low: 1, high: 4096 },
  /** Positions are integers up to 2^30. */
  length: { low: 1, high: 2 ** 30 },
  base: { low: 1, high: 1e12 },
  fraction: { low: 0, high: 1 },
  /** Multipliers of q·k, and widths they are made from. */
  scale: { low: 1e-9, high: 1e9 },
  finite: { low: -Number.MAX_VALUE, high: Number.MAX_VALUE },
  /** Length of a JSON text; the largest real configs (with label tables) have a few million. */
  characters: 8 * 1024 * 1024,
  /** Nesting of a JSON text; real configs stay below ten. */
  depth: 100,
  /** Keys of one object. */
  keys: 10_000,
} as const;

/** `full_attention`, `sliding_attention` … */
export const layerTypeName = /^\w{1,60}$/;

import { assume } from '../context.js';
import type { Context } from '../context.js';
import type { Fields } from '../fields.js';
import { limits } from '../limits.js';

/** How some types say, in fields of their own, which layer is of which type. */
type Typing = (context: Context, count: number) => string[];

const every = (count: number, typeOf: (layer: number) => string): string[] =>
  Array.from({ length: count }, (_, layer) => typeOf(layer));

/** Every layer alike (Mamba, RWKV). */
export const all =
  (layerType: string): Typing =>
  (_, count) =>
    every(count, () => layerType);

/** Jamba: attention in one layer of each period, Mamba in the others (configuration_jamba.py). */
export const byPeriod: Typing = (context, count) => {
  const { fields } = context;
  const read = (name: string, initial: number, low: number): number =>
    fields.integer(name, { low, high: limits.layers.high }) ?? assume(context, name, initial);
  const period = read('attn_layer_period', 8, 1);
  const offset = read('attn_layer_offset', 4, 0);
  if (offset < period) {
    return every(count, (layer) => (layer % period === offset ? 'attention' : 'mamba'));
  }
  throw fields.wrong('attn_layer_offset', offset, `less than attn_layer_period (${period})`);
};

/**
 * Kimi Linear: `linear_attn_config` lists the layers of both kinds, counted from 1; without it every
 * fourth has attention (configuration_kimi_linear.py).
 */
export const byLists: Typing = ({ fields }, count) => {
  const lists = fields.child('linear_attn_config');
  const full = lists?.list('full_attn_layers', limits.layers.high) ?? null;
  const linear = lists?.list('kda_layers', limits.layers.high) ?? null;
  if (lists === null || full === null || linear === null) {
    return every(count, (layer) => (layer % 4 === 3 ? 'full_attention' : 'linear_attention'));
  }
  const types = new Map<number, string>([
    ...numbered(lists, 'full_attn_layers', full, count, 'full_attention'),
    ...numbered(lists, 'kda_layers', linear, count, 'linear_attention'),
  ]);
  if (types.size === count && full.length + linear.length === count) {
    return every(count, (layer) => types.get(layer + 1) as string);
  }
  const allowed = `with full_attn_layers each of the ${count} layers once, counted from 1`;
  throw lists.wrong('kda_layers', linear, allowed);
};

function numbered(
  lists: Fields,
  name: string,
  entries: readonly unknown[],
  count: number,
  layerType: string,
): [number, string][] {
  return entries.map((entry, i) => {
    if (Number.isInteger(entry) && (entry as number) >= 1 && (entry as number) <= count) {
      return [entry as number, layerType];
    }
    throw lists.wrong(`${name}[${i}]`, entry, `a layer, counted from 1 to ${count}`);
  });
}

const compressed = 'compressed_sparse_attention';
const heavily = 'heavily_compressed_attention';
const ratios: ReadonlyMap<unknown, string> = new Map([
  [0, 'sliding_attention'],
  [4, compressed],
  [128, heavily],
]);

/**
 * DeepSeek-V4: `compress_ratios` tells for each layer how many tokens share a key far away. Entries
 * past the last layer belong to the heads that predict several tokens (configuration_deepseek_v4.py).
 */
export const byRatios: Typing = ({ fields }, count) => {
  const given = fields.list('compress_ratios', limits.layers.high);
  if (given === null) {
    return every(count, (layer) => (layer < 2 || layer % 2 === 0 ? heavily : compressed));
  }
  if (given.length < count) {
    throw fields.wrong('compress_ratios', given, `an entry for each of the ${count} layers`);
  }
  return given.slice(0, count).map((ratio, i) => {
    const layerType = ratios.get(ratio);
    if (layerType !== undefined) return layerType;
    throw fields.wrong(`compress_ratios[${i}]`, ratio, `one of ${[...ratios.keys()].join(', ')}`);
  });
};

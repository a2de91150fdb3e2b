import { architectureOf } from './families/gguf.js';
import { Fields, isObject } from './fields.js';
import { limits } from './limits.js';
import type { Notes } from './notes.js';
import { list } from './unread.js';

/** Metadata keys after the architecture's name → fields of a config.json. */
const keys: readonly (readonly [string, string])[] = [
  ['context_length', 'max_position_embeddings'],
  ['embedding_length', 'hidden_size'],
  ['block_count', 'num_hidden_layers'],
  ['attention.head_count', 'num_attention_heads'],
  ['attention.head_count_kv', 'num_key_value_heads'],
  ['attention.key_length', 'head_dim'],
  ['attention.sliding_window', 'sliding_window'],
  ['attention.chunk_size', 'attention_chunk_size'],
  ['attention.relative_buckets_count', 'relative_attention_num_buckets'],
  ['attention.kv_lora_rank', 'kv_lora_rank'],
  ['rope.freq_base', 'rope_theta'],
  ['rope.freq_base_swa', 'rope_local_base_freq'],
  ['rope.dimension_count', 'rotary_dim'],
];

/** Keys of the rule → fields of `rope_scaling`. */
const scalingKeys: readonly (readonly [string, string])[] = [
  ['rope.scaling.type', 'rope_type'],
  ['rope.scaling.factor', 'factor'],
  ['rope.scaling.original_context_length', 'original_max_position_embeddings'],
  ['rope.scaling.attn_factor', 'attention_factor'],
  ['rope.scaling.yarn_beta_fast', 'beta_fast'],
  ['rope.scaling.yarn_beta_slow', 'beta_slow'],
];

/** What a GGUF header says, under the names of a config.json. */
export interface GgufConfig {
  readonly fields: Fields;
  /** How the file pairs the dimensions; `null` = the architecture is not known. */
  readonly layout: 'half' | 'interleaved' | null;
  /** The file has, or as a Llama 3.1 would have, divisors of the frequencies in a tensor. */
  readonly divided: boolean;
}

/**
 * Reads the key–value part of a GGUF header (or what a GGUF library returns: `metadata` beside
 * `tensorInfos`) as a config; `null` when it is none. Notes and errors name the GGUF keys.
 */
export function readGguf(given: Fields, notes: Notes): GgufConfig | null {
  const wrapped = given.mentions('general.architecture') ? null : given.peek('metadata');
  const header = isObject(wrapped) ? new Fields(wrapped, 'metadata') : given;
  if (!header.has('general.architecture')) return null;
  const architecture = header.name('general.architecture') as string;
  const known = architectureOf(architecture);
  const names = new Map<string, string>([['model_type', header.at('general.architecture')]]);
  const read = (key: string): unknown => plain(header.value(`${architecture}.${key}`));
  const collect = (table: typeof keys, prefix = ''): [string, unknown][] =>
    table.flatMap(([key, name]) => {
      const value = read(key);
      names.set(prefix + name, header.at(`${architecture}.${key}`));
      return value === null ? [] : [[name, greatest(value)]];
    });
  const config = Object.fromEntries(collect(keys));
  const rule = Object.fromEntries(collect(scalingKeys, 'rope_scaling.'));
  const type = rule['rope_type'] === 'none' ? undefined : rule['rope_type'];
  const multiplier = read('rope.scaling.yarn_log_multiplier');
  if (typeof multiplier === 'number') {
    // The file holds 0.1 · mscale_all_dim.
    rule['mscale'] = rule['mscale_all_dim'] = Number((10 * multiplier).toPrecision(6));
  }
  if (architecture === 'deepseek2') readLatent(config, read);
  const sections = read('rope.dimension_sections');
  const pairs = Array.isArray(sections) ? { mrope_section: sections.slice(0, 3) } : {};
  const scaling = type === undefined ? pairs : { ...rule, ...pairs };
  const fields = new Fields(
    {
      ...config,
      model_type: known?.[0] ?? architecture,
      ...(Object.keys(scaling).length === 0 ? {} : { rope_scaling: scaling }),
    },
    '',
    names,
  );
  notes.add('gguf', [header.at('general.architecture')], { architecture });
  const unread = header.unread().filter((key) => key.startsWith(`${architecture}.rope.`));
  if (unread.length > 0) {
    const paths = unread.map((key) => header.at(key));
    notes.add('gguf-keys-unread', paths, { names: list(unread) });
  }
  return { fields, layout: known?.[1] ?? null, divided: hasDivisors(given, config, architecture) };
}

/** Of a list with one number per layer the greatest (layers without attention have 0). */
const greatest = (value: unknown): unknown =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'number') && value.length > 0
    ? Math.max(...value)
    : value;

/** 64-bit numbers as numbers. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (!Array.isArray(value) || value.length > limits.layers.high) return value;
  return value.map((entry) => plain(entry));
}

/** DeepSeek: the width that turns is a part of the key's, and mscale stands in a multiplier. */
function readLatent(config: Record<string, unknown>, read: (key: string) => unknown): void {
  const rotary = config['rotary_dim'];
  const whole = read('attention.key_length_mla') ?? config['head_dim'];
  delete config['head_dim'];
  delete config['rotary_dim'];
  if (typeof rotary !== 'number' || typeof whole !== 'number') return;
  config['qk_rope_head_dim'] = rotary;
  config['qk_nope_head_dim'] = whole - rotary;
}

/** Whether `rope_freqs.weight` or `rope_factors_*` divide the frequencies: they are not in the metadata. */
function hasDivisors(
  given: Fields,
  config: Record<string, unknown>,
  architecture: string,
): boolean {
  const tensors = given.peek('tensorInfos');
  if (Array.isArray(tensors)) {
    return tensors.some(
      (tensor: unknown) =>
        isObject(tensor) &&
        /^rope_(freqs|factors_long|factors_short)\b/.test(
          String((tensor as { name?: unknown }).name),
        ),
    );
  }
  const length = config['max_position_embeddings'];
  const base = config['rope_theta'];
  return architecture === 'llama' && base === 500000 && typeof length === 'number' && length > 8192;
}

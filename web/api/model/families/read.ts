import { PosencError, show } from '../../error.js';
import type { Fields } from '../../inspect/fields.js';
import { limits } from '../../inspect/limits.js';
import type { StackSpec } from '../spec.js';
import type { Reading } from './types.js';

/** The error for a setting that is valid, but not one that the engine runs. */
export function unsupported(argument: string, value: unknown, allowed: string): PosencError {
  const received = show(value);
  return new PosencError('unsupported', `${argument} is ${received}, needs ${allowed}`, {
    argument,
    received,
    allowed,
  });
}

/** Refuses settings that must have one of these values where the config has them at all. */
export function only(fields: Fields, settings: Readonly<Record<string, readonly unknown[]>>): void {
  for (const [name, values] of Object.entries(settings)) {
    const value = fields.value(name);
    if (value === null || values.includes(value)) continue;
    throw unsupported(fields.at(name), value, values.map(show).join(' or ') || 'none');
  }
}

/** Sizes that every family has. */
export interface Sizes {
  readonly layers: number;
  readonly width: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
}

/** The sizes that `inspect` read, all of which a model needs. */
export function readSizes({ fields, plan }: Reading): Sizes {
  const { layers, hiddenSize: width, heads, kvHeads, headDim } = plan;
  const need = (name: string, value: number | null): number => {
    if (value !== null) return value;
    throw fields.wrong(name, fields.value(name), 'a size, which this model does not default');
  };
  const sizes = {
    layers: need('num_hidden_layers', layers),
    width: need('hidden_size', width),
    heads: need('num_attention_heads', heads),
    kvHeads: need('num_key_value_heads', kvHeads),
    headDim: need('head_dim', headDim),
  };
  if (sizes.heads % sizes.kvHeads !== 0) {
    const allowed = `a divisor of num_attention_heads (${sizes.heads})`;
    throw fields.wrong('num_key_value_heads', sizes.kvHeads, allowed);
  }
  return sizes;
}

/** `vocab_size`, else the rows of the embedding, else 1, whose missing tensor is then reported. */
export const readVocabulary = ({ fields, shapeOf }: Reading, embedding: string): number =>
  fields.integer('vocab_size', limits.hiddenSize) ?? shapeOf(embedding)?.[0] ?? 1;

/** Width between the matrices of the MLP: by the config, else by the tensor whose rows it is. */
export const readHidden = (
  { fields, shapeOf }: Reading,
  names: readonly string[],
  up: string,
  axis = 0,
): number => fields.integers(names, limits.hiddenSize)[0]?.value ?? shapeOf(up)?.[axis] ?? 1;

/** Epsilon of the norms. */
export const readEpsilon = ({ fields }: Reading, name: string, initial: number): number =>
  fields.number(name, { low: 1e-20, high: 1 }) ?? initial;

const activations: Readonly<Record<string, StackSpec['activation']>> = {
  silu: 'silu',
  swish: 'silu',
  gelu: 'gelu',
  gelu_python: 'gelu',
  gelu_new: 'gelu-tanh',
  gelu_fast: 'gelu-tanh',
  gelu_pytorch_tanh: 'gelu-tanh',
  gelu_accurate: 'gelu-tanh',
  relu: 'relu',
};

/** The activation by Hugging Face's name, under the first of `names` that is there. */
export function readActivation(
  { fields }: Reading,
  names: readonly string[],
  initial: string,
): StackSpec['activation'] {
  const field = names.find((name) => fields.has(name)) ?? names[0]!;
  return activationOf(fields.value(field) ?? initial, fields.at(field));
}

/** The activation of a name. */
export function activationOf(value: unknown, argument: string): StackSpec['activation'] {
  if (typeof value === 'string' && Object.hasOwn(activations, value)) return activations[value]!;
  throw unsupported(argument, value, Object.keys(activations).join(', '));
}

/** A positive number that may be absent or `null`, such as a softcap. */
export function readCap({ fields }: Reading, name: string, initial: number | null): number | null {
  const given = fields.number(name, { low: 1e-6, high: 1e9 });
  return given ?? (fields.mentions(name) ? null : initial);
}

/**
 * Whether embedding and head are one matrix: as the config says, else as it is usual in the family; a
 * silent config and no head mean that they are.
 */
export function readTied({ fields, shapeOf }: Reading, head: string, initial: boolean): boolean {
  return fields.flag('tie_word_embeddings') ?? (initial || shapeOf(head) === undefined);
}

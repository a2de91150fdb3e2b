/** What samples of families are made of: two layers, width 8, two heads, 12 words. */
import type { ModelSpec } from '../../web/api/model/spec.js';

/** Tensors by name. */
export type Shapes = Readonly<Record<string, readonly number[]>>;

/** A tiny model of a family: names and shapes only. */
export interface FamilySample {
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>> & { readonly model_type: string };
  /** What the checkpoint must hold. */
  readonly shapes: Shapes;
  /** What it may hold as well. */
  readonly ignored?: Shapes;
  /** Some of what the engine gets. */
  readonly engine: Shapes;
  /** Some of what the model is. */
  readonly spec: object;
}

/** The same for layers 0 and 1: `N` in names is the layer. */
export const twice = (shapes: Shapes): Record<string, readonly number[]> =>
  Object.fromEntries(
    ['0', '1'].flatMap((n) =>
      Object.entries(shapes).map(([name, shape]) => [name.replace('N', n), shape] as const),
    ),
  );

/** Weight and bias of linear layers `[outputs, inputs]` and norms `[width]`. */
export const both = (shapes: Shapes): Record<string, readonly number[]> =>
  Object.fromEntries(
    Object.entries(shapes).flatMap(([name, shape]) => [
      [`${name}.weight`, shape] as const,
      [`${name}.bias`, [shape[0]!]] as const,
    ]),
  );

/** Weights alone. */
export const one = (shapes: Shapes): Record<string, readonly number[]> =>
  Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [`${name}.weight`, shape]));

/** Sizes in the names that most configs have. */
export const usual = {
  hidden_size: 8,
  intermediate_size: 20,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  max_position_embeddings: 64,
  vocab_size: 12,
};
/** A matrix from the width to itself. */
export const square = [8, 8] as const;
/** Some of what a decoder of these sizes is. */
export const decoder = (more: Partial<NonNullable<ModelSpec['decoder']>>): object => ({
  vocabulary: 12,
  width: 8,
  decoder: { causal: true, cross: false, heads: 2, headDim: 4, ...more },
});

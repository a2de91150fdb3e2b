import type { Blocks, Cut, TensorRule } from './types.js';

/** Names in the checkpoint without `.weight`: one, or several of which the first that is there counts. */
type Names = string | readonly string[];

/** How a linear layer lies in the checkpoint. */
export interface LinearOptions {
  /** Whether it has a bias. Default false. */
  readonly bias?: boolean;
  readonly transposed?: boolean;
  /** It is part of a fused matrix of so many rows. */
  readonly part?: { readonly of: number; readonly blocks: Blocks };
}

/** Collects the rules of a family: a line per layer of the network. */
export class Rules {
  readonly list: TensorRule[] = [];
  /** Names that may be there and that nothing needs. */
  readonly unused: string[] = [];

  /** A tensor that has the same shape in the checkpoint. */
  tensor(name: string, from: Names, shape: readonly number[], cut?: Cut): void {
    this.list.push({ name, shape, from: listOf(from), ...(cut === undefined ? {} : { cut }) });
  }

  /** The embedding and the head, which are one matrix when `tied`: files then keep either of the two. */
  words(
    [embedding, head]: readonly [embedding: string, head: string],
    tied: boolean,
    shape: readonly [vocabulary: number, width: number],
    options?: LinearOptions,
  ): void {
    const from = [`${embedding}.weight`, ...(tied ? [`${head}.weight`] : [])];
    this.tensor('embedding.weight', from, shape);
    if (!tied) this.linear('head', head, shape, options);
    else if (options?.bias) this.tensor('head.bias', `${head}.bias`, [shape[0]]);
    if (tied) this.unused.push(`${head}.weight`);
  }

  /** `weight` `[outputs, inputs]` and `bias` of a linear layer. */
  linear(
    name: string,
    from: Names,
    [outputs, inputs]: readonly [number, number],
    { bias = false, transposed = false, part }: LinearOptions = {},
  ): void {
    const rows = part?.of ?? outputs;
    const blocks = part === undefined ? {} : { blocks: part.blocks };
    this.list.push({
      name: `${name}.weight`,
      shape: [outputs, inputs],
      from: withEnd(from, '.weight'),
      whole: transposed ? [inputs, rows] : [rows, inputs],
      cut: { ...blocks, ...(transposed ? { transposed } : {}) },
    });
    if (!bias) return;
    this.list.push({
      name: `${name}.bias`,
      shape: [outputs],
      from: withEnd(from, '.bias'),
      whole: [rows],
      cut: blocks,
    });
  }

  /** `weight`, and `bias` of a LayerNorm; `add` is what the stored weight lacks. */
  norm(name: string, from: Names, width: number, kind: 'rms' | 'layer' | 'plain', add = 0): void {
    const cut = add === 0 ? undefined : { add };
    const [weights, biases] =
      // Old BERT checkpoints have TensorFlow's names.
      kind === 'layer'
        ? [
            [...withEnd(from, '.weight'), ...withEnd(from, '.gamma')],
            [...withEnd(from, '.bias'), ...withEnd(from, '.beta')],
          ]
        : [withEnd(from, '.weight'), []];
    this.tensor(`${name}.weight`, weights, [width], cut);
    if (biases.length > 0) this.tensor(`${name}.bias`, biases, [width]);
  }
}

const listOf = (names: Names): readonly string[] => (typeof names === 'string' ? [names] : names);

const withEnd = (names: Names, end: string): string[] => listOf(names).map((name) => name + end);

/** Which rows of a fused matrix are the queries (0), keys (1) or values (2): three parts one below the other. */
export const third = (part: 0 | 1 | 2, rows: number): LinearOptions['part'] => {
  return { of: 3 * rows, blocks: { first: part * rows, rows, step: rows, count: 1 } };
};

/** The same where each head has its own three parts side by side (GPT-NeoX, BLOOM). */
export const thirdOfHead = (
  part: 0 | 1 | 2,
  heads: number,
  headDim: number,
): LinearOptions['part'] => {
  const blocks = { first: part * headDim, rows: headDim, step: 3 * headDim, count: heads };
  return { of: 3 * heads * headDim, blocks };
};

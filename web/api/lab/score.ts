import { logSumExp } from '../model/perplexity.js';
import type { LanguageModel, LogitsOptions } from '../model/types.js';
import type { Example } from './task.js';

/** How a model did with the examples of a size. */
export interface Score {
  /** Of all examples. */
  readonly size: number;
  /** How many there were. */
  readonly examples: number;
  /**
   * Share of the examples whose answer is right in every token: what greedy decoding would write is the
   * answer exactly if each token is foreseen from the right ones before it.
   */
  readonly exact: number;
  /** Share of the answers' tokens that are right. */
  readonly tokens: number;
  /** Mean cross-entropy of the answers' tokens, nats. */
  readonly loss: number;
  /** The same by place in the answer, of the places that every example has. */
  readonly lossByPlace: readonly number[];
  /** Of tasks that look back by a distance: how far, and whether the answer was right. */
  readonly byDistance: readonly { readonly distance: number; readonly right: boolean }[];
}

/** Tries a model with examples. */
export function scoreExamples(
  model: LanguageModel,
  options: Pick<LogitsOptions, 'encoding' | 'embedding'>,
  examples: readonly Example[],
  size: number,
): Score {
  const { vocabulary } = model.spec;
  const places = Math.min(...examples.map(({ answer }) => answer.length));
  const lossByPlace = new Array<number>(places).fill(0);
  const byDistance: { distance: number; right: boolean }[] = [];
  let [exact, right, all, loss] = [0, 0, 0, 0];
  for (const { tokens, answer, distance } of examples) {
    const read = tokens.slice(0, -1);
    const logits = model.logits(read, { ...options, chunk: read.length });
    let wrongs = 0;
    for (const [place, at] of answer.entries()) {
      const row = logits.subarray((at - 1) * vocabulary, at * vocabulary);
      const judged = judge(row, tokens[at]!);
      if (!judged.right) wrongs += 1;
      loss += judged.loss;
      if (place < places) lossByPlace[place]! += judged.loss / examples.length;
    }
    all += answer.length;
    right += answer.length - wrongs;
    if (wrongs === 0) exact += 1;
    if (distance !== undefined) byDistance.push({ distance, right: wrongs === 0 });
  }
  const count = examples.length;
  return {
    ...{ size, examples: count, exact: exact / count, tokens: right / all, loss: loss / all },
    ...{ lossByPlace, byDistance },
  };
}

/** Whether the target has the highest logit, and −ln of its probability. */
function judge(logits: Float32Array, target: number): { right: boolean; loss: number } {
  const own = logits[target]!;
  const right = logits.every((logit, id) => id === target || logit < own);
  return { right, loss: logSumExp(logits) - own };
}

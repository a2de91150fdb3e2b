import { wrong } from '../check.js';
import type { Tokenizer } from './tokenizers/types.js';
import type { Prompt } from './types.js';

/** Ids of a prompt; throws for what is no prompt, for ids outside the vocabulary and for none at all. */
export function idsOf(
  prompt: Prompt,
  tokenizer: Tokenizer | undefined,
  vocabulary: number,
  argument = 'prompt',
): Int32Array {
  if (typeof prompt === 'string') {
    if (tokenizer === undefined) {
      throw wrong(
        'argument',
        argument,
        prompt,
        'ids, since the model was loaded without a tokenizer',
      );
    }
    return checkIds(tokenizer.encode(prompt), vocabulary, argument);
  }
  const isList = Array.isArray(prompt) || ArrayBuffer.isView(prompt);
  if (!isList) throw wrong('argument', argument, prompt, 'a text, or an array of ids');
  return checkIds(prompt as ArrayLike<number>, vocabulary, argument);
}

function checkIds(ids: ArrayLike<number>, vocabulary: number, argument: string): Int32Array {
  if (ids.length === 0) throw wrong('shape', argument, ids, 'at least one token');
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]!;
    if (Number.isInteger(id) && id >= 0 && id < vocabulary) continue;
    throw wrong('range', `${argument}[${i}]`, id, `an id from 0 to ${vocabulary - 1}`);
  }
  return Int32Array.from(ids);
}

/** Several prompts as one batch, padded on the left. */
export function padded(prompts: readonly Int32Array[]) {
  const tokens = Math.max(...prompts.map((ids) => ids.length));
  const ids = new Int32Array(prompts.length * tokens);
  const real = new Uint8Array(ids.length);
  for (const [entry, prompt] of prompts.entries()) {
    const start = (entry + 1) * tokens - prompt.length;
    ids.set(prompt, start);
    real.fill(1, start, (entry + 1) * tokens);
  }
  const same = prompts.every((prompt) => prompt.length === tokens);
  return { ids, tokens, real: same ? undefined : real };
}

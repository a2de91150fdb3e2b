import { wrong } from '../check.js';
import { checkIds } from './ids.js';
import type { Tokenizer } from './tokenizers/types.js';
import type { Prompt } from './types.js';

/** Ids of a prompt; throws for what is no prompt, for ids outside the vocabulary and for none at all. */
export function idsOf(
  prompt: Prompt,
  tokenizer: Tokenizer | undefined,
  vocabulary: number,
  argument = 'prompt',
): Int32Array {
  const given = typeof prompt === 'string' ? tokenizer?.encode(prompt) : prompt;
  if (given === undefined && typeof prompt === 'string') {
    throw wrong(
      'argument',
      argument,
      prompt,
      'ids, since the model was loaded without a tokenizer',
    );
  }
  const ids = checkIds(given, vocabulary, argument);
  if (ids.length === 0) throw wrong('shape', argument, prompt, 'at least one token');
  return ids;
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

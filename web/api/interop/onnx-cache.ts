/** Keys and values of earlier steps: inside the operator (past and present), or outside (padding). */
import { wrong } from '../check.js';
import type { Memory } from '../memory.js';
import { arrayOf, expectShape, readFloats, readIntegers } from './arrays.js';
import type { Heads, WithHeads } from './onnx-heads.js';
import type { OnnxAttentionInputs, OnnxTensor } from './types.js';

/** The keys and values before the new ones, whose shapes these must fit; there are both or none. */
export function readPast(
  memory: Memory,
  given: Pick<Partial<OnnxAttentionInputs>, 'past_key' | 'past_value'>,
  [batch, kvHeads, , headDim]: Heads,
  [, , , valueDim]: Heads,
): { key: WithHeads; value: WithHeads } | undefined {
  if (given.past_key === undefined && given.past_value === undefined) return undefined;
  const [missing] = (['past_key', 'past_value'] as const).filter((name) => !given[name]);
  if (missing !== undefined) {
    throw wrong(
      'argument',
      missing,
      given[missing],
      'a tensor, since the other of the two is given',
    );
  }
  const read = (name: 'past_key' | 'past_value', length: number | undefined, width: number) => {
    const { data, shape } = readFloats(memory, given[name], name, 'dims');
    const full: Heads = [batch, kvHeads, length ?? shape[2] ?? 0, width];
    expectShape(shape, name, full);
    return { data, shape: full };
  };
  const key = read('past_key', undefined, headDim);
  return { key, value: read('past_value', key.shape[2], valueDim) };
}

/** The tokens of each head, one after another. */
export function join(past: WithHeads, added: WithHeads): WithHeads {
  const [batch, heads, before, width] = past.shape;
  const tokens = before + added.shape[2];
  const joined = new Float32Array(batch * heads * tokens * width);
  const [first, second] = [arrayOf(past.data), arrayOf(added.data)];
  const [firstRow, secondRow] = [before * width, added.shape[2] * width];
  for (let head = 0; head < batch * heads; head++) {
    const at = head * tokens * width;
    joined.set(first.subarray(head * firstRow, (head + 1) * firstRow), at);
    joined.set(second.subarray(head * secondRow, (head + 1) * secondRow), at + firstRow);
  }
  return { data: joined, shape: [batch, heads, tokens, width] };
}

/** All keys or values as an output, which is never the caller's own array. */
export function present({ data, shape }: WithHeads, added: WithHeads): OnnxTensor {
  const array = arrayOf(data);
  return { data: data === added.data ? array.slice() : array, dims: [...shape] };
}

/** How many keys of each batch entry are real. */
export const readLengths = (given: unknown, batch: number, keys: number): number[] | undefined =>
  given === undefined ? undefined : readIntegers(given, 'nonpad_kv_seqlen', [batch], [0, keys]);

/** Flags per batch entry and key: the first keys are real. */
export const paddingOf = (real: readonly number[], keys: number): Uint8Array =>
  Uint8Array.from({ length: real.length * keys }, (_, i) =>
    i % keys < real[Math.floor(i / keys)]! ? 1 : 0,
  );

/** Where queries stand among keys at 0, 1, 2 …: after the past, or the last of the real keys, or at 0. */
export function queryPositions(
  past: number | undefined,
  real: readonly number[] | undefined,
  queries: number,
): number | number[] {
  if (past !== undefined || real === undefined) return past ?? 0;
  return real.flatMap((length) => Array.from({ length: queries }, (_, i) => length - queries + i));
}

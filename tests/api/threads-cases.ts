/** What tests of `posenc/threads` share. */
import { Worker } from 'node:worker_threads';
import { afterAll, expect } from 'vitest';
import type { AttentionInputs, AttentionResult, AttentionShape, Posenc } from 'posenc';
import { numbers } from './posenc.js';

/**
 * Ends the process of this file's tests after two minutes: a call that waits for threads for ever
 * blocks the limits of Vitest as well.
 */
export function limitTime(): void {
  const end = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), 120_000)`;
  const guard = new Worker(end, { eval: true, execArgv: [] });
  afterAll(() => guard.terminate());
}

/** Work of more than the few million operations from which on threads share it. */
export const large = {
  batch: 2,
  heads: 6,
  kvHeads: 2,
  queries: 300,
  keys: 310,
  headDim: 16,
} satisfies AttentionShape;

function inputs({
  batch = 1,
  heads,
  kvHeads = heads,
  queries,
  keys = queries,
  headDim,
}: AttentionShape) {
  return {
    query: numbers(batch * heads * queries * headDim, 1),
    key: numbers(batch * kvHeads * keys * headDim, 2),
    value: numbers(batch * kvHeads * keys * headDim, 3),
  };
}

export type Options = Omit<
  AttentionInputs,
  'query' | 'key' | 'value' | 'shape' | 'encoding' | 'out'
>;

/** Attention of random inputs, with the encodings that `make` makes. */
export function attend(
  pe: Posenc,
  shape: AttentionShape,
  options: Options = {},
  make?: (pe: Posenc) => AttentionInputs['encoding'],
) {
  const encoding = make?.(pe);
  return pe.attention({ ...inputs(shape), shape, ...options, ...(encoding && { encoding }) });
}

export const bits = (numbers: Float32Array) => Buffer.from(numbers.buffer, 0, numbers.byteLength);

/** Expects the same arrays, bit by bit. */
export function expectSameBits(actual: AttentionResult, expected: AttentionResult): void {
  expect(Object.keys(actual)).toEqual(Object.keys(expected));
  for (const [name, numbers] of Object.entries(expected) as [
    keyof AttentionResult,
    Float32Array,
  ][]) {
    expect(bits(actual[name] as Float32Array).equals(bits(numbers)), name).toBe(true);
  }
}

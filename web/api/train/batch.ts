import { checkOptions, integer, wrong } from '../check.js';
import { float32 } from '../array.js';
import { checkIds } from '../model/ids.js';
import type { LearnInputs } from './types.js';

/** The checked tokens of one step. */
export interface Batch {
  readonly batch: number;
  readonly tokens: number;
  readonly ids: Int32Array;
  readonly targets: Int32Array;
  readonly weights: Float32Array;
}

/** Checks what `learn` got, and fills in what it leaves out. */
export function checkBatch(inputs: LearnInputs, vocabulary: number): Batch {
  const keys = ['ids', 'batch', 'targets', 'weights'];
  const given = checkOptions(inputs, keys, 'learn', 'inputs') as LearnInputs;
  const batch = integer(given.batch ?? 1, 'batch', 1, 1 << 20);
  const ids = checkIds(given.ids, vocabulary);
  const tokens = ids.length / batch;
  if (!Number.isInteger(tokens) || tokens === 0) {
    throw wrong('shape', 'ids', given.ids, `a multiple of batch (${batch}) ids`);
  }
  const next = given.targets === undefined;
  const targets = next
    ? Int32Array.from(ids, (id, i) => ((i + 1) % tokens === 0 ? id : ids[i + 1]!))
    : checkIds(given.targets, vocabulary, 'targets');
  if (targets.length !== ids.length) {
    throw wrong('shape', 'targets', given.targets, `as many as ids (${ids.length})`);
  }
  const counted = (_: number, i: number) => (next && (i + 1) % tokens === 0 ? 0 : 1);
  const weights =
    given.weights === undefined
      ? Float32Array.from(ids, counted)
      : float32(given.weights, 'weights').slice();
  if (weights.length !== ids.length) {
    throw wrong('shape', 'weights', given.weights, `as many as ids (${ids.length})`);
  }
  const bad = weights.findIndex((weight) => !(weight >= 0 && weight < Infinity));
  if (bad >= 0)
    throw wrong('range', `weights[${bad}]`, weights[bad], 'a finite number of at least 0');
  return { batch, tokens, ids, targets, weights };
}

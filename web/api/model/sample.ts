import { between, checkOptions, integer, wrong } from '../check.js';
import { PosencError } from '../error.js';
import { float32 } from '../array.js';

/** How the next id is chosen from logits. */
export interface SampleOptions {
  /** Logits are divided by it; 0 takes the largest. 0 … 100. Default 0. */
  temperature?: number;
  /** Only so many of the largest logits are in question. 1 … 2^31 − 1. Default: all. */
  topK?: number;
  /** Only the most probable ids that together have at least this probability. Above 0, to 1. Default 1. */
  topP?: number;
  /** Only ids at least this many times as probable as the most probable one. 0 … 1. Default 0. */
  minP?: number;
  /**
   * Logits of ids that came before are divided by it where positive, and multiplied where negative (Keskar
   * 2019, CTRL, section 4.1). 1e-3 … 1000. Default 1.
   */
  repetitionPenalty?: number;
  /** What is drawn from when no `random` is given: the same seed, the same ids. 0 … 2^32 − 1. Default 0. */
  seed?: number;
  /** Numbers from 0 to below 1, instead of the seed's. */
  random?: () => number;
}

/** Chooses an id; `before` are the ids that the repetition penalty counts. */
export type Sampler = (logits: Float32Array, before?: ArrayLike<number>) => number;

const names = [
  'temperature',
  'topK',
  'topP',
  'minP',
  'repetitionPenalty',
  'seed',
  'random',
] as const;

/**
 * Makes a sampler. The rules act in the order of transformers: repetition penalty, temperature, top-k,
 * top-p, min-p, each on what the one before left. Of equal logits the lowest id comes first.
 */
export function sampler(options?: SampleOptions): Sampler {
  const given = checkOptions(options, names, 'sampler');
  const temperature = between(given.temperature ?? 0, 'temperature', 0, 100);
  const topK = integer(given.topK ?? 2 ** 31 - 1, 'topK', 1, 2 ** 31 - 1);
  const topP = between(given.topP ?? 1, 'topP', 0, 1);
  if (topP === 0) throw wrong('range', 'topP', topP, 'a number above 0, at most 1');
  const minP = between(given.minP ?? 0, 'minP', 0, 1);
  const penalty = between(given.repetitionPenalty ?? 1, 'repetitionPenalty', 1e-3, 1e3);
  const random = sourceOf(given);
  return (logits, before = []) => {
    const numbers = penalised(float32(logits, 'logits'), before, penalty);
    checkLogits(numbers);
    if (temperature === 0) return largest(numbers);
    const weights = weigh(numbers, temperature);
    const limited = topK < numbers.length;
    const rules = limited || topP < 1 || minP > 0;
    if (!rules) return draw(weights, checkDraw(random()));
    const first = limited ? bestOf(weights, topK) : nucleus(weights, topP, minP);
    const kept = limited ? nucleus(first.weights, topP, minP) : first;
    const chosen = kept.ids[draw(kept.weights, checkDraw(random()))]!;
    return limited ? first.ids[chosen]! : chosen;
  };
}

function sourceOf({ random, seed }: Partial<SampleOptions>): () => number {
  if (random === undefined) return mulberry(integer(seed ?? 0, 'seed', 0, 2 ** 32 - 1));
  if (typeof random !== 'function') throw wrong('argument', 'random', random, 'a function');
  if (seed !== undefined) throw wrong('argument', 'seed', seed, 'nothing, since random is given');
  return random;
}

function checkDraw(value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value < 1) return value;
  throw wrong('range', 'random()', value, 'a number from 0 to below 1');
}

/** Ettinger's mulberry32: 32 bits of state, uniform in [0, 1). */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

function penalised(logits: Float32Array, before: ArrayLike<number>, penalty: number): Float32Array {
  if (penalty === 1 || before.length === 0) return logits;
  const out = logits.slice();
  for (const id of new Set(Array.from(before))) {
    const logit = out[integer(id, 'before', 0, logits.length - 1)]!;
    out[id] = logit > 0 ? logit / penalty : logit * penalty;
  }
  return out;
}

/** Something finite to choose, or +∞, and no NaN. */
function checkLogits(logits: Float32Array): void {
  let most = -Infinity;
  for (let i = 0; i < logits.length; i++) {
    const logit = logits[i]!;
    if (Number.isNaN(logit)) throw bad(`logits[${i}] is NaN`);
    if (logit > most) most = logit;
  }
  if (most === -Infinity) throw bad(logits.length === 0 ? 'logits are empty' : 'logits are all −∞');
}

const bad = (problem: string): PosencError =>
  new PosencError('range', `${problem}, needs numbers of which one at least is above −∞`, {
    argument: 'logits',
    received: problem,
    allowed: 'numbers of which one at least is above −∞',
  });

function largest(logits: Float32Array): number {
  let at = 0;
  for (let i = 1; i < logits.length; i++) if (logits[i]! > logits[at]!) at = i;
  return at;
}

/** Probabilities up to a common factor; that of the largest logit is 1. */
function weigh(logits: Float32Array, temperature: number): Float64Array {
  const most = logits[largest(logits)]!;
  // Beside +∞ nothing else has a chance.
  return Float64Array.from(logits, (logit) =>
    logit === most ? 1 : Math.exp((logit - most) / temperature),
  );
}

const sum = (weights: Float64Array): number => weights.reduce((all, weight) => all + weight, 0);

/** Some of the weights, best first, and where they stood. */
interface Best {
  readonly ids: Uint32Array;
  readonly weights: Float64Array;
}

/** All weights of at least `least`, which the best are always among. */
function above(weights: Float64Array, least: number): Best {
  const ids = Uint32Array.from(weights.keys()).filter((id) => weights[id]! >= least);
  ids.sort((a, b) => weights[b]! - weights[a]! || a - b);
  return { ids, weights: Float64Array.from(ids, (id) => weights[id]!) };
}

const cut = ({ ids, weights }: Best, count: number): Best => {
  return { ids: ids.subarray(0, count), weights: weights.subarray(0, count) };
};

/** The `count` largest weights. Few are sorted, however many there are. */
function bestOf(weights: Float64Array, count: number): Best {
  const enough = (least: number): boolean =>
    weights.reduce((found, weight) => found + (weight >= least ? 1 : 0), 0) >= count;
  return cut(above(weights, threshold(enough)), count);
}

/** What top-p leaves, and min-p of that; always the best one. */
function nucleus(weights: Float64Array, topP: number, minP: number): Best {
  const needed = topP * sum(weights);
  const enough = (least: number): boolean =>
    weights.reduce((found, weight) => found + (weight >= least ? weight : 0), 0) >= needed;
  const least = topP < 1 ? threshold(enough) : 0;
  const best = above(weights, Math.max(least, minP));
  if (topP === 1) return best;
  let found = 0;
  const last = best.weights.findIndex((weight) => (found += weight) >= needed);
  return last < 0 ? best : cut(best, last + 1);
}

/** A weight that enough others reach; 0 in the end. */
function threshold(enough: (least: number) => boolean): number {
  for (const least of [0.1, 1e-2, 1e-3, 1e-5, 1e-8]) if (enough(least)) return least;
  return 0;
}

/** Which weight holds the place `uniform` of their sum. */
function draw(weights: Float64Array, uniform: number): number {
  let left = uniform * sum(weights);
  let last = 0;
  for (const [i, weight] of weights.entries()) {
    if (weight === 0) continue;
    left -= weight;
    last = i;
    if (left < 0) return i;
  }
  return last;
}

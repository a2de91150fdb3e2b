/**
 * Timing. Contenders take turns in one run, each warmed up until the engine has optimised it, so that
 * what changes in the machine (clock, neighbours) changes for all of them. A sample is a batch of calls
 * long enough for coarse clocks; ratios are medians of the quotients of each round.
 */

const WARM_UP_MS = 400;
/** Calls before the first sample, however slow they are. */
const WARM_UP_CALLS = 2;
/** Browsers' clocks tick every 0.1 ms. */
const SAMPLE_MS = 20;
const MOST_ROUNDS = 21;
const FEWEST_ROUNDS = 5;
/** Rounds are fewer where one takes long. */
const RACE_MS = 4000;

/** Wall time. Where others use the machine, Node can count the time that the process ran instead. */
let now = () => performance.now();

/** @param {() => number} clock  in milliseconds */
export function measureWith(clock) {
  now = clock;
}

/** @typedef {() => void | Promise<void>} Call  one piece of work */

/** Milliseconds of one of `count` calls in a row. @param {Call} call @param {number} count */
async function timeOf(call, count) {
  const start = now();
  for (let i = 0; i < count; ++i) {
    const pending = call();
    if (pending !== undefined) await pending;
  }
  return (now() - start) / count;
}

/** Calls until the engine has optimised. @returns {Promise<number>} milliseconds of one call at the end */
export async function warmUp(call) {
  const end = now() + WARM_UP_MS;
  let [count, time] = [1, 0];
  for (let calls = 0; calls < WARM_UP_CALLS || now() < end; calls += count) {
    time = await timeOf(call, count);
    count = Math.max(1, Math.min(2 * count, Math.round(SAMPLE_MS / Math.max(time, 1e-6))));
  }
  return time;
}

/**
 * Times functions against each other, in the given order and back, round by round.
 * @param {Record<string, Call>} contenders
 * @returns {Promise<Record<string, number[]>>} milliseconds of one call of each, by round
 */
export async function race(contenders) {
  const names = Object.keys(contenders);
  const counts = {};
  let roundMs = 0;
  for (const name of names) {
    const time = await warmUp(contenders[name]);
    counts[name] = Math.max(1, Math.ceil(SAMPLE_MS / Math.max(time, 1e-6)));
    roundMs += time * counts[name];
  }
  const rounds = Math.max(FEWEST_ROUNDS, Math.min(MOST_ROUNDS, Math.floor(RACE_MS / roundMs)));
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; ++round) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      samples[name].push(await timeOf(contenders[name], counts[name]));
    }
  }
  return samples;
}

/** The value below which a share of the others lie. @param {number[]} values @param {number} share */
function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at % 1);
}

export const median = (values) => quantile(values, 0.5);

/**
 * How many times as long one took as another, round by round.
 * @param {number[]} slow @param {number[]} fast
 * @returns {{ median: number, low: number, high: number }} with the quartiles
 */
export function ratio(slow, fast) {
  const quotients = slow.map((time, round) => time / fast[round]);
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(quotients, share));
  return { median: middle, low, high };
}

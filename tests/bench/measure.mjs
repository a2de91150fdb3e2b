/** Timing: contenders take turns in one run, each warmed up until the engine has optimised it. */

const WARM_UP_MS = 600;
const ROUNDS = 15;

const now = () => performance.now();

const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
};

/**
 * Times functions against each other.
 * @param {Record<string, () => void>} contenders
 * @returns {Record<string, number>} median milliseconds of one call of each
 */
export function race(contenders) {
  const names = Object.keys(contenders);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (const name of names) {
    const end = now() + WARM_UP_MS;
    while (now() < end) contenders[name]();
  }
  for (let round = 0; round < ROUNDS; ++round) {
    for (const name of names) {
      const start = now();
      contenders[name]();
      times[name].push(now() - start);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name])]));
}

/** Throws when two results of the same work differ by more than `tolerance` in any number. */
export function expectClose(what, actual, expected, tolerance) {
  let worst = 0;
  for (let i = 0; i < expected.length; ++i) {
    const difference = Math.abs(actual[i] - expected[i]);
    if (!(difference <= tolerance)) {
      throw new Error(`${what}: number ${i} is ${actual[i]}, should be ${expected[i]}`);
    }
    worst = Math.max(worst, difference);
  }
  return worst;
}

import { integer } from '../check.js';

/**
 * Seeded draws for positions of training, the same on every machine and without the WebAssembly
 * module. The generator is sfc32 (Doty-Humphrey, PractRand): four words of state, one of them a
 * counter, so that no seed has a period below 2^32.
 */
export class Draws {
  readonly #state: Uint32Array;

  /** `seed` is an integer 0 … 2^53 − 1. */
  constructor(seed: unknown) {
    const checked = integer(seed, 'seed', 0, Number.MAX_SAFE_INTEGER);
    this.#state = Uint32Array.of(0, checked, Math.floor(checked / 2 ** 32), 1);
    for (let i = 0; i < 12; i++) this.#next();
  }

  /** Uniform in 0 … 2^32 − 1. */
  #next(): number {
    const [a, b, c, counter] = this.#state as unknown as [number, number, number, number];
    const sum = (a + b + counter) >>> 0;
    const rotated = (c << 21) | (c >>> 11);
    this.#state.set([b ^ (b >>> 9), c + (c << 3), rotated + sum, counter + 1]);
    return sum;
  }

  /** A uniform integer from `low` to `high`, at most 2^32 of them, without bias. */
  integer(low: number, high: number): number {
    const range = high - low + 1;
    const fair = 2 ** 32 - (2 ** 32 % range);
    let drawn = this.#next();
    while (drawn >= fair) drawn = this.#next();
    return low + (drawn % range);
  }

  /** `taken` different integers from 0 to `below` − 1, ascending; every set is equally likely (Floyd). */
  sample(taken: number, below: number): Int32Array {
    const set = new Set<number>();
    for (let last = below - taken; last < below; last++) {
      const drawn = this.integer(0, last);
      set.add(set.has(drawn) ? last : drawn);
    }
    return Int32Array.from(set).sort();
  }
}

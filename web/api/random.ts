import { sizeOrNone } from './array.js';
import { integer } from './check.js';
import type { Engine } from './engine.js';
import { Frame } from './frame.js';
import type { Random } from './types.js';

/** What the module calls the two distributions, and how many draws one number takes. */
const uniform = { kind: 0, draws: 1 };
const normal = { kind: 1, draws: 2 };

/** A seeded stream; see {@link Random}. */
export class RandomStream implements Random {
  readonly #engine: Engine;
  readonly #seed: number;
  #drawn = 0;

  constructor(engine: Engine, seed: number) {
    this.#engine = engine;
    this.#seed = integer(seed, 'seed', 0, Number.MAX_SAFE_INTEGER);
  }

  uniform(count: number): Float32Array {
    return this.#take(uniform, count);
  }

  normal(count: number): Float32Array {
    return this.#take(normal, count);
  }

  #take({ kind, draws }: { kind: number; draws: number }, count: number): Float32Array {
    const shape = [sizeOrNone(count, 'count')];
    const frame = new Frame(this.#engine.memory);
    try {
      const { pointer, deliver } = frame.fresh('the numbers', shape, ['count']);
      const low = this.#seed % 2 ** 32;
      const high = Math.floor(this.#seed / 2 ** 32);
      const status = this.#engine.kernels.random(low, high, this.#drawn, kind, count, pointer);
      this.#engine.expectOk(status, 'random');
      this.#drawn += draws * count;
      return deliver();
    } finally {
      frame.release();
    }
  }
}

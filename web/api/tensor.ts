import { checkLength, checkShape, float32, product } from './array.js';
import { PosencError, show } from './error.js';
import type { Memory } from './memory.js';
import type { Tensor } from './types.js';

/** A tensor in the module's memory; see {@link Tensor}. Owns its block until it is disposed. */
export class ResidentTensor implements Tensor {
  readonly shape: readonly number[];
  readonly size: number;
  readonly #memory: Memory;
  /** 0 when disposed. */
  #pointer: number;

  /** Without `data` the numbers are zeros. */
  constructor(memory: Memory, shape: readonly number[], data?: Float32Array) {
    const dimensions = checkShape(shape);
    const count = product(dimensions, [], 'shape');
    if (data !== undefined) checkLength(float32(data, 'data').length, 'data', dimensions, []);
    this.shape = Object.freeze(dimensions);
    this.size = count;
    this.#memory = memory;
    this.#pointer = memory.allocate(4 * count, 'the tensor');
    if (data === undefined) memory.clear(this.#pointer, count);
    else memory.write(this.#pointer, data);
    memory.liveTensors += 1;
  }

  /** Whether `value` is a tensor of this package, of any module. */
  static is(value: unknown): value is ResidentTensor {
    return typeof value === 'object' && value !== null && #pointer in value;
  }

  /** Address of the numbers of a live tensor in this memory. */
  static address(tensor: ResidentTensor, memory: Memory, argument: string): number {
    if (tensor.#memory !== memory) {
      throw new PosencError(
        'argument',
        `${argument} is a tensor of another module: read() it there, and make it here with tensor()`,
        { argument, received: show(tensor), allowed: 'a tensor of the same loaded module' },
      );
    }
    return tensor.#live(argument);
  }

  get disposed(): boolean {
    return this.#pointer === 0;
  }

  read(out?: Float32Array): Float32Array {
    const pointer = this.#live('the tensor');
    if (out === undefined) return this.#memory.copy(pointer, this.size, 'the tensor');
    checkLength(float32(out, 'out').length, 'out', this.shape, []);
    return this.#memory.read(pointer, out);
  }

  write(data: Float32Array): void {
    const pointer = this.#live('the tensor');
    checkLength(float32(data, 'data').length, 'data', this.shape, []);
    this.#memory.write(pointer, data);
  }

  dispose(): void {
    if (this.#pointer === 0) return;
    this.#memory.free(this.#pointer);
    this.#pointer = 0;
    this.#memory.liveTensors -= 1;
  }

  /** What `using` calls. In engines without it this is a method of no consequence called `undefined`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  #live(argument: string): number {
    if (this.#pointer !== 0) return this.#pointer;
    throw new PosencError('disposed', `${argument} was disposed, needs a live tensor`, {
      argument,
      received: 'a disposed tensor',
      allowed: 'a live tensor',
    });
  }
}

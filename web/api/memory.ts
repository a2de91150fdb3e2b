import { PosencError } from './error.js';
import type { Kernels } from './kernels.js';

/** Small blocks (calls, encodings, positions) come from here without a malloc. */
const scratchBytes = 1 << 16;

/** Arrays may not take the last bytes: the small objects of the kernels must always find room. */
const headroom = 1 << 16;

/**
 * The memory of one WebAssembly instance. Views into it are made where they are used and never
 * kept: growth detaches them.
 */
export class Memory {
  readonly kernels: Kernels;
  /** Tensors not yet disposed. */
  liveTensors = 0;
  /** Caches not yet disposed. */
  liveCaches = 0;
  /** Models not yet disposed. */
  liveModels = 0;
  /** A stack that the frames of running calls share: `used` bytes from `pointer`. */
  readonly scratch: { readonly pointer: number; readonly size: number; used: number };

  constructor(kernels: Kernels) {
    this.kernels = kernels;
    const pointer = this.allocate(scratchBytes, 'scratch memory');
    this.scratch = { pointer, size: scratchBytes, used: 0 };
  }

  /** Size of the memory now; it grows and never shrinks. */
  get bytes(): number {
    return this.kernels.HEAPU8.byteLength;
  }

  /** Allocates; throws `PosencError` of code `memory` when there is no room. */
  allocate(bytes: number, argument: string): number {
    return this.claim(
      () => this.#malloc(bytes),
      (pointer) => this.free(pointer),
      bytes,
      argument,
    );
  }

  /**
   * Lets `make` take about `bytes` in the module; it returns where they are, 0 when there is no room.
   * `free` gives back what leaves too little to the kernels.
   */
  claim(
    make: () => number,
    free: (pointer: number) => void,
    bytes: number,
    argument: string,
  ): number {
    const pointer = make();
    const spare = pointer === 0 ? 0 : this.#malloc(headroom);
    if (spare !== 0) {
      this.free(spare);
      return pointer;
    }
    if (pointer !== 0) free(pointer);
    throw new PosencError(
      'memory',
      `no memory for ${argument}: ${bytes} bytes asked for, the module holds ${this.bytes}`,
      { argument, received: `${bytes} bytes` },
    );
  }

  #malloc(bytes: number): number {
    return this.kernels._malloc(bytes) >>> 0;
  }

  free(pointer: number): void {
    this.kernels._free(pointer);
  }

  /** Copies numbers in. */
  write(pointer: number, data: Float32Array): void {
    this.kernels.HEAPF32.set(data, pointer >>> 2);
  }

  /** Copies numbers out into an array of the right length. */
  read(pointer: number, out: Float32Array): Float32Array {
    const start = pointer >>> 2;
    out.set(this.kernels.HEAPF32.subarray(start, start + out.length));
    return out;
  }

  /** Copies numbers out into a new array. */
  copy(pointer: number, count: number, argument: string): Float32Array {
    const start = pointer >>> 2;
    try {
      return this.kernels.HEAPF32.slice(start, start + count);
    } catch (cause) {
      throw new PosencError(
        'memory',
        `no memory in JavaScript for the ${count} numbers of ${argument}`,
        {
          argument,
          received: `${count} numbers`,
          cause,
        },
      );
    }
  }

  /** Sets numbers to zero. */
  clear(pointer: number, count: number): void {
    const start = pointer >>> 2;
    this.kernels.HEAPF32.fill(0, start, start + count);
  }

  /** Copies numbers from one place in the memory to another. */
  move(from: number, to: number, count: number): void {
    const start = from >>> 2;
    this.kernels.HEAPF32.copyWithin(to >>> 2, start, start + count);
  }
}

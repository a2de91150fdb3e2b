import { checkLength, checkTensor, float32, product } from './array.js';
import type { Memory } from './memory.js';
import { ResidentTensor } from './tensor.js';
import type { Data } from './types.js';

/**
 * What one call needs in the module's memory: copies of its inputs, room for its outputs, blocks of
 * numbers. Used as `const frame = new Frame(memory); try { … } finally { frame.release(); }`.
 */
export class Frame {
  readonly memory: Memory;
  readonly #start: number;
  readonly #blocks: number[] = [];
  readonly #tensors: number[] = [];

  constructor(memory: Memory) {
    this.memory = memory;
    this.#start = memory.scratch.used;
  }

  /** Frees everything the call used. */
  release(): void {
    for (const pointer of this.#blocks) this.memory.free(pointer);
    this.memory.scratch.used = this.#start;
  }

  /** Room for `count` bytes, aligned to 16; `argument` is named when there is none. */
  bytes(count: number, argument: string): number {
    const { scratch } = this.memory;
    if (count <= scratch.size - scratch.used) {
      const pointer = scratch.pointer + scratch.used;
      scratch.used += (count + 15) & ~15;
      return pointer;
    }
    const pointer = this.memory.allocate(count, argument);
    this.#blocks.push(pointer);
    return pointer;
  }

  /** Room for `count` float32 numbers. */
  floats(count: number, argument: string): number {
    return this.bytes(4 * count, argument);
  }

  /** A block of float64 numbers. */
  doubles(values: ArrayLike<number>, argument: string): number {
    const pointer = this.bytes(8 * values.length, argument);
    this.memory.kernels.HEAPF64.set(values, pointer >>> 3);
    return pointer;
  }

  /** A call block: the named numbers in the order the module reads them. */
  call<Name extends string>(order: readonly Name[], values: Record<Name, number>): number {
    const pointer = this.bytes(8 * order.length, 'the call');
    const { HEAPF64 } = this.memory.kernels;
    let at = pointer >>> 3;
    for (const name of order) HEAPF64[at++] = values[name];
    return pointer;
  }

  /** The address of an input: a tensor's own, or that of a copy. */
  input(
    data: unknown,
    argument: string,
    dimensions: readonly number[],
    names: readonly string[],
  ): number {
    if (ResidentTensor.is(data)) {
      const pointer = ResidentTensor.address(data, this.memory, argument);
      checkTensor(data, argument, dimensions, names);
      this.#tensors.push(pointer);
      return pointer;
    }
    const array = float32(data, argument, ' or a tensor');
    checkLength(array.length, argument, dimensions, names);
    const pointer = this.floats(array.length, argument);
    this.memory.write(pointer, array);
    return pointer;
  }

  /** A result that becomes a new array. */
  fresh(
    argument: string,
    dimensions: readonly number[],
    names: readonly string[],
    spare?: number,
  ): Result {
    const { memory } = this;
    const count = product(dimensions, names, argument);
    const pointer = spare ?? this.floats(count, argument);
    return { pointer, deliver: () => memory.copy(pointer, count, argument) };
  }

  /**
   * Where a result goes: `out` when it was given, else a new array. A tensor is written directly,
   * unless it is also an input of this call and the kernel cannot work `inPlace`. Results for
   * JavaScript wait at `spare`, the copy of an input that the kernel may overwrite, or in new room.
   */
  output<Output extends Data>(
    out: Output | undefined,
    argument: string,
    dimensions: readonly number[],
    names: readonly string[],
    { inPlace = false, spare }: { inPlace?: boolean; spare?: number | undefined } = {},
  ): Result<Output> {
    const { memory } = this;
    if (ResidentTensor.is(out)) {
      const address = ResidentTensor.address(out, memory, argument);
      checkTensor(out, argument, dimensions, names);
      const direct = inPlace || !this.#tensors.includes(address);
      const pointer = direct ? address : this.floats(out.size, argument);
      const deliver = (): Output => {
        if (!direct) memory.move(pointer, address, out.size);
        return out;
      };
      return { pointer, deliver };
    }
    if (out === undefined) {
      return this.fresh(argument, dimensions, names, spare) as Result<Output>;
    }
    const array = float32(out, argument, ' or a tensor');
    checkLength(array.length, argument, dimensions, names);
    const pointer = spare ?? this.floats(array.length, argument);
    return { pointer, deliver: () => memory.read(pointer, array) as Output };
  }
}

/** Where the kernel writes, and what hands the numbers over afterwards. */
export interface Result<Output extends Data = Float32Array> {
  readonly pointer: number;
  readonly deliver: () => Output;
}

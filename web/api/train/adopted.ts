import type { ResolvedBlock } from '../block.js';
import type { Engine } from '../engine.js';
import { PosencError } from '../error.js';
import type { Frame } from '../frame.js';
import type { EncodingNumbers } from '../model/encoding-options.js';
import { ResidentTensor } from '../tensor.js';

/** Arrays of encodings that are trained beside the model: they are tensors in the module's memory. */
export class Adopted {
  /**
   * What the model's own encodings are made of. Arrays of the checkpoint become tensors here, unless a
   * layer of the model is also behind them.
   */
  readonly numbers: EncodingNumbers;
  readonly #engine: Engine;
  /** Tensors that stand for arrays of the checkpoint. */
  readonly #own = new Map<Float32Array, ResidentTensor>();
  /** Where the gradients by each tensor are added. */
  readonly #gradients = new Map<ResidentTensor, number>();

  constructor(engine: Engine, numbers: EncodingNumbers) {
    this.#engine = engine;
    this.numbers = {
      ...numbers,
      read: (name) => {
        const data = numbers.read(name);
        const tensor =
          this.#own.get(data) ?? new ResidentTensor(engine.memory, [data.length], data);
        this.#own.set(data, tensor);
        return tensor as unknown as Float32Array;
      },
    };
  }

  get count(): number {
    return this.#gradients.size;
  }

  /** Finds the tensors among the options of encodings. */
  find(blocks: readonly ResolvedBlock[]): void {
    for (const block of blocks) {
      for (const tensor of this.#trainedOf(block)) {
        if (tensor !== undefined) this.#gradients.set(tensor, 0);
      }
    }
  }

  /** Hands them to a trainer. */
  train(trainer: number): void {
    const { kernels, memory } = this.#engine;
    for (const tensor of this.#gradients.keys()) {
      const address = ResidentTensor.address(tensor, memory, 'encoding');
      const gradient = kernels.trainerAdopt(trainer, address, tensor.size, 0) >>> 0;
      if (gradient === 0) {
        throw new PosencError('memory', `no memory to train ${tensor.size} numbers of an encoding`);
      }
      this.#gradients.set(tensor, gradient);
    }
  }

  /** Writes where the gradients by the trained options of an encoding go, 0 where they are not. */
  placeList(frame: Frame, block: ResolvedBlock): number {
    const addresses = this.#trainedOf(block).map((tensor) =>
      tensor === undefined ? 0 : this.#gradients.get(tensor)!,
    );
    const pointer = frame.bytes(4 * addresses.length, 'the gradients');
    this.#engine.kernels.HEAP32.set(addresses, pointer >>> 2);
    return pointer;
  }

  /** Arrays of the checkpoint learn what their tensors have become. */
  writeBack(): void {
    for (const [data, tensor] of this.#own) tensor.read(data);
  }

  dispose(): void {
    for (const tensor of this.#own.values()) tensor.dispose();
  }

  /** The tensor of each option that could be trained; `undefined` = it is not there, or an array. */
  #trainedOf({ values, arrays }: ResolvedBlock): (ResidentTensor | undefined)[] {
    const { parameters } = this.#engine.encodings[values[0]!]!;
    return parameters.flatMap(({ kind }, index) => {
      if (kind !== 'tensor') return [];
      const data = arrays.find((array) => array.index === index)?.data;
      return [ResidentTensor.is(data) ? data : undefined];
    });
  }
}

/** Options that are arrays, and scales of encodings, below the registry: with descriptions made up here. */
import { describe, expect, test } from 'vitest';
import type { EncodingDescription, ParameterDescription } from 'posenc';
import { placeBlock } from '../../web/api/block.js';
import { PosencError } from '../../web/api/error.js';
import { Frame } from '../../web/api/frame.js';
import type { Kernels } from '../../web/api/kernels.js';
import { Memory } from '../../web/api/memory.js';
import { decodeOptions, encodeOptions, explainRule } from '../../web/api/registry.js';
import { ResidentTensor } from '../../web/api/tensor.js';
import { scoreScale, type PlacedTerm } from '../../web/api/terms.js';

const meaning = { zh: '义', en: 'meaning' };
const parameter = (
  name: string,
  kind: ParameterDescription['kind'],
  required = false,
): ParameterDescription => ({ name, kind, initial: null, required, meaning, low: -5, high: 5 });

const description = {
  name: 'rope',
  parameters: [
    parameter('heads', 'integer'),
    parameter('table', 'tensor', true),
    parameter('series', 'doubles'),
  ],
} as unknown as EncodingDescription;

/** A memory of a few pages whose blocks are never reused. */
function makeMemory(): Memory {
  const buffer = new ArrayBuffer(1 << 20);
  let used = 16;
  const kernels = {
    HEAPF32: new Float32Array(buffer),
    HEAPF64: new Float64Array(buffer),
    _malloc: (bytes: number) => (used += (bytes + 15) & ~15) - ((bytes + 15) & ~15),
    _free: () => undefined,
  };
  return new Memory(kernels as unknown as Kernels);
}

function errorOf(call: () => unknown): PosencError {
  try {
    call();
  } catch (error) {
    if (error instanceof PosencError) return error;
    throw error;
  }
  return expect.fail('nothing was thrown');
}

/** What the module would read of the arrays of a placed block. */
function place(memory: Memory, options: object) {
  const { values, arrays } = encodeOptions(description, options);
  const block = { values: Float64Array.of(2, ...values), arrays };
  const frame = new Frame(memory);
  const { HEAPF32, HEAPF64 } = memory.kernels;
  const pointer = placeBlock(frame, block, 'options.') / 8;
  const header = (index: number) => {
    const at = HEAPF64[pointer + 1 + index]! / 8;
    return { address: HEAPF64[at]!, count: HEAPF64[at + 1]! };
  };
  const table = header(1);
  frame.release();
  return {
    id: HEAPF64[pointer],
    heads: HEAPF64[pointer + 1],
    address: table.address,
    table: Array.from(HEAPF32.slice(table.address / 4, table.address / 4 + table.count)),
    series: Number.isNaN(HEAPF64[pointer + 3])
      ? undefined
      : Array.from(HEAPF64.slice(header(2).address / 8, header(2).address / 8 + header(2).count)),
  };
}

describe('an array', () => {
  test('is found through the block', () => {
    const table = Float32Array.of(1, 2, 3);
    const read = place(makeMemory(), { heads: 4, table, series: Float64Array.of(0.1, -5) });
    expect(read).toMatchObject({ id: 2, heads: 4, table: [1, 2, 3], series: [0.1, -5] });
    expect(place(makeMemory(), { table })).toMatchObject({ heads: NaN, series: undefined });
  });

  test('of a tensor stays where it is', () => {
    const memory = makeMemory();
    const table = new ResidentTensor(memory, [2, 2], Float32Array.of(1, 2, 3, 4));
    const { address, ...read } = place(memory, { table });
    expect(read.table).toEqual([1, 2, 3, 4]);
    expect(address).toBe(ResidentTensor.address(table, memory, 'table'));
  });

  test('is what was given in the options: trained numbers themselves, copies of lists', () => {
    const table = Float32Array.of(1, 2);
    const series = [1, 2];
    const { values, arrays } = encodeOptions(description, { table, series });
    const options = decodeOptions(description, values, arrays);
    expect(options).toEqual({ table, series });
    expect(options.table).toBe(table);
    expect(options.series).not.toBe(series);
    expect(Object.isFrozen(options.series)).toBe(true);
    expect(explainRule('heads · series numbers', { ...options, heads: 3 })).toBe(
      'heads (3) · series numbers',
    );
  });

  test('of trained numbers is read anew at every call', () => {
    const memory = makeMemory();
    const table = Float32Array.of(1, 2);
    const { values, arrays } = encodeOptions(description, { table });
    const block = { values: Float64Array.of(0, ...values), arrays };
    const { HEAPF32, HEAPF64 } = memory.kernels;
    const read = () => {
      const frame = new Frame(memory);
      const header = HEAPF64[placeBlock(frame, block, '') / 8 + 2]! / 8;
      frame.release();
      return HEAPF32[HEAPF64[header]! / 4];
    };
    expect(read()).toBe(1);
    table[0] = 9;
    expect(read()).toBe(9);
  });

  const bad: [string, unknown, string, string][] = [
    ['nothing', undefined, 'argument', 'table is missing, needs a Float32Array or a tensor'],
    ['a list', [1], 'argument', 'a Float32Array or a tensor: Float32Array.from(table)'],
    ['no numbers', new Float32Array(0), 'shape', 'needs at least one number'],
    ['a Float64Array', new Float64Array(1), 'argument', 'table is a Float64Array of length 1'],
  ];
  test.each(bad)('is refused: %s', (_, table, code, message) => {
    const error = errorOf(() => encodeOptions(description, { table }));
    expect(error).toMatchObject({ code, argument: 'table' });
    expect(error.message).toContain(message);
  });

  test('that is gone is refused at the call', () => {
    const memory = makeMemory();
    const disposed = new ResidentTensor(memory, [2]);
    disposed.dispose();
    const foreign = new ResidentTensor(makeMemory(), [2]);
    const detached = Float32Array.of(1, 2);
    const sizes = [16, { maxByteLength: 16 }];
    type Resizable = ArrayBuffer & { resize: (bytes: number) => void };
    const resizable = Reflect.construct(ArrayBuffer, sizes) as Resizable;
    const shrunk = new Float32Array(resizable);
    const cases: [unknown, string, () => void][] = [
      [disposed, 'disposed', () => undefined],
      [foreign, 'argument', () => undefined],
      [detached, 'memory', () => structuredClone(0, { transfer: [detached.buffer] })],
      [shrunk, 'shape', () => resizable.resize(8)],
    ];
    for (const [table, code, spoil] of cases) {
      const { values, arrays } = encodeOptions(description, { table });
      spoil();
      const block = { values: Float64Array.of(0, ...values), arrays };
      const error = errorOf(() => placeBlock(new Frame(memory), block, 'encoding.options.'));
      expect(error).toMatchObject({ code, argument: 'encoding.options.table' });
    }
  });
});

describe('the default scale', () => {
  const scales = (...own: number[]) => {
    const kernels = { scoreScale: (pointer: number) => own[pointer]! } as unknown as Kernels;
    const terms = own.map((_, pointer) => ({
      pointer,
      argument: `encoding[${pointer}]`,
      encoding: { name: 'rope', softmaxFactor: 1 },
    }));
    return scoreScale(kernels, terms as unknown as PlacedTerm[], 16);
  };

  test('is 1/√headDim unless an encoding has its own', () => {
    expect(scales()).toBe(0.25);
    expect(scales(0.25, 0.25)).toBe(0.25);
    expect(scales(0.25, 1)).toBe(1);
    expect(scales(0.1, 0.25, 0.1)).toBe(0.1);
  });

  test('must be given when two encodings disagree, and fails without memory', () => {
    const error = errorOf(() => scales(1, 0.25, 0.1));
    expect(error).toMatchObject({ code: 'argument', argument: 'scale' });
    expect(error.message).toBe(
      'scale is missing, needs a number, since encoding[0] (rope) multiplies scores by 1, ' +
        'encoding[2] (rope) multiplies scores by 0.1',
    );
    expect(errorOf(() => scales(1, NaN))).toMatchObject({
      code: 'memory',
      argument: 'encoding[1]',
    });
  });
});

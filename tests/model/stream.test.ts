/** How tensors of the engine are cut out of those of a checkpoint, and encodings filled with them. */
import { describe, expect, it } from 'vitest';
import { encodingOptions, encodingTensors } from '../../web/api/model/encoding-options.js';
import type { Cut } from '../../web/api/model/families/types.js';
import { third, thirdOfHead } from '../../web/api/model/families/rules.js';
import type { EncodingSpec } from '../../web/api/model/spec.js';
import { applyCut, streamTensors } from '../../web/api/model/stream.js';

const counted = (count: number): Float32Array => Float32Array.from({ length: count }, (_, i) => i);

describe('applyCut', () => {
  const blocks = { first: 1, rows: 1, step: 2, count: 2 };
  it.each<[string, readonly number[], Cut, number[]]>([
    ['nothing', [2, 2], {}, [0, 1, 2, 3]],
    ['what is added', [3], { add: 1 }, [1, 2, 3]],
    ['columns for rows', [2, 3], { transposed: true }, [0, 3, 1, 4, 2, 5]],
    ['rows', [4, 2], { blocks }, [2, 3, 6, 7]],
    ['numbers of a bias', [4], { blocks }, [1, 3]],
    ['rows that were columns', [2, 4], { transposed: true, blocks }, [1, 5, 3, 7]],
    [
      'one block of rows that were columns',
      [2, 3],
      { transposed: true, blocks: { first: 1, rows: 2, step: 2, count: 1 } },
      [1, 4, 2, 5],
    ],
  ])('%s', (_, shape, cut, expected) => {
    const count = shape.reduce((product, n) => product * n, 1);
    expect([...applyCut(counted(count), shape, cut)]).toEqual(expected);
  });

  it('parts fused queries, keys and values', () => {
    // Two heads of one row each: q q k k v v, or q k v of each head.
    const below = ([0, 1, 2] as const).map((part) => third(part, 2)!.blocks);
    expect(below.map((blocks) => [...applyCut(counted(6), [6], { blocks })])).toEqual([
      ...[
        [0, 1],
        [2, 3],
        [4, 5],
      ],
    ]);
    const beside = ([0, 1, 2] as const).map((part) => thirdOfHead(part, 2, 1)!.blocks);
    expect(beside.map((blocks) => [...applyCut(counted(6), [6], { blocks })])).toEqual([
      ...[
        [0, 3],
        [1, 4],
        [2, 5],
      ],
    ]);
  });
});

it('reads each tensor once, in the order of the file, and gives arrays of their own', async () => {
  const read: string[] = [];
  const weights = {
    tensors: new Map(
      ['b', 'unused', 'a'].map((name) => [name, { dtype: 'F32', shape: [2] }] as const),
    ),
    read: (name: string) => Promise.resolve((read.push(name), counted(2))),
  };
  const one = { shape: [2], cut: { add: 1 } };
  const planned = [
    { ...one, name: 'first', source: 'a' },
    { ...one, name: 'second', source: 'a' },
    { ...one, name: 'third', source: 'b' },
  ];
  const given: [string, number[]][] = [];
  for await (const { name, data } of streamTensors(planned, weights)) given.push([name, [...data]]);
  expect(read).toEqual(['b', 'a']);
  expect(given).toEqual([
    ['third', [1, 2]],
    ['first', [1, 2]],
    ['second', [1, 2]],
  ]);
});

describe('encodingOptions', () => {
  const tensors: Readonly<Record<string, Float32Array>> = {
    table: counted(4),
    'norm.weight': Float32Array.of(1, 2),
    'norm.bias': Float32Array.of(0, 1),
    // Two heads of one number each, of rows of two.
    'key.weight': Float32Array.of(1, 0, 0, 10),
    'key.bias': Float32Array.of(5, 0),
  };
  const numbers = {
    stack: { heads: 2, headDim: 1, normEpsilon: 0 },
    read: (name: string) => tensors[name]!,
    linear: ({ input, weight, bias, shape: { rows, inputs, outputs } }: LinearInputs) =>
      Float32Array.from({ length: rows * outputs }, (_, i) => {
        const [row, output] = [Math.floor(i / outputs), i % outputs];
        let sum = bias[output]!;
        for (let j = 0; j < inputs; j++)
          sum += input[row * inputs + j]! * weight[output * inputs + j]!;
        return sum;
      }),
  };
  type LinearInputs = Parameters<Parameters<typeof encodingOptions>[1]['linear']>[0];

  it('takes a table as it is', () => {
    const spec: EncodingSpec = {
      name: 't5',
      options: { heads: 2 },
      tensors: { table: { tensor: 'table' } },
    };
    expect(encodingTensors(spec)).toEqual(['table']);
    expect(encodingOptions(spec, numbers)).toEqual({ heads: 2, table: counted(4) });
    expect(encodingOptions({ name: 'rope', options: { headDim: 2 } }, numbers)).toEqual({
      headDim: 2,
    });
  });

  it('norms and projects rows, and parts them by heads', () => {
    const keys = { tensor: 'table', norm: 'norm', projection: 'key' };
    const spec: EncodingSpec = { name: 'deberta', options: {}, tensors: { keys } };
    expect(encodingTensors(spec)).toEqual([
      ...['table', 'norm.weight', 'norm.bias', 'key.weight', 'key.bias'],
    ]);
    // Rows (0, 1) and (2, 3) become (−1, 1), then (−1, 3); projected (4, 30), twice.
    expect(encodingOptions(spec, numbers)).toEqual({ keys: Float32Array.of(4, 4, 30, 30) });
  });
});

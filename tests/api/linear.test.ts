/** input·weightᵀ + bias against the definition. */
import type { LinearInputs } from 'posenc';
import { describe, expect, test } from 'vitest';
import { errorOf, expectNear, numbers, posenc } from './posenc.js';

/** The definition, in float64. */
function product(input: Float32Array, weight: Float32Array, inputs: number, bias?: Float32Array) {
  const [rows, outputs] = [input.length / inputs, weight.length / inputs];
  return Array.from({ length: rows * outputs }, (_, at) => {
    const [row, output] = [Math.floor(at / outputs), at % outputs];
    let sum = bias?.[output] ?? 0;
    for (let i = 0; i < inputs; i++) sum += input[row * inputs + i]! * weight[output * inputs + i]!;
    return sum;
  });
}

const tenth = (count: number, seed: number): Float32Array =>
  numbers(count, seed).map((x) => x / 10);

describe('linear', () => {
  test.each([
    [1, 5, 3],
    [4, 64, 7],
    [5, 33, 100],
    [70, 16, 97],
  ])('%i rows of %i numbers to %i', (rows, inputs, outputs) => {
    const [input, weight] = [tenth(rows * inputs, 1), tenth(outputs * inputs, 2)];
    const bias = tenth(outputs, 3);
    const shape = { inputs, outputs };
    expectNear(posenc.linear({ input, weight, shape }), product(input, weight, inputs));
    const biased = posenc.linear({ input, weight, bias, shape: { ...shape, rows } });
    expectNear(biased, product(input, weight, inputs, bias));
  });

  test('reads the sizes off tensors and writes where it is told', () => {
    const [input, weight] = [tenth(6 * 8, 1), tenth(4 * 8, 2)];
    using x = posenc.tensor(input, [6, 8]);
    using w = posenc.tensor(weight, [4, 8]);
    using out = posenc.zeros([6, 4]);
    expect(posenc.linear({ input: x, weight: w, out })).toBe(out);
    expectNear(out.read(), product(input, weight, 8));
  });

  const good = { input: numbers(8), weight: numbers(12), shape: { inputs: 4, outputs: 3 } };
  const bad: [
    given: Partial<Record<keyof LinearInputs, unknown>>,
    argument: string,
    says: string,
  ][] = [
    [{ input: numbers(7) }, 'input', 'rows·inputs = 1·4'],
    [{ weight: numbers(11) }, 'weight', 'outputs·inputs = 3·4'],
    [{ bias: numbers(4) }, 'bias', 'outputs = 3'],
    [{ shape: undefined }, 'shape', 'unless weight is a tensor of two dimensions'],
    [{ shape: { inputs: 0, outputs: 3 } }, 'shape.inputs', '1'],
    [{ shape: { inputs: 4, outputs: 3, rows: 1.5 } }, 'shape.rows', 'integer'],
    [{ shape: { inputs: 4, outputs: 3, cols: 1 } }, 'cols', 'rows'],
    [{ input: [1, 2] }, 'input', 'Float32Array'],
    [{ out: good.input }, 'out', 'none of the inputs'],
    [{ out: numbers(5) }, 'out', '2·3'],
    [{ wieght: 1 } as object, 'wieght', 'weight'],
  ];
  test.each(bad)('%o is refused for %s', (given, argument, says) => {
    const error = errorOf(() => posenc.linear({ ...good, ...given } as LinearInputs));
    expect(error.argument).toContain(argument);
    expect(error.message).toContain(says);
  });
});

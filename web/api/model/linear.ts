import { size } from '../array.js';
import { checkOptions, wrong } from '../check.js';
import type { Engine } from '../engine.js';
import { Frame } from '../frame.js';
import { ResidentTensor } from '../tensor.js';
import type { Data } from '../types.js';
import type { LinearInputs, LinearShape } from './inputs.js';

const keys = ['input', 'weight', 'bias', 'shape', 'out'];

/** A linear layer, input·weightᵀ + bias; see `Posenc.linear` in `types.ts`. */
export function linear<Output extends Data>(engine: Engine, inputs: LinearInputs<Output>): Output {
  const given = checkOptions(inputs, keys, 'linear', 'inputs') as LinearInputs<Output>;
  const shape = linearShape(given);
  const { rows, inputs: width, outputs } = shape;
  const { out } = given;
  if (out !== undefined && [given.input, given.weight, given.bias].includes(out)) {
    throw wrong('argument', 'out', out, 'none of the inputs');
  }
  const frame = new Frame(engine.memory);
  try {
    const input = frame.input(given.input, 'input', [rows, width], ['rows', 'inputs']);
    const weight = frame.input(given.weight, 'weight', [outputs, width], ['outputs', 'inputs']);
    const bias =
      given.bias === undefined ? 0 : frame.input(given.bias, 'bias', [outputs], ['outputs']);
    const result = frame.output(out, 'out', [rows, outputs], ['rows', 'outputs']);
    const status = engine.kernels.linear(
      ...([input, weight, bias, rows, width, outputs, result.pointer] as const),
    );
    engine.expectOk(status, 'linear');
    return result.deliver();
  } finally {
    frame.release();
  }
}

/** Checks the sizes, or reads them off the weight. */
function linearShape({ input, weight, shape }: LinearInputs): Required<LinearShape> {
  const ofWeight =
    ResidentTensor.is(weight) && weight.shape.length === 2 ? weight.shape : undefined;
  if (shape === undefined && ofWeight === undefined) {
    const allowed = '{ inputs, outputs } unless weight is a tensor of two dimensions';
    throw wrong('argument', 'shape', shape, allowed);
  }
  const checked = checkOptions(shape, ['rows', 'inputs', 'outputs'], 'shape', 'shape');
  const inputs = size(checked.inputs ?? ofWeight?.[1], 'shape.inputs');
  const outputs = size(checked.outputs ?? ofWeight?.[0], 'shape.outputs');
  if (checked.rows !== undefined)
    return { rows: size(checked.rows, 'shape.rows'), inputs, outputs };
  const count = ResidentTensor.is(input) ? input.size : (input as Float32Array | undefined)?.length;
  const rows = Math.max(1, Math.floor((count ?? 0) / inputs));
  return { rows, inputs, outputs };
}

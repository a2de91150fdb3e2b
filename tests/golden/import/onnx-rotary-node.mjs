/** ONNX backend node tests of RotaryEmbedding, for the function that takes nodes. */
import { convertNode } from './onnx-nodes.mjs';

export { about } from './onnx-nodes.mjs';
export const source = 'onnx_rotary';

export function waits() {
  return null;
}

/** The tests call the input and the output of the operator, X and Y, by other names. */
export function convert(given) {
  const { input: X, ...inputs } = given.inputs;
  const { output: Y, output_f64: Y_f64 } = given.outputs;
  const node = { ...given, inputs: { X, ...inputs }, outputs: { Y, Y_f64 } };
  return [convertNode(node, /^test_rotary_embedding_/)];
}

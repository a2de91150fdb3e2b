/** ONNX backend node tests of Attention, for the function that takes nodes. */
import { convertNode } from './onnx-nodes.mjs';

export { about } from './onnx-nodes.mjs';
export const source = 'onnx_attention';

export function waits() {
  return null;
}

export const convert = (given) => [convertNode(given, /^test_attention_/)];

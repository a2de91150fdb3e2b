/** ONNX backend node tests of LinearAttention. */
import { convertNode } from './onnx-nodes.mjs';

export { about } from './onnx-nodes.mjs';

export function waits() {
  return null;
}

export const convert = (given) => [
  convertNode(given, /^test_linear_attention_/, ['update_rule']),
];

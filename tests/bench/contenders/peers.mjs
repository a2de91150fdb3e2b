/** The other libraries that are installed in a folder by `npm run bench:peers`. */
import { jax } from './jax.mjs';
import { onnxNode, onnxWeb } from './onnx.mjs';
import { tfjs } from './tfjs.mjs';

const isNode = typeof process === 'object' && process.versions?.node !== undefined;

const starts = {
  'onnxruntime-web': onnxWeb,
  'tfjs-wasm': tfjs,
  'jax-js': jax,
  ...(isNode && { 'onnxruntime-node': onnxNode }),
};

/**
 * @param {string} folder  address of the folder, with a slash at its end
 * @returns {Promise<{ contenders: import('../bench.mjs').Contender[], failures: Record<string, string> }>}
 */
export async function loadPeers(folder) {
  const contenders = [];
  const failures = {};
  for (const [name, start] of Object.entries(starts)) {
    try {
      contenders.push({ name, candidates: await start(`${folder}node_modules/`, isNode) });
    } catch (error) {
      failures[name] = error.message;
    }
  }
  return { contenders, failures };
}

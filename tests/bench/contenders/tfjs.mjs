/** TensorFlow.js on its WebAssembly back end, with tensors that stay in its memory; one thread. */
import { inputsOf, turningTables, uniform } from '../numbers.mjs';

/** Its product of batches takes a slow path: only small ones gain from one call for all. */
const MOST_BATCHED_FLOPS = 1e8;
const flopsOf = ({ heads, queries, keys, headDim }) => 4 * heads * queries * keys * headDim;

/** @param {string} packages  address of node_modules @param {boolean} isNode */
export async function tfjs(packages, isNode) {
  const folder = `${packages}@tensorflow/`;
  const [tf, wasm] = isNode ? await requireBoth(folder) : await scriptBoth(folder);
  wasm.setThreadsCount(1);
  const dist = `${folder}tfjs-backend-wasm/dist/`;
  wasm.setWasmPaths(isNode ? new URL(dist).pathname : dist);
  if (!(await tf.setBackend('wasm'))) throw new Error('its WebAssembly back end does not start');
  await tf.ready();
  return (work) => {
    if (work.kind === 'rope') return [() => rope(tf, work)];
    if (work.kind === 'gemm') return [() => gemm(tf, work)];
    if (work.kind !== 'attention' || work.encodings.length > 0) return [];
    const ways = [
      'head by head, keys stored transposed',
      ...(flopsOf(work) < MOST_BATCHED_FLOPS ? ['all heads at once'] : []),
    ];
    return ways.map((way) => () => attention(tf, work, way));
  };
}

async function requireBoth(folder) {
  const { createRequire } = await import(/* @vite-ignore */ 'node:module');
  const require = createRequire(new URL('here.js', folder));
  return [require('@tensorflow/tfjs-core'), require('@tensorflow/tfjs-backend-wasm')];
}

async function scriptBoth(folder) {
  for (const file of [
    'tfjs-core/dist/tf-core.min.js',
    'tfjs-backend-wasm/dist/tf-backend-wasm.min.js',
  ]) {
    await new Promise((resolve, reject) => {
      const script = globalThis.document.createElement('script');
      Object.assign(script, { src: folder + file, onload: resolve });
      script.onerror = () => reject(new Error(`cannot load ${file}`));
      globalThis.document.head.append(script);
    });
  }
  return [globalThis.tf, globalThis.tf.wasm];
}

/** Computes without keeping what is in between; the last result is disposed by the next. */
function computing(tf, way, kept, compute) {
  let out;
  return {
    way,
    call() {
      out?.dispose();
      out = tf.tidy(compute);
    },
    result: () => out.dataSync(),
    dispose() {
      out?.dispose();
      kept.forEach((tensor) => tensor.dispose());
    },
  };
}

/** Added to logits, (shared · queries, keys): 0, or −1e9 where a later key is hidden. */
const causalMask = (tf, { heads, kvHeads, queries, keys }) =>
  tf.tidy(() => {
    const visible = tf.linalg.bandPart(tf.ones([queries, keys]), -1, keys - queries);
    return tf.tile(tf.mul(tf.sub(visible, 1), 1e9), [heads / kvHeads, 1]);
  });

/** Softmax of products that `multiply` makes, times values. */
function attend(tf, { scale, mask }, multiply, value) {
  const scores = tf.mul(multiply(), scale);
  return tf.matMul(tf.softmax(mask ? tf.add(scores, mask) : scores), value);
}

function attention(tf, work, way) {
  const { heads, kvHeads, queries, keys, headDim, causal } = work;
  const { query, key, value } = inputsOf(work);
  // Queries of one key head stand one after another.
  const rows = (heads / kvHeads) * queries;
  const constants = {
    scale: tf.scalar(1 / Math.sqrt(headDim)),
    ...(causal && { mask: causalMask(tf, work) }),
  };
  const kept = [...Object.values(constants)];
  const keep = (tensor) => {
    kept.push(tensor);
    return tensor;
  };
  if (way === 'all heads at once') {
    const [q, k, v] = [
      keep(tf.tensor(query, [kvHeads, rows, headDim])),
      keep(tf.tensor(key, [kvHeads, keys, headDim])),
      keep(tf.tensor(value, [kvHeads, keys, headDim])),
    ];
    const multiply = () => tf.matMul(q, k, false, true);
    return computing(tf, way, kept, () => attend(tf, constants, multiply, v));
  }
  const parts = Array.from({ length: kvHeads }, (_, h) => {
    const of = (data, count) => {
      const size = count * headDim;
      return tf.tensor(data.subarray(h * size, (h + 1) * size), [count, headDim]);
    };
    const k = of(key, keys);
    const transposed = keep(tf.transpose(k));
    k.dispose();
    return { q: keep(of(query, rows)), k: transposed, v: keep(of(value, keys)) };
  });
  return computing(tf, way, kept, () =>
    tf.stack(parts.map(({ q, k, v }) => attend(tf, constants, () => tf.matMul(q, k), v))),
  );
}

/** The weights stored transposed, which is the faster way. */
function gemm(tf, { rows, inputs, outputs }) {
  const x = tf.tensor(uniform(1, rows * inputs), [rows, inputs]);
  const rowsOfWeight = tf.tensor(uniform(2, outputs * inputs), [outputs, inputs]);
  const weight = tf.transpose(rowsOfWeight);
  rowsOfWeight.dispose();
  return computing(tf, 'weights stored transposed', [x, weight], () => tf.matMul(x, weight));
}

/** What takes each dimension to its partner in the pair, (headDim, headDim). */
function partnerMatrix({ headDim, rotaryDim, layout }) {
  const matrix = new Float32Array(headDim * headDim);
  const [step, partner] = layout === 'half' ? [1, rotaryDim / 2] : [2, 1];
  for (let i = 0; i < rotaryDim / 2; ++i) {
    const [first, second] = [step * i, step * i + partner];
    matrix[second * headDim + first] = 1;
    matrix[first * headDim + second] = 1;
  }
  return matrix;
}

/** Partners by a product with a matrix: slicing and joining takes several times as long here. */
function rope(tf, work) {
  const { rows, tokens, headDim } = work;
  const x = tf.tensor(uniform(1, rows * tokens * headDim), [rows * tokens, headDim]);
  const { cos, sin } = turningTables(work);
  const [c, s] = [cos, sin].map((data) => tf.tensor(data, [tokens, headDim]));
  const matrix = tf.tensor(partnerMatrix(work), [headDim, headDim]);
  const shape = [rows, tokens, headDim];
  return computing(tf, 'partners by matMul', [x, c, s, matrix], () => {
    const partners = tf.reshape(tf.matMul(x, matrix), shape);
    return tf.add(tf.mul(tf.reshape(x, shape), c), tf.mul(partners, s));
  });
}

/** jax-js on its WebAssembly back end, compiled by its `jit`, with arrays that stay in its memory. */
import { inputsOf, shapesOf, swapAxes, turningTables, uniform } from '../numbers.mjs';

/** @param {string} packages  address of node_modules */
export async function jax(packages) {
  const library = await import(/* @vite-ignore */ `${packages}@jax-js/jax/dist/index.js`);
  await library.init('wasm');
  library.defaultDevice('wasm');
  return (work) => {
    if (work.kind === 'rope') return [() => rope(library, work)];
    if (work.kind !== 'attention' || work.encodings.length > 0) return [];
    return [() => attention(library, work), () => products(library, work)];
  };
}

/** A function of arrays that are kept, called once more each time; its last result is dropped. */
function calling({ jit }, way, inputs, compute, back = (data) => data) {
  const compiled = jit(compute);
  let out;
  return {
    way,
    async call() {
      out?.dispose();
      // An argument is given away; `ref` keeps one.
      out = compiled(...inputs.map((array) => array.ref));
      await out.blockUntilReady();
    },
    result: async () => back(await out.ref.data()),
    dispose() {
      out?.dispose();
      inputs.forEach((array) => array.dispose());
      compiled.dispose();
    },
  };
}

/** Its own attention, which wants tokens before heads and counts causality from the first query. */
function attention(library, work) {
  const { nn, numpy } = library;
  const { heads, queries, headDim, causal } = work;
  const shapes = shapesOf(work);
  const inputs = Object.entries(inputsOf(work)).map(([side, data]) => {
    const [, outer, inner, width] = shapes[side];
    return numpy.array(swapAxes(data, [outer, inner, width])).reshape([1, inner, outer, width]);
  });
  const compute = (query, key, value) =>
    nn.dotProductAttention(query, key, value, { isCausal: causal });
  const back = (data) => swapAxes(data, [queries, heads, headDim]);
  return calling(library, 'nn.dotProductAttention', inputs, compute, back);
}

/** Two products with a softmax between; queries of one key head stand one after another. */
function products(library, work) {
  const { nn, numpy: np } = library;
  const { heads, kvHeads, queries, keys, headDim, causal } = work;
  const shared = heads / kvHeads;
  const { query, key, value } = inputsOf(work);
  const inputs = [
    np.array(query).reshape([kvHeads, shared * queries, headDim]),
    np.array(key).reshape([kvHeads, keys, headDim]),
    np.array(value).reshape([kvHeads, keys, headDim]),
  ];
  const compute = (q, k, v) => {
    let logits = np.matmul(q, np.swapaxes(k, 1, 2)).mul(1 / Math.sqrt(headDim));
    if (causal) {
      const visible = np.tile(np.tri(queries, keys, keys - queries, { dtype: 'bool' }), [
        shared,
        1,
      ]);
      logits = np.where(visible, logits, -Infinity);
    }
    return np.matmul(nn.softmax(logits, -1), v);
  };
  return calling(library, 'matmul, softmax, matmul', inputs, compute);
}

/** Partners by `flip`: splitting and joining takes several times as long here. */
function rope(library, work) {
  const { numpy: np } = library;
  const { rows, tokens, headDim, rotaryDim, layout } = work;
  const { cos, sin } = turningTables({ ...work, headDim: rotaryDim });
  const inputs = [
    np.array(uniform(1, rows * tokens * headDim)).reshape([rows, tokens, headDim]),
    ...[cos, sin].map((data) => np.array(data).reshape([tokens, rotaryDim])),
  ];
  const pairs = rotaryDim / 2;
  const [parts, axis] = layout === 'half' ? [[2, pairs], 2] : [[pairs, 2], 3];
  const compute = (x, c, s) => {
    const [turned, rest] = rotaryDim < headDim ? np.split(x, [rotaryDim], -1) : [x, null];
    const partners = np.flip(turned.ref.reshape([rows, tokens, ...parts]), axis);
    const both = turned.mul(c).add(partners.reshape([rows, tokens, rotaryDim]).mul(s));
    return rest === null ? both : np.concatenate([both, rest], -1);
  };
  return calling(library, 'jit, partners by flip', inputs, compute);
}

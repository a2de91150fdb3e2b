/**
 * ONNX Runtime, in WebAssembly and native, one thread. Its runtimes copy every input in, so keys and
 * values (and the x of RoPE) are constants of the model, which stay inside; optimisation that would
 * compute with constants ahead is off for RoPE. Several graphs do the same work; the fastest counts.
 */
import { inputsOf, product, shapesOf, swapAxes, uniform } from '../numbers.mjs';
import { INT64, onnxModel } from './onnx-model.mjs';

/** The operator GroupQueryAttention is slow: not tried beyond these flops. */
const MOST_GROUP_QUERY_FLOPS = 6e8;

/** @param {string} packages  address of node_modules */
export async function onnxWeb(packages) {
  const { default: ort, ...names } = await import(
    /* @vite-ignore */ `${packages}onnxruntime-web/dist/ort.wasm.bundle.min.mjs`
  );
  const runtime = ort ?? names;
  runtime.env.wasm.numThreads = 1;
  runtime.env.wasm.wasmPaths = `${packages}onnxruntime-web/dist/`;
  return candidatesOf(runtime, { executionProviders: ['wasm'] });
}

/** @param {string} packages  address of node_modules */
export async function onnxNode(packages) {
  const { createRequire } = await import(/* @vite-ignore */ 'node:module');
  const runtime = createRequire(new URL('here.js', packages))('onnxruntime-node');
  return candidatesOf(runtime, { intraOpNumThreads: 1, interOpNumThreads: 1 });
}

const candidatesOf = (ort, options) => (work) => {
  if (work.kind === 'rope') return [() => rope(ort, options, work)];
  if (work.kind === 'gemm') return [() => gemm(ort, options, work)];
  if (work.kind !== 'attention' || work.encodings.length > 0) return [];
  return Object.entries(graphs)
    .map(([way, graph]) => [way, graph(work)])
    .filter(([, graph]) => graph !== null)
    .map(
      ([way, graph]) =>
        () =>
          attention(ort, options, work, way, graph),
    );
};

async function attention(ort, options, work, way, graph) {
  const { query, ...held } = inputsOf(work);
  const inner = graph.inner?.(held, work) ?? {};
  const shapes = shapesOf(work);
  const constants = {
    key: { data: inner.key ?? held.key, shape: graph.keyShape ?? shapes.key },
    value: { data: inner.value ?? held.value, shape: graph.valueShape ?? shapes.value },
    ...graph.constants,
  };
  const model = onnxModel({
    nodes: graph.nodes,
    constants,
    inputs: { query: { shape: graph.queryShape } },
    outputs: { output: { shape: graph.queryShape } },
    opset: graph.opset,
  });
  const session = await ort.InferenceSession.create(model, options);
  const feeds = {
    query: new ort.Tensor('float32', graph.order?.(query, work) ?? query, graph.queryShape),
  };
  let out;
  return {
    way,
    call: async () => {
      out = await session.run(feeds);
    },
    result: () => graph.back?.(out.output.data, work) ?? out.output.data,
    dispose: () => void session.release(),
  };
}

/** MatMul with a constant, turned ahead, which its runtime packs when the session is made. */
async function gemm(ort, options, { rows, inputs, outputs }) {
  const weight = transpose(uniform(2, outputs * inputs), [1, outputs, inputs]);
  const model = onnxModel({
    nodes: [{ operator: 'MatMul', inputs: ['input', 'weight'], outputs: ['output'] }],
    constants: { weight: { data: weight, shape: [inputs, outputs] } },
    inputs: { input: { shape: [rows, inputs] } },
    outputs: { output: { shape: [rows, outputs] } },
  });
  const session = await ort.InferenceSession.create(model, options);
  const feeds = { input: new ort.Tensor('float32', uniform(1, rows * inputs), [rows, inputs]) };
  let out;
  return {
    call: async () => {
      out = await session.run(feeds);
    },
    result: () => out.output.data,
    dispose: () => void session.release(),
  };
}

/** Queries that share a key head stand one after another, so that one product serves all. */
const grouped = ({ heads, kvHeads, queries, headDim }) => [
  1,
  kvHeads,
  (heads / kvHeads) * queries,
  headDim,
];

/** Added to logits, (shared · queries, keys): 0, or −1e9 where a later key is hidden. */
function causalMask({ heads, kvHeads, queries, keys }) {
  const rows = (heads / kvHeads) * queries;
  const data = new Float32Array(rows * keys);
  for (let row = 0; row < rows; ++row) {
    data.fill(-1e9, row * keys + keys - queries + (row % queries) + 1, (row + 1) * keys);
  }
  return { data, shape: [rows, keys] };
}

/** Two products with a softmax between; `first` makes scaled logits of query and key. */
const products = (work, first, more = {}) => ({
  queryShape: grouped(work),
  constants: work.causal ? { mask: causalMask(work) } : {},
  nodes: [
    { ...first, inputs: ['query', 'key'], outputs: ['logits'] },
    ...(work.causal ? [{ operator: 'Add', inputs: ['logits', 'mask'], outputs: ['masked'] }] : []),
    {
      operator: 'Softmax',
      inputs: [work.causal ? 'masked' : 'logits'],
      outputs: ['weights'],
      attributes: { axis: -1n },
    },
    { operator: 'MatMul', inputs: ['weights', 'value'], outputs: ['output'] },
  ],
  ...more,
});

/** (heads, keys, width) → (heads, width, keys) */
function transpose(data, [heads, keys, width]) {
  const out = new Float32Array(data.length);
  for (let h = 0; h < heads; ++h) {
    for (let n = 0; n < keys; ++n) {
      for (let d = 0; d < width; ++d) {
        out[(h * width + d) * keys + n] = data[(h * keys + n) * width + d];
      }
    }
  }
  return out;
}

const fused = ({ headDim }, attributes = {}) => ({
  operator: 'FusedMatMul',
  domain: 'com.microsoft',
  attributes: { alpha: 1 / Math.sqrt(headDim), ...attributes },
});

/** Inputs and results of the operators whose rows are (tokens, heads · width). */
const rowsOfTokens = {
  order: (query, { heads, queries, headDim }) => swapAxes(query, [heads, queries, headDim]),
  back: (output, { heads, queries, headDim }) => swapAxes(output, [queries, heads, headDim]),
};

const operatorOf = (operator, attributes, inputs = ['query', 'key', 'value']) => [
  { operator, domain: 'com.microsoft', attributes, inputs, outputs: ['output'] },
];

/** Ways to an attention: null where one does not apply. @type {Record<string, (work: object) => object | null>} */
const graphs = {
  'FusedMatMul, Softmax, MatMul': (work) => products(work, fused(work, { transB: 1n })),

  'keys stored transposed': (work) => {
    const [, heads, keys, width] = shapesOf(work).key;
    return products(work, fused(work), {
      keyShape: [1, heads, width, keys],
      inner: ({ key }) => ({ key: transpose(key, [heads, keys, width]) }),
    });
  },

  MultiHeadAttention({ heads, kvHeads, queries, headDim, causal }) {
    if (kvHeads !== heads) return null;
    return {
      ...rowsOfTokens,
      queryShape: [1, queries, heads * headDim],
      nodes: operatorOf('MultiHeadAttention', {
        num_heads: BigInt(heads),
        scale: 1 / Math.sqrt(headDim),
        ...(causal && { unidirectional: 1n }),
      }),
    };
  },

  Attention({ heads, queries, headDim, causal }) {
    const [node] = operatorOf('Attention', {
      scale: 1 / Math.sqrt(headDim),
      ...(causal && { is_causal: 1n }),
    });
    return {
      queryShape: [1, heads, queries, headDim],
      opset: 23,
      nodes: [{ ...node, domain: '' }],
    };
  },

  GroupQueryAttention(work) {
    const { heads, kvHeads, queries, keys, headDim, causal } = work;
    const flops = 4 * heads * queries * keys * headDim;
    if (!causal || queries !== keys || flops > MOST_GROUP_QUERY_FLOPS) return null;
    const shape = [1, keys, kvHeads * headDim];
    const rows = (data) => swapAxes(data, [kvHeads, keys, headDim]);
    return {
      ...rowsOfTokens,
      queryShape: [1, queries, heads * headDim],
      keyShape: shape,
      valueShape: shape,
      inner: ({ key, value }) => ({ key: rows(key), value: rows(value) }),
      constants: {
        lengths: { data: Int32Array.of(keys - 1), shape: [1] },
        total: { data: Int32Array.of(keys), shape: [] },
      },
      nodes: [
        {
          ...operatorOf('GroupQueryAttention', {
            num_heads: BigInt(heads),
            kv_num_heads: BigInt(kvHeads),
            scale: 1 / Math.sqrt(headDim),
          })[0],
          inputs: ['query', 'key', 'value', '', '', 'lengths', 'total'],
          outputs: ['output', 'presentKey', 'presentValue'],
        },
      ],
    };
  },
};

/** The operator RotaryEmbedding. What leaves the runtime is a slice: one token while it is timed. */
async function rope(ort, options, { rows, tokens, headDim, rotaryDim, layout }) {
  const pairs = rotaryDim / 2;
  const shape = [1, rows, tokens, headDim];
  const angles = Float64Array.from({ length: tokens * pairs }, (_, at) => {
    const pair = at % pairs;
    return ((at - pair) / pairs) * 10000 ** (-pair / pairs);
  });
  const table = (of) => ({ data: Float32Array.from(angles, of), shape: [tokens, pairs] });
  const positions = BigInt64Array.from({ length: tokens }, (_, t) => BigInt(t));
  const partial = { rotary_embedding_dim: BigInt(rotaryDim), num_heads: BigInt(rows) };
  const model = onnxModel({
    nodes: [
      {
        operator: 'RotaryEmbedding',
        domain: 'com.microsoft',
        inputs: ['x', 'positions', 'cos', 'sin'],
        outputs: ['turned'],
        attributes: {
          interleaved: layout === 'interleaved' ? 1n : 0n,
          ...(rotaryDim < headDim && partial),
        },
      },
      { operator: 'Slice', inputs: ['turned', 'starts', 'ends'], outputs: ['output'] },
    ],
    constants: {
      x: { data: uniform(1, product(shape)), shape },
      positions: { data: positions, shape: [1, tokens] },
      cos: table(Math.cos),
      sin: table(Math.sin),
    },
    inputs: { starts: { type: INT64, shape: [4] }, ends: { type: INT64, shape: [4] } },
    outputs: { output: {} },
  });
  const session = await ort.InferenceSession.create(model, {
    ...options,
    graphOptimizationLevel: 'disabled',
  });
  const sizes = (values) => new ort.Tensor('int64', BigInt64Array.from(values.map(BigInt)), [4]);
  const run = (ends) => session.run({ starts: sizes([0, 0, 0, 0]), ends: sizes(ends) });
  return {
    way: 'RotaryEmbedding',
    call: async () => void (await run([1, 1, 1, headDim])),
    result: async () => (await run(shape)).output.data,
    dispose: () => void session.release(),
  };
}

/**
 * What is measured, row by row: plain data that every contender reads. The goals are those that the
 * project set itself: the least share of the limit, and the least number of times as fast as others.
 */

/**
 * @typedef {{ kind: 'attention', heads: number, kvHeads: number, queries: number, keys: number,
 *   headDim: number, causal: boolean, encodings: string[] }} Attention
 * @typedef {{ kind: 'rope', rows: number, tokens: number, headDim: number, rotaryDim: number,
 *   layout: 'half' | 'interleaved', inPlace: boolean }} Rope
 * @typedef {{ kind: 'gemm', rows: number, inputs: number, outputs: number }} Gemm
 * @typedef {object} Row
 * @property {string} id
 * @property {string} group
 * @property {Attention | Rope | Gemm | object} [work]
 * @property {object} [versus]  the same work without what the row adds
 * @property {'multiply-add' | 'read' | 'copy'} [limit]  what bounds the work
 * @property {number} [amount]  how much of it the work needs: flops or bytes
 * @property {Record<string, number>} [goals]  of the limit's share, and of times others take
 * @property {boolean} [slow]  takes long, or much memory: not in readers' browsers
 */

const FLOAT = 4;

/** @param {Partial<Attention> & { tokens?: number }} changes @returns {Attention} */
function attention({ tokens, ...changes }) {
  const queries = changes.queries ?? tokens;
  const heads = changes.heads ?? 8;
  return {
    ...{ kind: 'attention', heads, kvHeads: heads, queries, keys: tokens, headDim: 64 },
    ...{ causal: false, encodings: [], ...changes },
  };
}

/** Two multiply-adds per query, key and dimension; those that a causal mask hides do not count. */
const attentionFlops = ({ heads, queries, keys, headDim, causal }) =>
  (4 * heads * queries * keys * headDim) / (causal ? 2 : 1);

/** Keys and values, each read once. */
const cacheBytes = ({ kvHeads, keys, headDim }) => 2 * kvHeads * keys * headDim * FLOAT;

const computed = (row) => ({ limit: 'multiply-add', amount: attentionFlops(row.work), ...row });

const causalName = (causal) => (causal ? '-causal' : '');

const forward = [512, 1024, 2048].flatMap((tokens) =>
  [false, true].map((causal) =>
    computed({
      id: `forward-${tokens}${causalName(causal)}`,
      group: 'forward',
      work: attention({ tokens, causal }),
      goals: causal
        ? { share: 0.76, 'onnxruntime-web': 4.5, 'onnxruntime-node': 1 }
        : { share: 0.8, 'onnxruntime-web': 2.3 },
    }),
  ),
);

/** Works that add something to an attention, and that attention. */
const added = (group, name, changes, least) => {
  const work = attention({ tokens: 1024, ...changes });
  return computed({
    id: `${group}-${name}${causalName(work.causal)}`,
    group,
    work,
    versus: { ...work, encodings: [], kvHeads: work.heads },
    goals: { without: 1 / least },
  });
};

const fused = [
  ...['alibi', 't5', 'rope'].flatMap((name) =>
    [false, true].map((causal) => added('fused', name, { encodings: [name], causal }, 1.05)),
  ),
  added('fused', 'gqa', { kvHeads: 2, causal: true }, 1.05),
  added('fused', 'all', { encodings: ['rope', 'alibi'], kvHeads: 2, causal: true }, 1.05),
];

const content = ['shaw', 'transformer_xl', 'deberta'].flatMap((name) =>
  [false, true].map((causal) => added('content', name, { encodings: [name], causal }, 2.2)),
);

const short = [
  ...[16, 32, 64, 128].map((tokens) =>
    computed({
      id: `short-${tokens}`,
      group: 'short',
      work: attention({ tokens }),
      goals: { 'onnxruntime-web': 1.5 },
    }),
  ),
  {
    id: 'short-call',
    group: 'short',
    work: attention({ heads: 1, tokens: 1, headDim: 4 }),
    goals: { microseconds: 5 },
  },
];

const decode = [512, 2048, 8192].flatMap((keys) =>
  [64, 128].flatMap((headDim) =>
    [8, 32].map((heads) => {
      const work = attention({ heads, kvHeads: 8, queries: 1, tokens: keys, headDim });
      const others = keys >= 2048 ? { 'onnxruntime-web': 2.5, 'jax-js': 1 } : {};
      return {
        id: `decode-${keys}-${headDim}-${heads === 8 ? 'mha' : 'gqa'}`,
        group: 'decode',
        work,
        limit: 'read',
        amount: cacheBytes(work),
        goals: { share: 0.85, ...others },
      };
    }),
  ),
);

/** Ten multiply-adds' flops where the forward pass has four: five products instead of two. */
const backward = [512, 1024].flatMap((tokens) =>
  [false, true].map((causal) => {
    const work = { ...attention({ tokens, causal }), kind: 'backward' };
    return {
      id: `backward-${tokens}${causalName(causal)}`,
      group: 'backward',
      work,
      limit: 'multiply-add',
      amount: 2.5 * attentionFlops(work),
      goals: { share: causal ? 0.55 : 0.62 },
    };
  }),
);

function ropeRow(layout, { rotaryDim = 64, inPlace = true, goals = {} }) {
  const work = { kind: 'rope', rows: 16, tokens: 8192, headDim: 64, rotaryDim, layout, inPlace };
  const name = [layout, rotaryDim < 64 && 'partial', !inPlace && 'out'].filter(Boolean).join('-');
  // In place, dimensions that do not turn are not touched.
  const touched = inPlace ? rotaryDim : work.headDim;
  return {
    id: `rope-${name}`,
    group: 'rope',
    work,
    limit: 'copy',
    amount: 2 * FLOAT * work.rows * work.tokens * touched,
    goals,
  };
}

const rope = [
  ropeRow('half', { goals: { share: 1, 'onnxruntime-web': 5 } }),
  ropeRow('interleaved', { goals: { share: 0.9, 'onnxruntime-web': 5 } }),
  ropeRow('half', { rotaryDim: 32 }),
  ropeRow('half', { inPlace: false }),
  ropeRow('interleaved', { inPlace: false }),
];

const tables = [
  { id: 'table-rope', group: 'tables', work: { kind: 'table', tokens: 65536, pairs: 64 } },
  {
    id: 'table-million',
    group: 'tables',
    work: { kind: 'table', tokens: 1e6, pairs: 64 },
    slow: true,
  },
  {
    id: 'table-sinusoidal',
    group: 'tables',
    work: { kind: 'sinusoidal', tokens: 2048, width: 512 },
  },
];

const memory = [
  {
    id: 'memory-extra-8192',
    group: 'memory',
    work: { ...attention({ heads: 1, tokens: 8192 }), kind: 'extra memory' },
    goals: { bytes: 2 * 2 ** 20 },
    slow: true,
  },
  {
    id: 'memory-total-32768-causal',
    group: 'memory',
    work: { ...attention({ heads: 4, tokens: 32768, causal: true }), kind: 'total memory' },
    goals: { bytes: 256 * 2 ** 20 },
    slow: true,
  },
];

/** input · weightᵀ. @returns {Row} */
function gemm(rows, inputs, outputs, bound) {
  return {
    id: `gemm-${rows}×${inputs}×${outputs}`,
    group: 'gemm',
    work: { kind: 'gemm', rows, inputs, outputs },
    ...bound,
  };
}

const gemms = [
  gemm(512, 512, 512, { limit: 'multiply-add', amount: 2 * 512 ** 3, goals: { share: 0.8 } }),
  gemm(1, 512, 2048, { limit: 'read', amount: FLOAT * 512 * 2048, goals: { share: 0.85 } }),
];

/** A Llama of random weights that writes one token after the other. */
function writing(name, sizes, dtype, least) {
  const work = { kind: 'writing', ...sizes, dtype, context: 64 };
  const { width, layers, hidden, vocabulary } = sizes;
  const numbers = layers * (4 * width ** 2 + 3 * width * hidden) + vocabulary * width;
  return {
    id: `model-${name}-${dtype}`,
    group: 'model',
    work,
    limit: 'read',
    amount: numbers * (dtype === 'f32' ? FLOAT : 1),
    goals: dtype === 'f32' ? { share: least } : {},
    ...(dtype === 'int8' && { versus: { ...work, dtype: 'f32' }, goals: { without: least } }),
  };
}

/** The sizes of llama2.c's stories15M. */
const small = { width: 288, layers: 6, heads: 6, hidden: 768, vocabulary: 32000 };

/** Steps of a small decoder's training: there, back, and AdamW. */
function training(batch, tokens) {
  const work = { kind: 'training', width: 64, layers: 2, heads: 4, hidden: 256, vocabulary: 24 };
  const { width, layers, hidden, vocabulary } = work;
  const matrices = layers * (4 * width ** 2 + 2 * width * hidden) + vocabulary * width;
  // Of each visible pair a product of queries and keys and one of weights and values; back, five.
  const pairs = (layers * 2 * width * (tokens + 1)) / 2;
  const flops = batch * tokens * 2 * (3 * matrices + 3.5 * pairs);
  return {
    id: `training-${batch}×${tokens}`,
    group: 'training',
    work: { ...work, batch, tokens },
    limit: 'multiply-add',
    amount: flops,
    goals: { share: 0.5 },
  };
}

const models = [
  writing('15M', small, 'f32', 0.85),
  writing('15M', small, 'int8', 1.8),
  training(64, 40),
  training(32, 64),
];

/** @type {Row[]} */
export const rows = [
  ...forward,
  ...fused,
  ...content,
  ...short,
  ...decode,
  ...backward,
  ...rope,
  ...tables,
  ...memory,
  ...gemms,
  ...models,
];

/** Rows whose id has one of some texts; all without texts. @param {string[]} texts */
export const chooseRows = (texts) =>
  rows.filter(({ id }) => texts.length === 0 || texts.some((text) => id.includes(text)));

/** This package, with tensors that stay in the module's memory. */
import { hooksOf } from '../encodings.mjs';
import { inputsOf, shapesOf, uniform } from '../numbers.mjs';

/**
 * A module that was loaded, as a contender.
 * @param {import('posenc').Posenc} pe
 * @param {string} [name]
 * @returns {import('../bench.mjs').Contender}
 */
export function posenc(pe, name = 'posenc') {
  return {
    name,
    candidates({ kind, ...work }) {
      const canDo = kind in kinds && (!(kind in needs) || pe[needs[kind]] !== undefined);
      return canDo ? [() => kinds[kind](pe, work)] : [];
    },
  };
}

/**
 * The KV cache of a module, as a contender: each call stores a token, attends, and takes it back.
 * @param {import('posenc').Posenc} pe
 * @returns {import('../bench.mjs').Contender}
 */
export const posencCache = (pe) => ({
  name: 'posenc, KV cache',
  candidates({ kind, ...work }) {
    const decodes = kind === 'attention' && work.queries === 1 && work.keys > 1;
    return decodes && work.encodings.length === 0 && pe.kvCache ? [() => cache(pe, work)] : [];
  },
});

/** What builds that were measured before may lack. */
const needs = {
  backward: 'attentionBackward',
  gemm: 'linear',
  writing: 'createModel',
  training: 'createModel',
};

const disposeAll = (tensors) => () => tensors.forEach((tensor) => tensor.dispose());

function attentionInputs(pe, work) {
  const { query, key, value } = shapesOf(work);
  const shapes = { query, key, value, gradient: query };
  const tensors = Object.fromEntries(
    Object.entries(inputsOf(work)).map(([side, data]) => [side, pe.tensor(data, shapes[side])]),
  );
  const hooks = hooksOf(work);
  return {
    ...tensors,
    causal: work.causal,
    scale: 1 / Math.sqrt(work.headDim),
    encoding: work.encodings.map((each, i) => pe.encoding(each, hooks[i].options)),
  };
}

function attention(pe, work) {
  const inputs = attentionInputs(pe, work);
  const out = pe.zeros(shapesOf(work).query);
  const call = { ...inputs, out };
  return {
    call: () => void pe.attention(call),
    result: () => out.read(),
    dispose: disposeAll([inputs.query, inputs.key, inputs.value, out]),
  };
}

function backward(pe, work) {
  const { gradient, ...inputs } = attentionInputs(pe, { ...work, kind: 'backward' });
  const shapes = shapesOf(work);
  const out = {
    query: pe.zeros(shapes.query),
    key: pe.zeros(shapes.key),
    value: pe.zeros(shapes.value),
  };
  // What the pass forward kept, as in training.
  const kept = pe.attention({ ...inputs, return: ['statistics'] });
  const output = pe.tensor(kept.output, shapes.query);
  const [batch, heads, queries] = shapes.query;
  const statistics = pe.tensor(kept.statistics, [batch, heads, queries, 3]);
  const call = { ...inputs, gradient, output, statistics, out, return: Object.keys(out) };
  const { query, key, value } = inputs;
  return {
    call: () => void pe.attentionBackward(call),
    result: () => Float32Array.from(Object.values(out).flatMap((each) => [...each.read()])),
    dispose: disposeAll([query, key, value, gradient, output, statistics, ...Object.values(out)]),
  };
}

/** The tokens of (heads, tokens, width) from one on up to another. */
function tokensOf(data, { kvHeads, keys, headDim }, from, to) {
  const out = new Float32Array(kvHeads * (to - from) * headDim);
  for (let h = 0; h < kvHeads; ++h) {
    const [start, end] = [from, to].map((token) => (h * keys + token) * headDim);
    out.set(data.subarray(start, end), h * (to - from) * headDim);
  }
  return out;
}

function cache(pe, work) {
  const { kvHeads, keys, headDim } = work;
  const { query, key, value } = inputsOf(work);
  const kept = pe.kvCache({ kvHeads, headDim, capacity: keys });
  const part = (data, from, to) =>
    pe.tensor(tokensOf(data, work, from, to), [1, kvHeads, to - from, headDim]);
  const before = { key: part(key, 0, keys - 1), value: part(value, 0, keys - 1) };
  kept.append(0, before);
  Object.values(before).forEach((tensor) => tensor.dispose());
  const shape = shapesOf(work).query;
  const token = {
    query: pe.tensor(query, shape),
    key: part(key, keys - 1, keys),
    value: part(value, keys - 1, keys),
    out: pe.zeros(shape),
  };
  return {
    call() {
      kept.attend(0, token);
      kept.truncate(keys - 1);
    },
    result: () => token.out.read(),
    dispose: disposeAll([kept, ...Object.values(token)]),
  };
}

function rope(pe, { rows, tokens, headDim, rotaryDim, layout, inPlace }) {
  const shape = [1, rows, tokens, headDim];
  const encoding = pe.encoding('rope', { headDim, rotaryDim, layout });
  const x = pe.tensor(uniform(1, rows * tokens * headDim), shape);
  const out = inPlace ? x : pe.zeros(shape);
  return {
    // In place it turns the same numbers again and again: norms do not grow.
    call: () => void encoding.rotate(x, { out }),
    result: () => out.read(),
    dispose: disposeAll([x, out]),
  };
}

function table(pe, { tokens, pairs }) {
  const encoding = pe.encoding('rope', { headDim: 2 * pairs });
  const out = { cos: pe.zeros([tokens, pairs]), sin: pe.zeros([tokens, pairs]) };
  return {
    call: () => void encoding.table(0, { tokens, out }),
    result: () => out.cos.read(),
    dispose: disposeAll(Object.values(out)),
  };
}

function sinusoidal(pe, { tokens, width }) {
  const encoding = pe.encoding('sinusoidal', { width });
  const out = pe.zeros([tokens, width]);
  return {
    call: () => void encoding.embed(0, { tokens, out }),
    result: () => out.read(),
    dispose: disposeAll([out]),
  };
}

function gemm(pe, { rows, inputs, outputs }) {
  const input = pe.tensor(uniform(1, rows * inputs), [rows, inputs]);
  const weight = pe.tensor(uniform(2, outputs * inputs), [outputs, inputs]);
  const out = pe.zeros([rows, outputs]);
  const call = { input, weight, out };
  return {
    call: () => void pe.linear(call),
    result: () => out.read(),
    dispose: disposeAll([input, weight, out]),
  };
}

const sizesOf = ({ width, layers, heads, vocabulary }) => ({
  hidden_size: width,
  num_hidden_layers: layers,
  num_attention_heads: heads,
  vocab_size: vocabulary,
  max_position_embeddings: 2048,
});

/** A call is one token's time; its numbers are those of a model that was loaded with this `dtype`. */
async function writing(pe, { dtype, hidden, ...sizes }) {
  const config = {
    ...{ model_type: 'llama', intermediate_size: hidden, tie_word_embeddings: true },
    ...sizesOf(sizes),
  };
  const made = await pe.createModel({ config });
  const weights = made.export().weights;
  made.dispose();
  const model = await pe.loadModel({ config, weights, dtype });
  const options = { temperature: 0, maxTokens: 512, stopIds: [] };
  let stream;
  const restart = async () => {
    await stream?.return();
    stream = model.generate([1], options);
    await stream.next(); // what stands before is read here
  };
  await restart();
  return {
    call: async () => {
      if ((await stream.next()).value.end !== null) await restart();
    },
    result: () => new Float32Array(0),
    dispose: () => model.dispose(),
  };
}

/** A GPT-2 of the work's sizes, its own table of positions. */
async function training(pe, { batch, tokens, ...sizes }) {
  const config = { model_type: 'gpt2', n_inner: sizes.hidden, ...sizesOf(sizes) };
  const model = await pe.createModel({ config });
  const trainer = pe.trainer({ model });
  const ids = Int32Array.from({ length: batch * tokens }, (_, i) => (i * 7) % sizes.vocabulary);
  const call = { ids, batch };
  return {
    call: () => {
      trainer.learn(call);
      trainer.step();
    },
    result: () => new Float32Array(0),
    dispose: disposeAll([trainer, model]),
  };
}

const kinds = { attention, backward, rope, table, sinusoidal, gemm, writing, training };

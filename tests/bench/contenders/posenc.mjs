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
    candidates: (work) => (kinds[work.kind] ? [() => kinds[work.kind](pe, work)] : []),
  };
}

const disposeAll = (tensors) => () => tensors.forEach((tensor) => tensor.dispose());

function attentionInputs(pe, work) {
  const shapes = shapesOf(work);
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

const kinds = { attention, rope, table, sinusoidal };

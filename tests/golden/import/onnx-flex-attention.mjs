/** ONNX backend node tests of FlexAttention: functions of the score that hooks of this project amount to. */
import { about as attentionAbout } from './attention.mjs';
import { isHalf } from './onnx-nodes.mjs';

export const about = [
  ...attentionAbout,
  'Functions of the score: a number or query − key that is added, a softcap. Expected in float32, as the source has it;',
  'precision f16: rounded to half precision.',
];

export function waits({ name }) {
  return name.endsWith('prob_mod') ? 'a function of the weights, which no hook is' : null;
}

/** A bias (1, 1, queries, keys). */
function biasOf(queries, keys, bias) {
  const values = Array.from({ length: queries * keys }, (_, i) => bias(Math.floor(i / keys), i % keys));
  return { bias: ['f32', { shape: [1, 1, queries, keys], values }] };
}

/** What the graph `score_mod` of a case amounts to; its nodes are in the source. */
function modificationOf({ attributes, inputs }) {
  const { graph, initializers = [] } = attributes.explicit.score_mod ?? {};
  const [queries, keys] = [inputs.Q.shape[2], inputs.K.shape[2]];
  const constant = (name) => initializers.find(([given]) => given === name)[2][0];
  if (graph === undefined) return {};
  if (graph === 'score_mod_bias') {
    return { tensors: biasOf(queries, keys, () => constant('bias')) };
  }
  if (graph === 'score_mod_relative_positional') {
    return { tensors: biasOf(queries, keys, (m, n) => m - n) };
  }
  if (graph === 'score_mod_soft_cap') return { numbers: { softcap: constant('cap') } };
  throw new Error(`a graph that is not known: ${graph}`);
}

export function convert(given) {
  const { Q, K, V } = given.inputs;
  const { tensors = {}, numbers = {} } = modificationOf(given);
  return [
    {
      name: given.name.replace(/^test_flexattention_/, ''),
      from: given,
      numbers: { causal: 0, scale: 1 / Math.sqrt(Q.shape[3]), ...numbers },
      words: isHalf(given.outputs) ? { precision: 'f16' } : {},
      tensors: { query: ['f32', Q], key: ['f32', K], value: ['f32', V], ...tensors, output: ['f32', given.outputs.Y] },
    },
  ];
}

import {
  only,
  readActivation,
  readEpsilon,
  readHidden,
  readSizes,
  readTied,
  readVocabulary,
} from './read.js';
import { Rules } from './rules.js';
import { plainBlueprint } from './stacks.js';
import type { Blueprint, ModelFamily, Reading } from './types.js';

/** Phi-1, Phi-1.5, Phi-2: part of each head turns; attention and MLP read one norm; biases everywhere. */
export const phiFamily: ModelFamily = {
  types: ['phi'],
  prefixes: ['model.'],
  ignored: /(^|\.)rotary_emb\.inv_freq$/,
  read,
};

function read(reading: Reading): Blueprint {
  only(reading.fields, { qk_layernorm: [false] });
  const sizes = readSizes(reading);
  const { layers, width, heads, kvHeads, headDim } = sizes;
  const vocabulary = readVocabulary(reading, 'embed_tokens.weight');
  const hidden = readHidden(reading, ['intermediate_size'], 'layers.0.mlp.fc1.weight');
  const tied = readTied(reading, 'lm_head.weight', false);
  const rules = new Rules();
  const bias = true;
  rules.words(['embed_tokens', 'lm_head'], tied, [vocabulary, width], { bias });
  for (let n = 0; n < layers; n++) {
    const [to, from] = [`decoder.${n}`, `layers.${n}`];
    const own = `${from}.self_attn`;
    rules.norm(`${to}.attention.norm`, `${from}.input_layernorm`, width, 'layer');
    const [queries, keys] = [heads * headDim, kvHeads * headDim];
    rules.linear(`${to}.attention.query`, `${own}.q_proj`, [queries, width], { bias });
    rules.linear(`${to}.attention.key`, `${own}.k_proj`, [keys, width], { bias });
    rules.linear(`${to}.attention.value`, `${own}.v_proj`, [keys, width], { bias });
    rules.linear(`${to}.attention.output`, `${own}.dense`, [width, queries], { bias });
    rules.linear(`${to}.mlp.up`, `${from}.mlp.fc1`, [hidden, width], { bias });
    rules.linear(`${to}.mlp.down`, `${from}.mlp.fc2`, [width, hidden], { bias });
  }
  rules.norm('decoder.norm', 'final_layernorm', width, 'layer');
  return plainBlueprint(
    reading,
    rules,
    sizes,
    { vocabulary, hidden },
    {
      kvHeads,
      parallel: true,
      normEpsilon: readEpsilon(reading, 'layer_norm_eps', 1e-5),
      activation: readActivation(reading, ['hidden_act'], 'gelu_new'),
    },
  );
}

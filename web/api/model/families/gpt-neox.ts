import {
  readActivation,
  readEpsilon,
  readHidden,
  readSizes,
  readTied,
  readVocabulary,
} from './read.js';
import { Rules, thirdOfHead } from './rules.js';
import { plainBlueprint } from './stacks.js';
import type { Blueprint, ModelFamily, Reading } from './types.js';

/** GPT-NeoX, Pythia: part of each head turns; queries, keys and values of a head lie side by side. */
export const gptNeoxFamily: ModelFamily = {
  types: ['gpt_neox'],
  prefixes: ['gpt_neox.'],
  ignored: /\.attention\.(bias|masked_bias|rotary_emb\.inv_freq)$|^rotary_emb\.inv_freq$/,
  read,
};

function read(reading: Reading): Blueprint {
  const { fields } = reading;
  const sizes = readSizes(reading);
  const { layers, width, heads, headDim } = sizes;
  const vocabulary = readVocabulary(reading, 'embed_in.weight');
  const hidden = readHidden(reading, ['intermediate_size'], 'layers.0.mlp.dense_h_to_4h.weight');
  const bias = fields.flag('attention_bias') ?? true;
  const tied = readTied(reading, 'embed_out.weight', false);
  const rules = new Rules();
  rules.words(['embed_in', 'embed_out'], tied, [vocabulary, width]);
  for (let n = 0; n < layers; n++) {
    const [to, from] = [`decoder.${n}`, `layers.${n}`];
    rules.norm(`${to}.attention.norm`, `${from}.input_layernorm`, width, 'layer');
    const fused = `${from}.attention.query_key_value`;
    for (const [i, name] of (['query', 'key', 'value'] as const).entries()) {
      const part = thirdOfHead(i as 0 | 1 | 2, heads, headDim)!;
      rules.linear(`${to}.attention.${name}`, fused, [width, width], { bias, part });
    }
    rules.linear(`${to}.attention.output`, `${from}.attention.dense`, [width, width], { bias });
    rules.norm(`${to}.mlp.norm`, `${from}.post_attention_layernorm`, width, 'layer');
    const mlp = `${from}.mlp.dense`;
    rules.linear(`${to}.mlp.up`, `${mlp}_h_to_4h`, [hidden, width], { bias: true });
    rules.linear(`${to}.mlp.down`, `${mlp}_4h_to_h`, [width, hidden], { bias: true });
  }
  rules.norm('decoder.norm', 'final_layer_norm', width, 'layer');
  return plainBlueprint(
    reading,
    rules,
    sizes,
    { vocabulary, hidden },
    {
      parallel: fields.flag('use_parallel_residual') ?? true,
      normEpsilon: readEpsilon(reading, 'layer_norm_eps', 1e-5),
      activation: readActivation(reading, ['hidden_act'], 'gelu'),
    },
  );
}

import { only, readEpsilon, readSizes, readTied, readVocabulary } from './read.js';
import { Rules, thirdOfHead } from './rules.js';
import { plainBlueprint } from './stacks.js';
import type { Blueprint, ModelFamily, Reading } from './types.js';

/** BLOOM: ALiBi, a norm of the embedding, queries, keys and values of a head side by side. */
export const bloomFamily: ModelFamily = {
  types: ['bloom'],
  prefixes: ['transformer.'],
  ignored: /$^/,
  read,
};

function read(reading: Reading): Blueprint {
  only(reading.fields, { apply_residual_connection_post_layernorm: [false] });
  const sizes = readSizes(reading);
  const { layers, width, heads, headDim } = sizes;
  const vocabulary = readVocabulary(reading, 'word_embeddings.weight');
  const tied = readTied(reading, 'lm_head.weight', true);
  const hidden = 4 * width;
  const rules = new Rules();
  const bias = true;
  rules.words(['word_embeddings', 'lm_head'], tied, [vocabulary, width]);
  rules.norm('embedding.norm', 'word_embeddings_layernorm', width, 'layer');
  for (let n = 0; n < layers; n++) {
    const [to, from] = [`decoder.${n}`, `h.${n}`];
    rules.norm(`${to}.attention.norm`, `${from}.input_layernorm`, width, 'layer');
    const fused = `${from}.self_attention.query_key_value`;
    for (const [i, name] of (['query', 'key', 'value'] as const).entries()) {
      const part = thirdOfHead(i as 0 | 1 | 2, heads, headDim)!;
      rules.linear(`${to}.attention.${name}`, fused, [width, width], { bias, part });
    }
    rules.linear(`${to}.attention.output`, `${from}.self_attention.dense`, [width, width], {
      bias,
    });
    rules.norm(`${to}.mlp.norm`, `${from}.post_attention_layernorm`, width, 'layer');
    rules.linear(`${to}.mlp.up`, `${from}.mlp.dense_h_to_4h`, [hidden, width], { bias });
    rules.linear(`${to}.mlp.down`, `${from}.mlp.dense_4h_to_h`, [width, hidden], { bias });
  }
  rules.norm('decoder.norm', 'ln_f', width, 'layer');
  return plainBlueprint(
    reading,
    rules,
    sizes,
    { vocabulary, hidden },
    {
      normEpsilon: readEpsilon(reading, 'layer_norm_epsilon', 1e-5),
      activation: 'gelu-tanh', // BloomGelu
    },
  );
}

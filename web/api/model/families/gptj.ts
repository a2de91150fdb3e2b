import {
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

/** GPT-J: neighbours turn in part of each head; attention and MLP read one norm; the head has a bias. */
export const gptjFamily: ModelFamily = {
  types: ['gptj'],
  prefixes: ['transformer.'],
  ignored: /\.attn\.(bias|masked_bias|embed_positions)$/,
  read,
};

function read(reading: Reading): Blueprint {
  const sizes = readSizes(reading);
  const { layers, width } = sizes;
  const vocabulary = readVocabulary(reading, 'wte.weight');
  const hidden =
    reading.fields.value('n_inner') === null
      ? 4 * width
      : readHidden(reading, ['n_inner'], 'h.0.mlp.fc_in.bias');
  const tied = readTied(reading, 'lm_head.weight', false);
  const rules = new Rules();
  rules.words(['wte', 'lm_head'], tied, [vocabulary, width], { bias: true });
  for (let n = 0; n < layers; n++) {
    const [to, from] = [`decoder.${n}`, `h.${n}`];
    rules.norm(`${to}.attention.norm`, `${from}.ln_1`, width, 'layer');
    for (const [name, old] of [
      ['query', 'q_proj'],
      ['key', 'k_proj'],
      ['value', 'v_proj'],
      ['output', 'out_proj'],
    ] as const) {
      rules.linear(`${to}.attention.${name}`, `${from}.attn.${old}`, [width, width]);
    }
    rules.linear(`${to}.mlp.up`, `${from}.mlp.fc_in`, [hidden, width], { bias: true });
    rules.linear(`${to}.mlp.down`, `${from}.mlp.fc_out`, [width, hidden], { bias: true });
  }
  rules.norm('decoder.norm', 'ln_f', width, 'layer');
  return plainBlueprint(
    reading,
    rules,
    sizes,
    { vocabulary, hidden },
    {
      parallel: true,
      normEpsilon: readEpsilon(reading, 'layer_norm_epsilon', 1e-5),
      activation: readActivation(reading, ['activation_function'], 'gelu_new'),
    },
  );
}

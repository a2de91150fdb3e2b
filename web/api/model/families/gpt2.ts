import {
  only,
  readActivation,
  readEpsilon,
  readHidden,
  readSizes,
  readTied,
  readVocabulary,
} from './read.js';
import { Rules, third } from './rules.js';
import { plainBlueprint } from './stacks.js';
import { readTable } from './table.js';
import type { Blueprint, ModelFamily, Reading } from './types.js';

/** GPT-2: a learned table of positions; matrices lie the other way (Conv1D), queries, keys and values in one. */
export const gpt2Family: ModelFamily = {
  types: ['gpt2'],
  prefixes: ['transformer.'],
  ignored: /\.attn\.(bias|masked_bias)$/,
  read,
};

function read(reading: Reading): Blueprint {
  only(reading.fields, {
    add_cross_attention: [false],
    scale_attn_by_inverse_layer_idx: [false],
  });
  const sizes = readSizes(reading);
  const { layers, width } = sizes;
  const vocabulary = readVocabulary(reading, 'wte.weight');
  const hidden =
    reading.fields.value('n_inner') === null
      ? 4 * width
      : readHidden(reading, ['n_inner'], 'h.0.mlp.c_fc.bias');
  const tied = readTied(reading, 'lm_head.weight', true);
  const { rows, offset } = readTable(reading);
  const rules = new Rules();
  const conv = { bias: true, transposed: true };
  rules.words(['wte', 'lm_head'], tied, [vocabulary, width]);
  rules.tensor('embedding.position.weight', 'wpe.weight', [rows, width]);
  for (let n = 0; n < layers; n++) {
    const [to, from] = [`decoder.${n}`, `h.${n}`];
    rules.norm(`${to}.attention.norm`, `${from}.ln_1`, width, 'layer');
    for (const [i, part] of (['query', 'key', 'value'] as const).entries()) {
      const fused = third(i as 0 | 1 | 2, width)!;
      const options = { ...conv, part: fused };
      rules.linear(`${to}.attention.${part}`, `${from}.attn.c_attn`, [width, width], options);
    }
    rules.linear(`${to}.attention.output`, `${from}.attn.c_proj`, [width, width], conv);
    rules.norm(`${to}.mlp.norm`, `${from}.ln_2`, width, 'layer');
    rules.linear(`${to}.mlp.up`, `${from}.mlp.c_fc`, [hidden, width], conv);
    rules.linear(`${to}.mlp.down`, `${from}.mlp.c_proj`, [width, hidden], conv);
  }
  rules.norm('decoder.norm', 'ln_f', width, 'layer');
  return plainBlueprint(
    reading,
    rules,
    sizes,
    { vocabulary, hidden, positionOffset: offset },
    {
      normEpsilon: readEpsilon(reading, 'layer_norm_epsilon', 1e-5),
      activation: readActivation(reading, ['activation_function'], 'gelu_new'),
    },
  );
}

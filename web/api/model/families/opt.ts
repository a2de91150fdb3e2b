import {
  only,
  readActivation,
  readHidden,
  readSizes,
  readTied,
  readVocabulary,
  unsupported,
} from './read.js';
import { Rules } from './rules.js';
import { plainBlueprint } from './stacks.js';
import { readTable } from './table.js';
import type { Blueprint, ModelFamily, Reading } from './types.js';

/** OPT: a learned table whose position 0 is row 2, relu; the 350M model has its norms after the residuals. */
export const optFamily: ModelFamily = {
  types: ['opt'],
  prefixes: ['model.decoder.', 'decoder.'],
  ignored: /$^/,
  read,
};

function read(reading: Reading): Blueprint {
  const { fields } = reading;
  only(fields, {
    _remove_final_layer_norm: [false],
    enable_bias: [true],
    layer_norm_elementwise_affine: [true],
  });
  const sizes = readSizes(reading);
  const { layers, width } = sizes;
  const projected = fields.value('word_embed_proj_dim') ?? width;
  if (projected !== width) {
    throw unsupported('word_embed_proj_dim', projected, `hidden_size (${width})`);
  }
  const before = fields.flag('do_layer_norm_before') ?? true;
  const vocabulary = readVocabulary(reading, 'embed_tokens.weight');
  const hidden = readHidden(reading, ['ffn_dim'], 'layers.0.fc1.weight');
  const tied = readTied(reading, 'lm_head.weight', true);
  const { rows, offset } = readTable(reading);
  const rules = new Rules();
  const bias = true;
  rules.words(['embed_tokens', 'lm_head'], tied, [vocabulary, width]);
  rules.tensor('embedding.position.weight', 'embed_positions.weight', [rows, width]);
  for (let n = 0; n < layers; n++) {
    const [to, from] = [`decoder.${n}`, `layers.${n}`];
    rules.norm(`${to}.attention.norm`, `${from}.self_attn_layer_norm`, width, 'layer');
    for (const [name, old] of [
      ['query', 'q_proj'],
      ['key', 'k_proj'],
      ['value', 'v_proj'],
      ['output', 'out_proj'],
    ] as const) {
      rules.linear(`${to}.attention.${name}`, `${from}.self_attn.${old}`, [width, width], { bias });
    }
    rules.norm(`${to}.mlp.norm`, `${from}.final_layer_norm`, width, 'layer');
    rules.linear(`${to}.mlp.up`, `${from}.fc1`, [hidden, width], { bias });
    rules.linear(`${to}.mlp.down`, `${from}.fc2`, [width, hidden], { bias });
  }
  if (before) rules.norm('decoder.norm', ['final_layer_norm', 'layer_norm'], width, 'layer');
  return plainBlueprint(
    reading,
    rules,
    sizes,
    { vocabulary, hidden, positionOffset: offset },
    {
      normPlacement: before ? 'pre' : 'post',
      normEpsilon: 1e-5,
      activation: readActivation(reading, ['activation_function'], 'relu'),
    },
  );
}

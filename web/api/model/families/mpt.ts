import { readLayers } from './positions.js';
import type { EncodingSpec } from '../spec.js';
import { only, readEpsilon, readSizes, readTied, readVocabulary } from './read.js';
import { Rules, third } from './rules.js';
import { plainBlueprint } from './stacks.js';
import type { Blueprint, ModelFamily, Reading } from './types.js';

/** MPT: ALiBi, no biases anywhere, queries, keys and values one below the other. */
export const mptFamily: ModelFamily = {
  types: ['mpt'],
  prefixes: ['transformer.'],
  ignored: /$^/,
  read,
};

/** What MptForCausalLM of transformers does not do either, or not as the authors' code does. */
function refuse({ fields }: Reading): void {
  only(fields, { no_bias: [true], logit_scale: [], learned_pos_emb: [false, true] });
  const attention = fields.child('attn_config');
  if (attention === null) return;
  only(attention, {
    alibi: [true],
    attn_type: ['multihead_attention'],
    attn_uses_sequence_id: [false],
    clip_qkv: [],
    prefix_lm: [false],
    qk_ln: [false],
    rope: [false],
  });
}

function read(reading: Reading): Blueprint {
  refuse(reading);
  const { fields } = reading;
  const sizes = readSizes(reading);
  const { layers, width, heads } = sizes;
  const vocabulary = readVocabulary(reading, 'wte.weight');
  const tied = readTied(reading, 'lm_head.weight', true);
  const hidden = width * (fields.integer('expansion_ratio', { low: 1, high: 64 }) ?? 4);
  const biasMax =
    fields.child('attn_config')?.number('alibi_bias_max', { low: 1e-3, high: 1e3 }) ?? 8;
  const alibi: EncodingSpec = { name: 'alibi', options: { heads, biasMax } };
  const rules = new Rules();
  rules.words(['wte', 'lm_head'], tied, [vocabulary, width]);
  for (let n = 0; n < layers; n++) {
    const [to, from] = [`decoder.${n}`, `blocks.${n}`];
    rules.norm(`${to}.attention.norm`, `${from}.norm_1`, width, 'plain');
    for (const [i, name] of (['query', 'key', 'value'] as const).entries()) {
      const part = third(i as 0 | 1 | 2, width)!;
      rules.linear(`${to}.attention.${name}`, `${from}.attn.Wqkv`, [width, width], { part });
    }
    rules.linear(`${to}.attention.output`, `${from}.attn.out_proj`, [width, width]);
    rules.norm(`${to}.mlp.norm`, `${from}.norm_2`, width, 'plain');
    rules.linear(`${to}.mlp.up`, `${from}.ffn.up_proj`, [hidden, width]);
    rules.linear(`${to}.mlp.down`, `${from}.ffn.down_proj`, [width, hidden]);
  }
  rules.norm('decoder.norm', 'norm_f', width, 'plain');
  return plainBlueprint(
    reading,
    rules,
    sizes,
    { vocabulary, hidden },
    {
      layers: readLayers(reading, layers, 0, () => [alibi]),
      normEpsilon: readEpsilon(reading, 'layer_norm_epsilon', 1e-5),
      activation: 'gelu',
    },
  );
}

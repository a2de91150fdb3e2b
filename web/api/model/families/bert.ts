import { limits } from '../../inspect/limits.js';
import { readLayers, readScale } from './positions.js';
import {
  only,
  readActivation,
  readEpsilon,
  readHidden,
  readSizes,
  readVocabulary,
} from './read.js';
import { Rules } from './rules.js';
import { plainDecoder, plainModel } from './stacks.js';
import { readTable } from './table.js';
import type { Blueprint, ModelFamily, Reading } from './types.js';

/** BERT: an encoder with norms after the residuals, and the head of a masked language model where it has one. */
export const bertFamily: ModelFamily = {
  types: ['bert'],
  prefixes: ['bert.'],
  ignored: /^(embeddings\.(position_ids|token_type_ids)$|pooler\.|cls\.seq_relationship\.)/,
  read,
};

function read(reading: Reading): Blueprint {
  const { fields } = reading;
  only(fields, { is_decoder: [false], add_cross_attention: [false] });
  const { layers, width, heads, headDim } = readSizes(reading);
  const vocabulary = readVocabulary(reading, 'embeddings.word_embeddings.weight');
  const types = fields.integer('type_vocab_size', limits.hiddenSize) ?? 2;
  const up = 'encoder.layer.0.intermediate.dense.weight';
  const hidden = readHidden(reading, ['intermediate_size'], up);
  const { rows, offset } = readTable(reading);
  const rules = new Rules();
  const [words, places] = ['embeddings.word_embeddings', 'embeddings.position_embeddings'];
  rules.tensor('embedding.weight', `${words}.weight`, [vocabulary, width]);
  rules.tensor('embedding.position.weight', `${places}.weight`, [rows, width]);
  const kinds = 'embeddings.token_type_embeddings.weight';
  rules.tensor('embedding.type.weight', kinds, [types, width]);
  rules.norm('embedding.norm', 'embeddings.LayerNorm', width, 'layer');
  const names = { query: 'query', key: 'key', value: 'value' };
  addLayers(rules, layers, [width, hidden], names);
  const head = hasHead(reading);
  if (head) addHead(rules, [vocabulary, width]);
  return {
    rules: rules.list,
    // The same as the embedding, and as `cls.predictions.bias`.
    unused: ['cls.predictions.decoder.weight', 'cls.predictions.decoder.bias'],
    spec: {
      ...plainModel,
      vocabulary,
      width,
      positionOffset: offset,
      ...(head ? {} : { hiddenOnly: true }),
      encoder: {
        ...plainDecoder,
        causal: false,
        normPlacement: 'post',
        layers: readLayers(reading, layers),
        heads,
        kvHeads: heads,
        headDim,
        hidden,
        normEpsilon: readEpsilon(reading, 'layer_norm_eps', 1e-12),
        activation: readActivation(reading, ['hidden_act'], 'gelu'),
        attentionScale: readScale(reading),
      },
    },
  };
}

/** Layers of BERT, DeBERTa: the same but for the names of queries, keys and values. */
export function addLayers(
  rules: Rules,
  layers: number,
  [width, hidden]: readonly [number, number],
  names: Readonly<Record<'query' | 'key' | 'value', string>>,
): void {
  const bias = true;
  for (let n = 0; n < layers; n++) {
    const [to, from] = [`encoder.${n}`, `encoder.layer.${n}`];
    for (const part of ['query', 'key', 'value'] as const) {
      const own = `${from}.attention.self.${names[part]}`;
      rules.linear(`${to}.attention.${part}`, own, [width, width], { bias });
    }
    const output = `${from}.attention.output`;
    rules.linear(`${to}.attention.output`, `${output}.dense`, [width, width], { bias });
    rules.norm(`${to}.attention.norm`, `${output}.LayerNorm`, width, 'layer');
    rules.linear(`${to}.mlp.up`, `${from}.intermediate.dense`, [hidden, width], { bias });
    rules.linear(`${to}.mlp.down`, `${from}.output.dense`, [width, hidden], { bias });
    rules.norm(`${to}.mlp.norm`, `${from}.output.LayerNorm`, width, 'layer');
  }
}

/** The head of a masked language model; its matrix is the embedding. */
export function addHead(rules: Rules, [vocabulary, width]: readonly [number, number]): void {
  const transform = 'cls.predictions.transform';
  rules.linear('head.transform', `${transform}.dense`, [width, width], { bias: true });
  rules.norm('head.norm', `${transform}.LayerNorm`, width, 'layer');
  rules.tensor('head.bias', biases, [vocabulary]);
}

/** The bias has two names, of which files keep one or both. */
const biases = ['cls.predictions.bias', 'cls.predictions.decoder.bias'];

/** Whether the checkpoint has that head. */
export const hasHead = ({ shapeOf }: Reading): boolean =>
  biases.some((name) => shapeOf(name) !== undefined);

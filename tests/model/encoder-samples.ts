/** Samples of families with an encoder. */
import { both, one, square, twice, usual } from './family-shapes.js';
import type { FamilySample, Shapes } from './family-shapes.js';

const t5Stack = (side: string, cross: boolean, hidden: readonly string[]): Shapes => {
  const attention = (layer: number, name: string): Shapes => ({
    [`${side}.block.N.layer.${layer}.layer_norm`]: [8],
    [`${side}.block.N.layer.${layer}.${name}.q`]: square,
    [`${side}.block.N.layer.${layer}.${name}.k`]: square,
    [`${side}.block.N.layer.${layer}.${name}.v`]: square,
    [`${side}.block.N.layer.${layer}.${name}.o`]: square,
  });
  const last = `${side}.block.N.layer.${cross ? 2 : 1}`;
  return one({
    ...attention(0, 'SelfAttention'),
    ...(cross ? attention(1, 'EncDecAttention') : {}),
    [`${last}.layer_norm`]: [8],
    ...Object.fromEntries(hidden.map((name) => [`${last}.DenseReluDense.${name}`, [20, 8]])),
    [`${last}.DenseReluDense.wo`]: [8, 20],
  });
};
const relative = (side: string, n: string): string =>
  `${side}.block.${n}.layer.0.SelfAttention.relative_attention_bias.weight`;
const ofT5 = (model_type: string, gated: boolean, perLayer: boolean): FamilySample => {
  const hidden = gated ? ['wi_0', 'wi_1'] : ['wi'];
  const tables = (side: string): Shapes =>
    perLayer ? twice({ [relative(side, 'N')]: [32, 2] }) : { [relative(side, '0')]: [32, 2] };
  return {
    name: model_type,
    config: {
      model_type,
      ...{ d_model: 8, d_kv: 4, d_ff: 20, num_layers: 2, num_heads: 2, vocab_size: 12 },
      feed_forward_proj: gated ? 'gated-gelu' : 'relu',
      tie_word_embeddings: !gated,
    },
    shapes: {
      'shared.weight': [12, 8],
      ...twice(t5Stack('encoder', false, hidden)),
      ...twice(t5Stack('decoder', true, hidden)),
      ...tables('encoder'),
      ...tables('decoder'),
      ...one({ 'encoder.final_layer_norm': [8], 'decoder.final_layer_norm': [8] }),
      ...(gated ? { 'lm_head.weight': [12, 8] } : {}),
    },
    ignored: { 'encoder.embed_tokens.weight': [12, 8], 'decoder.embed_tokens.weight': [12, 8] },
    engine: {
      [perLayer ? 'decoder.1.attention.relative.weight' : 'decoder.relative.weight']: [32, 2],
      'decoder.1.cross.key.weight': [8, 8],
      'encoder.1.mlp.up.weight': [20, 8],
    },
    spec: {
      logitScale: gated ? 1 : 1 / Math.sqrt(8),
      encoder: { causal: false, cross: false, attentionScale: 1, gated },
      decoder: { causal: true, cross: true, activation: gated ? 'gelu-tanh' : 'relu' },
    },
  };
};

const bertLayer = (names: readonly string[]): Shapes => ({
  ...Object.fromEntries(names.map((name) => [`attention.self.${name}`, square])),
  'attention.output.dense': square,
  'attention.output.LayerNorm': [8],
  'intermediate.dense': [20, 8],
  'output.dense': [8, 20],
  'output.LayerNorm': [8],
});
const bertShapes = (prefix: string, names: readonly string[]): Shapes => ({
  [`${prefix}.embeddings.word_embeddings.weight`]: [12, 8],
  ...both({ [`${prefix}.embeddings.LayerNorm`]: [8] }),
  ...twice(
    both(
      Object.fromEntries(
        Object.entries(bertLayer(names)).map(([name, shape]) => [
          `${prefix}.encoder.layer.N.${name}`,
          shape,
        ]),
      ),
    ),
  ),
});
const bertHead = {
  'cls.predictions.bias': [12],
  ...both({
    'cls.predictions.transform.dense': square,
    'cls.predictions.transform.LayerNorm': [8],
  }),
};

/** T5, BERT, DeBERTa. */
export const encoderSamples: readonly FamilySample[] = [
  ofT5('t5', false, false),
  ofT5('mt5', true, false),
  ofT5('umt5', true, true),
  {
    name: 'bert',
    config: { model_type: 'bert', ...usual },
    shapes: {
      ...bertShapes('bert', ['query', 'key', 'value']),
      'bert.embeddings.position_embeddings.weight': [64, 8],
      'bert.embeddings.token_type_embeddings.weight': [2, 8],
      ...bertHead,
    },
    ignored: { 'bert.embeddings.position_ids': [1, 64], 'bert.pooler.dense.weight': square },
    engine: { 'head.transform.weight': [8, 8], 'head.norm.bias': [8], 'head.bias': [12] },
    spec: { encoder: { causal: false, normPlacement: 'post', normEpsilon: 1e-12 } },
  },
  {
    name: 'a bare bert',
    config: { model_type: 'bert', ...usual },
    shapes: {
      ...Object.fromEntries(
        Object.entries(bertShapes('bert', ['query', 'key', 'value'])).map(([name, shape]) => [
          name
            .replace('bert.', '')
            .replace(/LayerNorm\.(weight|bias)$/, (_, part) =>
              part === 'weight' ? 'LayerNorm.gamma' : 'LayerNorm.beta',
            ),
          shape,
        ]),
      ),
      'embeddings.position_embeddings.weight': [64, 8],
      'embeddings.token_type_embeddings.weight': [2, 8],
    },
    engine: { 'embedding.norm.weight': [8] },
    spec: { hiddenOnly: true },
  },
  ...[true, false].map((shared): FamilySample => ({
    name: shared ? 'deberta' : 'deberta with projections of its own',
    config: {
      model_type: 'deberta-v2',
      ...usual,
      relative_attention: true,
      position_buckets: 4,
      pos_att_type: ['c2p', 'p2c'],
      norm_rel_ebd: 'layer_norm',
      share_att_key: shared,
      position_biased_input: false,
      type_vocab_size: 0,
    },
    shapes: {
      ...bertShapes('deberta', ['query_proj', 'key_proj', 'value_proj']),
      'deberta.encoder.rel_embeddings.weight': [8, 8],
      ...both({ 'deberta.encoder.LayerNorm': [8] }),
      ...(shared
        ? {}
        : twice(
            both({
              'deberta.encoder.layer.N.attention.self.pos_key_proj': square,
              'deberta.encoder.layer.N.attention.self.pos_query_proj': square,
            }),
          )),
      ...both({
        'lm_predictions.lm_head.dense': square,
        'lm_predictions.lm_head.LayerNorm': [8],
      }),
      'lm_predictions.lm_head.bias': [12],
    },
    ignored: { 'mask_predictions.dense.weight': square },
    engine: { 'encoder.relative.weight': [8, 8], 'encoder.relative.norm.bias': [8] },
    spec: {
      encoder: {
        attentionScale: 1 / Math.sqrt(12),
        layers: Array.from({ length: 2 }, (_, n) => ({
          encodings: [
            {
              name: 'deberta',
              options: { heads: 2, headDim: 4, maxDistance: 64, buckets: 4, clamp: 'row' },
              tensors: {
                keys: {
                  tensor: 'encoder.relative.weight',
                  norm: 'encoder.relative.norm',
                  projection: `encoder.${n}.attention.${shared ? 'key' : 'relative_key'}`,
                },
              },
            },
          ],
        })),
      },
    },
  })),
];

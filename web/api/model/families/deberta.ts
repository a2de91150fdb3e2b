import type { Disentangled } from '../../inspect/plan.js';
import { limits } from '../../inspect/limits.js';
import type { EncodingSpec, EncodingTensor } from '../spec.js';
import { addHead, addLayers, hasHead } from './bert.js';
import { readLayers, readScale } from './positions.js';
import {
  only,
  readActivation,
  readEpsilon,
  readHidden,
  readSizes,
  readVocabulary,
  unsupported,
} from './read.js';
import { Rules } from './rules.js';
import { plainDecoder, plainModel } from './stacks.js';
import type { Blueprint, ModelFamily, Reading } from './types.js';

/**
 * DeBERTa v2 and v3: content meets relative positions, whose vectors all layers share and each projects.
 * The head of a masked language model is BERT's, or the one of the authors' files.
 */
export const debertaFamily: ModelFamily = {
  types: ['deberta-v2'],
  prefixes: ['deberta.'],
  ignored: /^(embeddings\.position_ids$|pooler\.|mask_predictions\.)/,
  read,
};

function read(reading: Reading): Blueprint {
  const { fields, plan } = reading;
  const { layers, width, heads, headDim } = readSizes(reading);
  only(fields, { conv_kernel_size: [0], embedding_size: [width] });
  const vocabulary = readVocabulary(reading, 'embeddings.word_embeddings.weight');
  const types = fields.integer('type_vocab_size', { ...limits.hiddenSize, low: 0 }) ?? 0;
  const up = 'encoder.layer.0.intermediate.dense.weight';
  const hidden = readHidden(reading, ['intermediate_size'], up);
  const rules = new Rules();
  rules.tensor('embedding.weight', 'embeddings.word_embeddings.weight', [vocabulary, width]);
  if (fields.flag('position_biased_input') ?? true) {
    const rows = plan.trainedLength ?? 512;
    const places = 'embeddings.position_embeddings.weight';
    rules.tensor('embedding.position.weight', places, [rows, width]);
  }
  if (types > 0) {
    const kinds = 'embeddings.token_type_embeddings.weight';
    rules.tensor('embedding.type.weight', kinds, [types, width]);
  }
  rules.norm('embedding.norm', 'embeddings.LayerNorm', width, 'layer');
  const names = { query: 'query_proj', key: 'key_proj', value: 'value_proj' };
  addLayers(rules, layers, [width, hidden], names);
  const relative = new Relative(reading, rules, { heads, headDim, width });
  const specs = readLayers(reading, layers, 0, ({ disentangled }, n) =>
    disentangled === null ? null : [relative.layer(disentangled, n)],
  );
  const head = addEitherHead(reading, rules, [vocabulary, width]);
  return {
    rules: rules.list,
    unused: [
      'cls.predictions.decoder.weight',
      'cls.predictions.decoder.bias',
      ...(specs[0]?.encodings.length === 0 ? ['encoder.rel_embeddings.weight'] : []),
    ],
    spec: {
      ...plainModel,
      vocabulary,
      width,
      ...(head ? {} : { hiddenOnly: true }),
      encoder: {
        ...plainDecoder,
        causal: false,
        normPlacement: 'post',
        layers: specs,
        heads,
        kvHeads: heads,
        headDim,
        hidden,
        normEpsilon: readEpsilon(reading, 'layer_norm_eps', 1e-7),
        activation: readActivation(reading, ['hidden_act'], 'gelu'),
        attentionScale: readScale(reading),
      },
    },
  };
}

function addEitherHead(
  reading: Reading,
  rules: Rules,
  [vocabulary, width]: readonly [number, number],
): boolean {
  if (hasHead(reading)) {
    addHead(rules, [vocabulary, width]);
    return true;
  }
  const own = 'lm_predictions.lm_head';
  if (reading.shapeOf(`${own}.bias`) === undefined) return false;
  rules.linear('head.transform', `${own}.dense`, [width, width], { bias: true });
  rules.norm('head.norm', `${own}.LayerNorm`, width, 'layer');
  rules.tensor('head.bias', `${own}.bias`, [vocabulary]);
  return true;
}

/** The shared vectors of relative positions, and what each layer makes of them. */
class Relative {
  private readonly reading: Reading;
  private readonly rules: Rules;
  private readonly sizes: { heads: number; headDim: number; width: number };
  private readonly shared: boolean;
  private readonly normed: boolean;

  constructor(
    reading: Reading,
    rules: Rules,
    sizes: { heads: number; headDim: number; width: number },
  ) {
    this.reading = reading;
    this.rules = rules;
    this.sizes = sizes;
    const { fields } = reading;
    this.shared = fields.flag('share_att_key') ?? false;
    const norm = fields.value('norm_rel_ebd') ?? 'none';
    if (norm !== 'none' && norm !== 'layer_norm') {
      throw unsupported(fields.at('norm_rel_ebd'), norm, '"none" or "layer_norm"');
    }
    this.normed = norm === 'layer_norm';
  }

  layer({ terms, maxDistance, buckets }: Disentangled, n: number): EncodingSpec {
    const { fields } = this.reading;
    const { heads, headDim } = this.sizes;
    if (terms.includes('p2p')) {
      throw unsupported(fields.at('pos_att_type'), 'p2p', 'c2p and p2c');
    }
    if (n === 0) this.addTable(buckets ?? maxDistance);
    const [c2p, p2c] = [terms.includes('c2p'), terms.includes('p2c')];
    const options = {
      heads,
      headDim,
      maxDistance,
      buckets: buckets ?? 0,
      c2p,
      p2c,
      p2p: false,
      clamp: 'row',
    };
    const tensors = {
      ...(c2p ? { keys: this.projected('key', n) } : {}),
      ...(p2c ? { queries: this.projected('query', n) } : {}),
    };
    return { name: 'deberta', options, tensors };
  }

  private addTable(span: number): void {
    const { width } = this.sizes;
    const rows = 'encoder.rel_embeddings.weight';
    this.rules.tensor('encoder.relative.weight', rows, [2 * span, width]);
    if (this.normed) {
      this.rules.norm('encoder.relative.norm', 'encoder.LayerNorm', width, 'layer');
    }
  }

  private projected(side: 'key' | 'query', n: number): EncodingTensor {
    const { width } = this.sizes;
    const own = `encoder.${n}.attention.relative_${side}`;
    if (!this.shared) {
      const from = `encoder.layer.${n}.attention.self.pos_${side}_proj`;
      this.rules.linear(own, from, [width, width], { bias: true });
    }
    return {
      tensor: 'encoder.relative.weight',
      ...(this.normed ? { norm: 'encoder.relative.norm' } : {}),
      projection: this.shared ? `encoder.${n}.attention.${side}` : own,
    };
  }
}

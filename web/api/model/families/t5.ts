import type { LayerGroup } from '../../inspect/plan.js';
import { limits } from '../../inspect/limits.js';
import type { EncodingSpec, LayerSpec, StackSpec } from '../spec.js';
import { readLayers } from './positions.js';
import {
  activationOf,
  only,
  readEpsilon,
  readHidden,
  readSizes,
  readTied,
  readVocabulary,
} from './read.js';
import { Rules } from './rules.js';
import type { Blueprint, ModelFamily, Reading } from './types.js';

/**
 * T5, mT5, UMT5: an encoder and a decoder, biases by bucket of distance from a table of the first layer
 * (UMT5: of each layer), q·k without scale, no biases of layers.
 */
export const t5Family: ModelFamily = {
  types: ['t5', 'mt5', 'umt5'],
  prefixes: [],
  // The first files of T5 have a table of the cross attention that no code reads.
  ignored:
    /^(encoder|decoder)\.embed_tokens\.weight$|\.EncDecAttention\.relative_attention_bias\.weight$/,
  read,
};

function read(reading: Reading): Blueprint {
  const { fields, modelType } = reading;
  only(fields, { is_encoder_decoder: [true], is_decoder: [false] });
  const { width, heads, headDim } = readSizes(reading);
  const encoders = fields.integers(['num_layers', 'num_hidden_layers'], limits.layers)[0]?.value;
  const first = encoders ?? firstOfDecoder(reading);
  const second = fields.integer('num_decoder_layers', limits.layers) ?? first;
  const vocabulary = readVocabulary(reading, 'shared.weight');
  const { activation, gated } = readMlp(reading);
  const up = `encoder.block.0.layer.1.DenseReluDense.${gated ? 'wi_1' : 'wi'}.weight`;
  const hidden = readHidden(reading, ['d_ff'], up);
  const tied = readTied(reading, 'lm_head.weight', true);
  const perLayer = modelType === 'umt5';
  const sizes = { width, inner: heads * headDim, hidden };
  const rules = new Rules();
  rules.words(['shared', 'lm_head'], tied, [vocabulary, width]);
  addStack(rules, 'encoder', first, sizes, gated);
  addStack(rules, 'decoder', second, sizes, gated);
  const layersOf = (side: 'encoder' | 'decoder', count: number, start: number): LayerSpec[] =>
    readLayers(reading, count, start, (group, n) => {
      const table = perLayer ? `${side}.${n}.attention.relative.weight` : `${side}.relative.weight`;
      const from = `${side}.block.${perLayer ? n : 0}.layer.0.SelfAttention.relative_attention_bias`;
      if (perLayer || n === 0) {
        rules.tensor(table, `${from}.weight`, [group.buckets!.count, heads]);
      }
      return [bucketed(group, heads, table)];
    });
  const shared = {
    heads,
    kvHeads: heads,
    headDim,
    hidden,
    norm: 'rms',
    normEpsilon: readEpsilon(reading, 'layer_norm_epsilon', 1e-6),
    normPlacement: 'pre',
    parallel: false,
    activation,
    gated,
    queryKeyNorm: false,
    attentionScale: 1,
  } as const satisfies Partial<StackSpec>;
  const encoder = layersOf('encoder', first, 0);
  const decoder = layersOf('decoder', second, first);
  return {
    rules: rules.list,
    unused: rules.unused,
    spec: {
      vocabulary,
      width,
      embeddingScale: 1,
      positionOffset: 0,
      logitScale: tied ? 1 / Math.sqrt(width) : 1,
      encoder: { ...shared, causal: false, cross: false, layers: encoder },
      decoder: { ...shared, causal: true, cross: true, layers: decoder },
    },
  };
}

/** Layers of the encoder, in a config that does not tell: all that come before the decoder's. */
const firstOfDecoder = ({ plan }: Reading): number =>
  plan.layerGroups.find(({ layerType }) => layerType === 'encoder')?.layers.length ?? 1;

/** `relu`, `gated-gelu` …; the gelu of gated layers is the one by tanh. */
function readMlp({ fields }: Reading): { activation: StackSpec['activation']; gated: boolean } {
  const given = fields.name('feed_forward_proj') ?? 'relu';
  const gated = given.startsWith('gated-');
  const name = given === 'gated-gelu' ? 'gelu_new' : given.replace(/^gated-/, '');
  return { gated, activation: activationOf(name, fields.at('feed_forward_proj')) };
}

function bucketed({ buckets }: LayerGroup, heads: number, tensor: string): EncodingSpec {
  const { count, maxDistance, bidirectional } = buckets!;
  const options = { heads, buckets: count, maxDistance, bidirectional };
  return { name: 't5', options, tensors: { table: { tensor } } };
}

function addStack(
  rules: Rules,
  side: 'encoder' | 'decoder',
  layers: number,
  { width, inner, hidden }: { width: number; inner: number; hidden: number },
  gated: boolean,
): void {
  const attention = (to: string, from: string, name: string): void => {
    rules.norm(`${to}.norm`, `${from}.layer_norm`, width, 'rms');
    for (const part of ['query', 'key', 'value'] as const) {
      rules.linear(`${to}.${part}`, `${from}.${name}.${part[0]}`, [inner, width]);
    }
    rules.linear(`${to}.output`, `${from}.${name}.o`, [width, inner]);
  };
  for (let n = 0; n < layers; n++) {
    const [to, from] = [`${side}.${n}`, `${side}.block.${n}.layer`];
    attention(`${to}.attention`, `${from}.0`, 'SelfAttention');
    if (side === 'decoder') attention(`${to}.cross`, `${from}.1`, 'EncDecAttention');
    const mlp = `${from}.${side === 'decoder' ? 2 : 1}`;
    rules.norm(`${to}.mlp.norm`, `${mlp}.layer_norm`, width, 'rms');
    const dense = `${mlp}.DenseReluDense`;
    if (gated) rules.linear(`${to}.mlp.gate`, `${dense}.wi_0`, [hidden, width]);
    rules.linear(`${to}.mlp.up`, `${dense}.${gated ? 'wi_1' : 'wi'}`, [hidden, width]);
    rules.linear(`${to}.mlp.down`, `${dense}.wo`, [width, hidden]);
  }
  rules.norm(`${side}.norm`, `${side}.final_layer_norm`, width, 'rms');
}

import { readLayers, readScale } from './positions.js';
import {
  only,
  readActivation,
  readEpsilon,
  readHidden,
  readSizes,
  readTied,
  readVocabulary,
} from './read.js';
import { Rules } from './rules.js';
import type { Blueprint, ModelFamily, Reading } from './types.js';

/** Which projections of attention have a bias, and what norms queries and keys have. */
interface Traits {
  /** Biases of queries, keys and values, and of the output. */
  readonly biases: (reading: Reading) => readonly [boolean, boolean];
  readonly queryKeyNorm: boolean;
  readonly epsilon: number;
  readonly tied: boolean;
}

const llama: Traits = {
  biases: ({ fields }) => {
    const bias = fields.flag('attention_bias') ?? false;
    return [bias, bias];
  },
  queryKeyNorm: false,
  epsilon: 1e-6,
  tied: false,
};

/** Facts: modeling_*.py of each type in transformers 5; MiniMind: its model_minimind.py. */
const traits: Readonly<Record<string, Traits>> = {
  llama,
  mistral: { ...llama, biases: () => [false, false] },
  qwen2: { ...llama, biases: () => [true, false] },
  qwen3: { ...llama, queryKeyNorm: true },
  smollm3: { ...llama, tied: true },
  minimind: { ...llama, biases: () => [false, false], epsilon: 1e-5, tied: true },
};

/** Llama, and those that differ from it by biases or norms of queries and keys. */
export const llamaFamily: ModelFamily = {
  types: Object.keys(traits),
  prefixes: ['model.'],
  ignored: /(^|\.)(rotary_emb\.inv_freq|freqs_cos|freqs_sin|pos_cis)$/,
  read,
};

function read(reading: Reading): Blueprint {
  const { fields, modelType } = reading;
  const own = traits[modelType]!;
  only(fields, { use_moe: [false], use_qk_norm: [false] });
  const { layers, width, heads, kvHeads, headDim } = readSizes(reading);
  const vocabulary = readVocabulary(reading, 'embed_tokens.weight');
  const hidden = readHidden(reading, ['intermediate_size'], 'layers.0.mlp.up_proj.weight');
  const tied = readTied(reading, 'lm_head.weight', own.tied);
  const mlpBias = { bias: fields.flag('mlp_bias') ?? false };
  const [bias, outputBias] = own.biases(reading);
  const rules = new Rules();
  rules.words(['embed_tokens', 'lm_head'], tied, [vocabulary, width]);
  for (let n = 0; n < layers; n++) {
    const [to, from] = [`decoder.${n}`, `layers.${n}`];
    const attention = (part: string): string => `${to}.attention.${part}`;
    const projection = (part: string): string => `${from}.self_attn.${part}_proj`;
    rules.norm(attention('norm'), `${from}.input_layernorm`, width, 'rms');
    rules.linear(attention('query'), projection('q'), [heads * headDim, width], { bias });
    rules.linear(attention('key'), projection('k'), [kvHeads * headDim, width], { bias });
    rules.linear(attention('value'), projection('v'), [kvHeads * headDim, width], { bias });
    rules.linear(attention('output'), projection('o'), [width, heads * headDim], {
      bias: outputBias,
    });
    if (own.queryKeyNorm) {
      rules.norm(attention('query_norm'), `${from}.self_attn.q_norm`, headDim, 'rms');
      rules.norm(attention('key_norm'), `${from}.self_attn.k_norm`, headDim, 'rms');
    }
    rules.norm(`${to}.mlp.norm`, `${from}.post_attention_layernorm`, width, 'rms');
    rules.linear(`${to}.mlp.gate`, `${from}.mlp.gate_proj`, [hidden, width], mlpBias);
    rules.linear(`${to}.mlp.up`, `${from}.mlp.up_proj`, [hidden, width], mlpBias);
    rules.linear(`${to}.mlp.down`, `${from}.mlp.down_proj`, [width, hidden], mlpBias);
  }
  rules.norm('decoder.norm', 'norm', width, 'rms');
  return {
    rules: rules.list,
    unused: rules.unused,
    spec: {
      vocabulary,
      width,
      embeddingScale: 1,
      positionOffset: 0,
      logitScale: 1,
      decoder: {
        causal: true,
        cross: false,
        layers: readLayers(reading, layers),
        heads,
        kvHeads,
        headDim,
        hidden,
        norm: 'rms',
        normEpsilon: readEpsilon(reading, 'rms_norm_eps', own.epsilon),
        normPlacement: 'pre',
        parallel: false,
        activation: readActivation(reading, ['hidden_act'], 'silu'),
        gated: true,
        queryKeyNorm: own.queryKeyNorm,
        attentionScale: readScale(reading),
      },
    },
  };
}

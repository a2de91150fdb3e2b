import type { StackSpec } from '../spec.js';
import { readLayers, readScale } from './positions.js';
import {
  only,
  readActivation,
  readCap,
  readEpsilon,
  readHidden,
  readSizes,
  readTied,
  readVocabulary,
} from './read.js';
import { Rules } from './rules.js';
import type { Blueprint, ModelFamily, Reading } from './types.js';

/** What sets the three generations apart. Facts: their classes in transformers 5. */
interface Traits {
  /** Norms before and after each sublayer. */
  readonly sandwich: boolean;
  readonly queryKeyNorm: boolean;
  /** Softcaps of a silent config: of attention and of the logits. */
  readonly softcaps: readonly [number, number] | null;
}

const gemma: Traits = {
  sandwich: false,
  queryKeyNorm: false,
  softcaps: null,
};
const gemma2: Traits = { ...gemma, sandwich: true, softcaps: [50, 30] };
const gemma3: Traits = { ...gemma2, queryKeyNorm: true, softcaps: null };

const traits: Readonly<Record<string, Traits>> = {
  gemma,
  gemma2,
  gemma3,
  gemma3_text: gemma3,
};

/** Gemma 1 to 3, the text part: norms stored less 1, embeddings times √width, heads of their own width. */
export const gemmaFamily: ModelFamily = {
  types: Object.keys(traits),
  prefixes: ['model.', 'language_model.model.', 'model.language_model.', 'language_model.'],
  ignored:
    /(^|\.)(rotary_emb(_local)?\.inv_freq|embed_tokens\.embed_scale)$|(^|\.)(vision_tower|multi_modal_projector)\./,
  read,
};

function read(reading: Reading): Blueprint {
  const { fields, modelType } = reading;
  const own = traits[modelType]!;
  only(fields, { use_bidirectional_attention: [false], attention_bias: [false] });
  const { layers, width, heads, kvHeads, headDim } = readSizes(reading);
  const vocabulary = readVocabulary(reading, 'embed_tokens.weight');
  const hidden = readHidden(reading, ['intermediate_size'], 'layers.0.mlp.up_proj.weight');
  const tied = readTied(reading, 'lm_head.weight', true);
  const rules = new Rules();
  const norm = (name: string, from: string, size = width): void =>
    rules.norm(name, from, size, 'rms', 1);
  rules.words(['embed_tokens', 'lm_head'], tied, [vocabulary, width]);
  for (let n = 0; n < layers; n++) {
    const [to, from] = [`decoder.${n}`, `layers.${n}`];
    const projection = (part: string): string => `${from}.self_attn.${part}_proj`;
    const [queries, keys] = [heads * headDim, kvHeads * headDim];
    norm(`${to}.attention.norm`, `${from}.input_layernorm`);
    rules.linear(`${to}.attention.query`, projection('q'), [queries, width]);
    rules.linear(`${to}.attention.key`, projection('k'), [keys, width]);
    rules.linear(`${to}.attention.value`, projection('v'), [keys, width]);
    rules.linear(`${to}.attention.output`, projection('o'), [width, queries]);
    if (own.queryKeyNorm) {
      norm(`${to}.attention.query_norm`, `${from}.self_attn.q_norm`, headDim);
      norm(`${to}.attention.key_norm`, `${from}.self_attn.k_norm`, headDim);
    }
    if (own.sandwich) {
      norm(`${to}.attention.post_norm`, `${from}.post_attention_layernorm`);
      norm(`${to}.mlp.norm`, `${from}.pre_feedforward_layernorm`);
      norm(`${to}.mlp.post_norm`, `${from}.post_feedforward_layernorm`);
    } else {
      norm(`${to}.mlp.norm`, `${from}.post_attention_layernorm`);
    }
    rules.linear(`${to}.mlp.gate`, `${from}.mlp.gate_proj`, [hidden, width]);
    rules.linear(`${to}.mlp.up`, `${from}.mlp.up_proj`, [hidden, width]);
    rules.linear(`${to}.mlp.down`, `${from}.mlp.down_proj`, [width, hidden]);
  }
  norm('decoder.norm', 'norm');
  const capped = modelType !== 'gemma';
  const cap = capped ? readCap(reading, 'attn_logit_softcapping', own.softcaps?.[0] ?? null) : null;
  const logitSoftcap = capped
    ? readCap(reading, 'final_logit_softcapping', own.softcaps?.[1] ?? null)
    : null;
  return {
    rules: rules.list,
    unused: rules.unused,
    spec: {
      vocabulary,
      width,
      // Hugging Face rounds it to the type of the weights; for float32, which this engine runs, as here.
      embeddingScale: Math.fround(Math.sqrt(width)),
      positionOffset: 0,
      logitScale: 1,
      ...(logitSoftcap === null ? {} : { logitSoftcap }),
      decoder: {
        causal: true,
        cross: false,
        layers: readLayers(reading, layers),
        heads,
        kvHeads,
        headDim,
        hidden,
        norm: 'rms',
        normEpsilon: readEpsilon(reading, 'rms_norm_eps', 1e-6),
        normPlacement: own.sandwich ? 'both' : 'pre',
        parallel: false,
        activation: activation(reading),
        gated: true,
        queryKeyNorm: own.queryKeyNorm,
        attentionScale: readScale(reading),
        ...(cap === null ? {} : { attentionSoftcap: cap }),
      },
    },
  };
}

/** Gelu by tanh, also where `hidden_act` of the first configs says `gelu`, which no code follows. */
function activation(reading: Reading): StackSpec['activation'] {
  const found = readActivation(reading, ['hidden_activation', 'hidden_act'], 'gelu_pytorch_tanh');
  return found === 'gelu' && !reading.fields.has('hidden_activation') ? 'gelu-tanh' : found;
}

import { wrong } from '../../check.js';
import { convertProjection } from '../../layout/permute.js';
import { openBytes } from '../bytes/open.js';
import type { ByteInput, ByteOptions } from '../bytes/types.js';
import { decode } from '../weights/dtype.js';
import type { WeightInfo, Weights } from '../weights/types.js';
import { broken, headerBytes, readSizes } from './header.js';
import type { Llama2cSizes } from './header.js';

/** A llama2.c checkpoint as the Hugging Face model that it is the same as. */
export interface Llama2c {
  /** What its config.json would say. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Its tensors by their names there. */
  readonly weights: Weights;
}

/** A tensor in the file. */
interface Located extends WeightInfo {
  readonly offset: number;
  /** Heads whose pairs change from neighbours to halves; 0 = the tensor stays as it is. */
  readonly turning: number;
}

/**
 * Opens a checkpoint of llama2.c (`stories15M.bin` …; float32, version 0). Queries and keys, whose pairs
 * are neighbours there, come as halves like those of Hugging Face, so that the family `llama` reads both.
 *
 * @throws PosencError `config` where sizes make no sense or do not give the length of the file
 */
export async function readLlama2c(input: ByteInput, options?: ByteOptions): Promise<Llama2c> {
  const source = await openBytes(input, options);
  try {
    const { name, size } = source;
    if (size < headerBytes) throw broken(name, `it has ${size} bytes, needs a header of 28`);
    const sizes = readSizes(await source.read(0, headerBytes), name);
    const { tensors, end } = locate(sizes);
    if (end !== size) throw broken(name, `it has ${size} bytes, its sizes need ${end}`);
    const weights: Weights = {
      tensors,
      metadata: {},
      async read(tensor) {
        const found = tensors.get(tensor);
        if (found === undefined) throw wrong('option', 'name', tensor, 'the name of a tensor');
        const { shape, offset, turning } = found;
        const bytes = await source.read(offset, 4 * product(shape));
        const data = decode(bytes, 'F32', source.fresh);
        if (turning === 0) return data;
        const { headDim, width: inFeatures } = sizes;
        const to = { from: 'interleaved', to: 'half', headDim, inFeatures } as const;
        return convertProjection(data, { ...to, heads: turning });
      },
      close: () => source.close(),
    };
    return { config: configOf(sizes), weights };
  } catch (problem) {
    await source.close();
    throw problem;
  }
}

const product = (shape: readonly number[]): number => shape.reduce((all, n) => all * n, 1);

/** Where tensors lie: kind by kind, each with all layers (run.c, `memory_map_weights`). */
function locate(sizes: Llama2cSizes): { tensors: Map<string, Located>; end: number } {
  const { width, hidden, layers, heads, kvHeads, headDim, vocabulary, tied, length } = sizes;
  const tensors = new Map<string, Located>();
  let end = headerBytes;
  const add = (name: string, shape: readonly number[], turning = 0): void => {
    tensors.set(name, { dtype: 'F32', shape, offset: end, turning });
    end += 4 * product(shape);
  };
  const each = (name: string, shape: readonly number[], turning = 0): void => {
    for (let n = 0; n < layers; n++) add(`model.layers.${n}.${name}.weight`, shape, turning);
  };
  add('model.embed_tokens.weight', [vocabulary, width]);
  each('input_layernorm', [width]);
  each('self_attn.q_proj', [heads * headDim, width], heads);
  each('self_attn.k_proj', [kvHeads * headDim, width], kvHeads);
  each('self_attn.v_proj', [kvHeads * headDim, width]);
  each('self_attn.o_proj', [width, heads * headDim]);
  each('post_attention_layernorm', [width]);
  each('mlp.gate_proj', [hidden, width]);
  each('mlp.down_proj', [width, hidden]);
  each('mlp.up_proj', [hidden, width]);
  add('model.norm.weight', [width]);
  end += 4 * length * headDim; // tables of cosines and sines, of which the engine makes its own
  if (!tied) add('lm_head.weight', [vocabulary, width]);
  return { tensors, end };
}

const configOf = (sizes: Llama2cSizes): Readonly<Record<string, unknown>> => ({
  model_type: 'llama',
  hidden_act: 'silu',
  hidden_size: sizes.width,
  intermediate_size: sizes.hidden,
  num_hidden_layers: sizes.layers,
  num_attention_heads: sizes.heads,
  num_key_value_heads: sizes.kvHeads,
  head_dim: sizes.headDim,
  max_position_embeddings: sizes.length,
  rms_norm_eps: 1e-5,
  rope_theta: 10000,
  tie_word_embeddings: sizes.tied,
  vocab_size: sizes.vocabulary,
  bos_token_id: 1,
  eos_token_id: 2,
});

/** The models of the lab: new ones, and those of a saved run. */
import { wrong } from '../check.js';
import type { LanguageModel, LogitsOptions } from '../model/types.js';
import type { Tokenizer } from '../model/tokenizers/types.js';
import type { Weights } from '../model/weights/types.js';
import { readSafetensors } from '../model/weights/read.js';
import type { Posenc } from '../types.js';
import { isUnscaled, makePositions, type LabPositions } from './encodings.js';
import { ownEncodings, type FullRecipe } from './recipe.js';
import type { SavedRun } from './saved.js';

/** A model with its positions; `positions` is absent where they are the family's own. */
export interface LabModel {
  readonly model: LanguageModel;
  readonly positions: LabPositions | undefined;
}

/** What a model is made for. */
export interface ModelNeeds {
  readonly vocabulary: number;
  /** Tokens of the longest sequence that it is trained with, and that it will ever see. */
  readonly trained: number;
  readonly longest: number;
  readonly tokenizer?: Tokenizer;
}

/** The config.json of a recipe's model. */
export function configOf(recipe: FullRecipe, needs: ModelNeeds): Record<string, unknown> {
  const { family, width, layers, heads, hidden } = recipe;
  const { scaling } = recipe;
  const stretched =
    scaling === null
      ? {}
      : {
          rope_scaling: {
            rope_type: scaling.type,
            factor: scaling.factor,
            original_max_position_embeddings: scaling.originalLength,
          },
        };
  // Dynamic NTK takes this for the length that was trained before, and no other setting.
  const length = scaling?.type === 'dynamic' ? scaling.originalLength : needs.trained;
  const words = { vocab_size: needs.vocabulary, tie_word_embeddings: true };
  switch (family) {
    case 'llama':
      return {
        architectures: ['LlamaForCausalLM'],
        ...{ model_type: family, hidden_size: width, intermediate_size: hidden },
        ...{ num_hidden_layers: layers, num_attention_heads: heads, num_key_value_heads: heads },
        ...{ max_position_embeddings: length, rope_theta: 10000, rms_norm_eps: 1e-5 },
        ...{ hidden_act: 'silu', ...words, ...stretched },
      };
    case 'gpt_neox':
      return {
        architectures: ['GPTNeoXForCausalLM'],
        ...{ model_type: family, hidden_size: width, intermediate_size: hidden },
        ...{ num_hidden_layers: layers, num_attention_heads: heads },
        ...{ max_position_embeddings: length, rotary_pct: 1, rotary_emb_base: 10000 },
        ...{ use_parallel_residual: false, layer_norm_eps: 1e-5, hidden_act: 'gelu_new' },
        ...words,
        ...stretched,
      };
    case 'gpt2':
      return {
        architectures: ['GPT2LMHeadModel'],
        ...{ model_type: family, n_embd: width, n_inner: hidden, n_layer: layers, n_head: heads },
        ...{ n_positions: needs.longest, layer_norm_epsilon: 1e-5 },
        ...{ activation_function: 'gelu_new', ...words },
      };
    case 'bloom':
      return {
        architectures: ['BloomForCausalLM'],
        ...{ model_type: family, hidden_size: width, n_layer: layers, n_head: heads },
        ...{ layer_norm_epsilon: 1e-5, ...words },
      };
  }
}

/** The options by which a model takes the positions of the lab. */
export function positionOptions(positions: LabPositions | undefined): PositionOptions {
  if (positions === undefined) return {};
  const { encoding, embedding } = positions;
  return embedding === undefined ? { encoding } : { encoding, embedding };
}

export type PositionOptions = Pick<LogitsOptions, 'encoding' | 'embedding'>;

/** Frees a model and its tables. */
export function disposeModel({ model, positions }: LabModel): void {
  model.dispose();
  for (const tensor of positions?.tensors.values() ?? []) tensor.dispose();
}

/** Makes the model of a recipe, of random weights or of those of a saved run. */
export async function makeModel(
  pe: Posenc,
  recipe: FullRecipe,
  needs: ModelNeeds,
  saved?: SavedRun,
): Promise<LabModel> {
  if (typeof (pe as Partial<Posenc> | undefined)?.createModel !== 'function') {
    throw wrong('argument', 'pe', pe, 'a loaded module');
  }
  const config = configOf(recipe, needs);
  const { family, encoding, width, layers, heads, seed } = recipe;
  const tokenizer = needs.tokenizer === undefined ? {} : { tokenizer: needs.tokenizer };
  const model =
    saved === undefined
      ? await newModel(pe, config, recipe, tokenizer)
      : await pe.loadModel({ config, weights: saved.weights, ...tokenizer });
  if (ownEncodings[family] === encoding) return { model, positions: undefined };
  const sizes = { width, heads, headDim: width / heads, layers, longest: needs.longest };
  const given = saved === undefined ? {} : { given: saved.tables };
  // Another stream than that of the model's own weights.
  try {
    const positions = makePositions(pe, encoding, sizes, { seed: 2 ** 32 + seed, ...given });
    return { model, positions };
  } catch (problem) {
    model.dispose();
    throw problem;
  }
}

/** A model of random weights; queries begin smaller where nothing divides scores by √headDim. */
async function newModel(
  pe: Posenc,
  config: Record<string, unknown>,
  { encoding, seed, width, heads }: FullRecipe,
  tokenizer: { readonly tokenizer?: Tokenizer },
): Promise<LanguageModel> {
  const made = await pe.createModel({ config, seed, ...tokenizer });
  if (!isUnscaled(encoding)) return made;
  const bytes = made.export().weights;
  made.dispose();
  const weights = await readSafetensors(bytes);
  const smaller: Weights = {
    ...weights,
    async read(name) {
      const data = await weights.read(name);
      return /\.q_proj\.weight$/.test(name) ? data.map((x) => x / Math.sqrt(width / heads)) : data;
    },
  };
  return pe.loadModel({ config, weights: smaller, ...tokenizer });
}

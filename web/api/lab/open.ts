/** Trained models of the lab at work: without trainer, task or text. */
import { checkOptions, wrong } from '../check.js';
import type { ByteInput } from '../model/bytes/types.js';
import { characterTokenizer, type CharacterTokenizer } from '../model/tokenizers/characters.js';
import type { LanguageModel } from '../model/types.js';
import type { Posenc } from '../types.js';
import { disposeModel, makeModel, positionOptions, type PositionOptions } from './model.js';
import { fillRecipe, type FullRecipe, type Recipe } from './recipe.js';
import { unpackRun } from './saved.js';

/** A model that was trained. Whoever opens it disposes it. */
export interface OpenedModel {
  /** What it was trained by. */
  readonly recipe: FullRecipe;
  /** The model, which `dispose` frees. */
  readonly model: LanguageModel;
  /** What `model.generate`, `logits`, `perplexity` and `trace` take, so that positions are those of its training. */
  readonly options: PositionOptions;
  /** What each id shows. */
  readonly symbols: readonly string[];
  /** Of a model that learned a text. */
  readonly tokenizer: CharacterTokenizer | undefined;
  /** Frees the model and its tables. */
  dispose(): void;
}

/**
 * Opens what `export()` of a run gave.
 *
 * @throws PosencError `config` for other files
 */
export async function openModel(options: {
  /** A loaded module, not the build `lite`. */
  readonly pe: Posenc;
  readonly file: ByteInput;
}): Promise<OpenedModel> {
  const { pe, file } = checkOptions(options, ['pe', 'file'], 'openModel') as typeof options;
  const saved = await unpackRun(file);
  const { recipe, symbols, trained, longest } = saved.run as Exported;
  if (!Array.isArray(symbols)) {
    throw wrong('argument', 'file', file, 'what export() of a run gave; resumeRun reads save()');
  }
  const filled = fillRecipe(recipe);
  const tokenizer = filled.task === 'text' ? characterTokenizer(symbols) : undefined;
  const needs = { vocabulary: symbols.length, trained, longest };
  const made = await makeModel(
    pe,
    filled,
    tokenizer === undefined ? needs : { ...needs, tokenizer },
    saved,
  );
  return {
    recipe: filled,
    model: made.model,
    options: positionOptions(made.positions),
    symbols,
    tokenizer,
    dispose: () => disposeModel(made),
  };
}

/** What an exported file says of itself. */
interface Exported {
  readonly recipe: Recipe;
  readonly symbols: readonly string[];
  readonly trained: number;
  readonly longest: number;
}

/** One run: a model, what it learns, and how well it does at every size. */
import { checkOptions, choice, integer, wrong } from '../check.js';
import { PosencError } from '../error.js';
import { exportedConfig } from '../model/export.js';
import { CheckpointModel } from '../model/language-model.js';
import type { ByteInput } from '../model/bytes/types.js';
import type { LanguageModel } from '../model/types.js';
import type { Trainer } from '../train/types.js';
import type { Posenc } from '../types.js';
import { materialOf, type Material } from './material.js';
import {
  disposeModel,
  makeModel,
  positionOptions,
  type LabModel,
  type PositionOptions,
} from './model.js';
import { fillRecipe, rateAt, type FullRecipe, type Recipe } from './recipe.js';
import { packRun, unpackRun, type SavedRun } from './saved.js';
import { scoreExamples, type Score } from './score.js';

/** Options of {@link startRun}. */
export interface RunOptions {
  /** A loaded module, not the build `lite`. */
  readonly pe: Posenc;
  /** What the run is. */
  readonly recipe: Recipe;
  /** What is learned where the task is `text`. */
  readonly text?: string;
  /**
   * Weights to begin with: what `export()` or `save()` of another run gave, of a model of the same sizes.
   * Its encoding may be another one, so that a model can be tuned to it.
   */
  readonly weights?: ByteInput;
}

/** What a step did. */
export interface StepReport {
  /** 1, 2, … */
  readonly step: number;
  /** Mean cross-entropy of its examples, nats. */
  readonly loss: number;
  /** Learning rate. */
  readonly rate: number;
}

/** A run. Whoever starts it disposes it. */
export interface LabRun {
  /** With everything filled in. */
  readonly recipe: FullRecipe;
  /** Steps so far. */
  readonly steps: number;
  /** Losses of all steps so far. */
  readonly losses: readonly number[];
  /** The model as it is now; the run owns it. */
  readonly model: LanguageModel;
  /** What `model.generate`, `logits` and `trace` take, so that positions are those of the run. */
  readonly options: PositionOptions;
  /** What each id shows. */
  readonly symbols: readonly string[];
  /** Learns once; throws `range` past the last step of the recipe. */
  step(): StepReport;
  /** Tries examples of a size, always the same ones. Default: 64 of them. */
  evaluate(size: number, options?: { readonly examples?: number }): Score;
  /** One file with which `resumeRun` goes on as if nothing had happened. */
  save(): Uint8Array<ArrayBuffer>;
  /** The model as a checkpoint; see {@link LabExport}. */
  export(options?: { readonly dtype?: 'f32' | 'f16' }): LabExport;
  /** Frees the model, the trainer and the tables. */
  dispose(): void;
}

/** A trained model as files. */
export interface LabExport {
  /** For `config.json`. */
  readonly config: Readonly<Record<string, unknown>>;
  /**
   * For `model.safetensors`. Where the encoding is the family's own this is a checkpoint that Hugging
   * Face's libraries read; else tables `posenc.encoding.…` stand beside the weights, and `openModel`
   * reads it.
   */
  readonly weights: Uint8Array<ArrayBuffer>;
  /** Whether other libraries compute the same with it. */
  readonly standard: boolean;
}

/** Starts a run from nothing. */
export async function startRun(options: RunOptions): Promise<LabRun> {
  const given = checkOptions(
    options,
    ['pe', 'recipe', 'text', 'weights'],
    'startRun',
  ) as RunOptions;
  const recipe = fillRecipe(given.recipe);
  const material = materialOf(recipe, given.text);
  const saved = given.weights === undefined ? undefined : await unpackRun(given.weights);
  return open(given.pe, recipe, material, { saved, losses: [] });
}

/** Goes on where `save` was called. `text` is that of the run, if it learns one. */
export async function resumeRun(
  options: Omit<RunOptions, 'recipe' | 'weights'> & { readonly file: ByteInput },
): Promise<LabRun> {
  const { pe, file, text } = checkOptions(
    options,
    ['pe', 'file', 'text'],
    'resumeRun',
  ) as typeof options;
  const saved = await unpackRun(file);
  const { recipe, losses } = saved.run as { recipe: Recipe; losses: number[] };
  const filled = fillRecipe(recipe);
  const material = materialOf(filled, text);
  if (saved.trainer === undefined || !Array.isArray(losses)) {
    throw wrong('argument', 'file', file, 'what save() of a run gave: export() has no optimizer');
  }
  return open(pe, filled, material, { saved, losses, trainer: saved.trainer });
}

/** Makes a run, or leaves nothing behind. */
async function open(
  pe: Posenc,
  recipe: FullRecipe,
  material: Material,
  {
    saved,
    losses,
    trainer,
  }: { saved: SavedRun | undefined; losses: readonly number[]; trainer?: Uint8Array },
): Promise<Run> {
  const made = await makeModel(pe, recipe, material, saved);
  let run: Run | undefined;
  try {
    run = new Run(pe, recipe, material, made, losses);
    if (trainer !== undefined) run.restore(trainer);
    return run;
  } catch (problem) {
    if (run === undefined) disposeModel(made);
    else run.dispose();
    throw problem;
  }
}

class Run implements LabRun {
  readonly recipe: FullRecipe;
  readonly losses: number[];
  readonly symbols: readonly string[];
  readonly #material: Material;
  readonly #made: LabModel;
  readonly #trainer: Trainer;

  constructor(
    pe: Posenc,
    recipe: FullRecipe,
    material: Material,
    made: LabModel,
    losses: readonly number[],
  ) {
    const { rate, decay, clip, dropout, seed } = recipe;
    this.recipe = recipe;
    this.losses = [...losses];
    this.#material = material;
    this.#made = made;
    this.symbols = material.symbols;
    this.#trainer = pe.trainer({
      model: made.model,
      ...this.options,
      rate,
      decay,
      clip,
      dropout,
      seed,
    });
  }

  get steps(): number {
    return this.#trainer.steps;
  }

  get model(): LanguageModel {
    return this.#made.model;
  }

  get options(): PositionOptions {
    return positionOptions(this.#made.positions);
  }

  step(): StepReport {
    const step = this.steps + 1;
    if (step > this.recipe.steps) {
      throw wrong('range', 'step', step, `at most the recipe's ${this.recipe.steps} steps`);
    }
    const rate = rateAt(step, this.recipe);
    const loss = this.#trainer.learn(this.#material.lesson(step));
    if (!Number.isFinite(loss)) {
      throw new PosencError('range', `the loss of step ${step} is ${loss}, needs a finite number`, {
        argument: 'recipe.rate',
        received: String(rate),
        allowed: 'a lower rate',
      });
    }
    this.#trainer.step({ rate });
    this.losses.push(loss);
    return { step, loss, rate };
  }

  evaluate(size: number, options?: { readonly examples?: number }): Score {
    const { examples = 64 } = checkOptions(options, ['examples'], 'evaluate');
    const count = integer(examples, 'examples', 1, 1e5);
    integer(size, 'size', 1, Math.max(this.recipe.train[1], ...this.recipe.test));
    const trials = this.#material.trials(size, count);
    return scoreExamples(this.#made.model, this.options, trials, size);
  }

  save(): Uint8Array<ArrayBuffer> {
    const { recipe, losses } = this;
    return packRun(this.#made, { recipe, losses }, { dtype: 'f32', trainer: this.#trainer.save() });
  }

  restore(trainer: Uint8Array): void {
    this.#trainer.restore(trainer);
  }

  export(options?: { readonly dtype?: 'f32' | 'f16' }): LabExport {
    const given = checkOptions(options, ['dtype'], 'export');
    const dtype = choice(given.dtype, 'dtype', ['f32', 'f16']);
    const { recipe, symbols } = this;
    const { trained, longest } = this.#material;
    const lengths = { trained, longest };
    const inside = CheckpointModel.inside(this.#made.model, 'model');
    return {
      config: exportedConfig(inside, dtype),
      weights: packRun(this.#made, { recipe, symbols, ...lengths }, { dtype }),
      standard: this.#made.positions === undefined,
    };
  }

  dispose(): void {
    this.#trainer.dispose();
    disposeModel(this.#made);
  }
}

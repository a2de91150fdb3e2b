/** What a run is: the task, the encoding, the model's sizes, the optimizer. */
import { between, checkOptions, choice, integer, wrong } from '../check.js';
import { checkLabEncoding, type LabEncodingName } from './encodings.js';
import { taskOf } from './tasks/index.js';

/** Families whose layout a trained model can have; each has an encoding of its own. */
export const labFamilies = ['llama', 'gpt2', 'gpt_neox', 'bloom'] as const;
/** One of {@link labFamilies}. */
export type LabFamily = (typeof labFamilies)[number];

/** The encodings that checkpoints of a family have by themselves. */
export const ownEncodings: Readonly<Record<LabFamily, LabEncodingName>> = {
  llama: 'rope',
  gpt2: 'learned',
  gpt_neox: 'rope',
  bloom: 'alibi',
};

/** What a run is. Everything but the task and the encoding has a default; the same recipe gives the same run. */
export interface Recipe {
  /** Name of one of `tasks`, or `text` to foresee the characters of a text. */
  readonly task: string;
  /** Where tokens are said to stand; `gpt2` takes `learned` alone, `t5` needs `llama`. */
  readonly encoding: LabEncodingName;
  /** Of first weights, examples and trials. 0 … 2^20. Default 0. */
  readonly seed?: number;
  /** How RoPE is stretched, where it is the family's own encoding. Default: not. */
  readonly scaling?: RecipeScaling | null;
  /** Sizes to train at, both ends included. Of `text`: characters, one length. Default: the task's; 64. */
  readonly train?: readonly [low: number, high: number];
  /** Sizes to try. Default: the task's; once, twice, four and eight times the trained length. */
  readonly test?: readonly number[];
  /** Whose layout the model has. Default `llama`: RMSNorm, gated MLP, no biases. */
  readonly family?: LabFamily;
  /** Width of the residual stream, a multiple of 2 · heads. 8 … 1024. Default 64. */
  readonly width?: number;
  /** 1 … 32. Default 2. */
  readonly layers?: number;
  /** 1 … 64. Default 4. */
  readonly heads?: number;
  /** Width of the MLP. Default: 8/3 of the width (gated), else four times. */
  readonly hidden?: number;
  /** Examples of a step. 1 … 4096. Default 64. */
  readonly batch?: number;
  /** 1 … 10,000,000. Default 1500. */
  readonly steps?: number;
  /** Highest learning rate. Default 3e-3. */
  readonly rate?: number;
  /** Steps in which the rate rises from 0; then it falls along a cosine to `floor` times its highest. Default 50. */
  readonly warmup?: number;
  /** 0 … 1. Default 0.1. */
  readonly floor?: number;
  /** Share of the numbers dropped while learning. 0 … 0.95. Default 0. */
  readonly dropout?: number;
  /** Weight decay of matrices. Default 0.1. */
  readonly decay?: number;
  /** Gradients are shortened to this norm. 0 = never. Default 1. */
  readonly clip?: number;
}

/** A rule that stretches RoPE, as `rope_scaling` of a config has it. */
export interface RecipeScaling {
  readonly type: 'linear' | 'dynamic' | 'yarn';
  /** How many times as long. 1 … 1000. */
  readonly factor: number;
  /** Tokens of the longest sequence that was trained before. */
  readonly originalLength: number;
}

/** A recipe with everything filled in. */
export type FullRecipe = Required<Recipe>;

const keys = [
  ...[
    'task',
    'encoding',
    'scaling',
    'seed',
    'train',
    'test',
    'family',
    'width',
    'layers',
    'heads',
    'hidden',
  ],
  ...['batch', 'steps', 'rate', 'warmup', 'floor', 'decay', 'clip', 'dropout'],
];

/** Longest texts and largest sizes. */
const most = 4096;

/**
 * Checks a recipe and fills in what it leaves out.
 *
 * @throws PosencError that names the setting, what was given and what is allowed
 */
export function fillRecipe(recipe: Recipe): FullRecipe {
  const given = checkOptions(recipe, keys, 'recipe', 'recipe') as Recipe;
  const encoding = checkLabEncoding(given.encoding, 'recipe.encoding');
  const family = choice(given.family, 'recipe.family', labFamilies);
  const count = (key: keyof Recipe, initial: number, low: number, high: number): number =>
    integer(given[key] ?? initial, `recipe.${key}`, low, high);
  const number = (key: keyof Recipe, initial: number, low: number, high: number): number =>
    between(given[key] ?? initial, `recipe.${key}`, low, high);
  const heads = count('heads', 4, 1, 64);
  const width = count('width', 64, 8, 1024);
  if (width % (2 * heads) !== 0) {
    throw wrong('range', 'recipe.width', width, `a multiple of 2 · heads (${2 * heads})`);
  }
  if (family === 'gpt2' && encoding !== 'learned') {
    const allowed = 'learned in the layout of gpt2, which has a table of positions';
    throw wrong('option', 'recipe.encoding', encoding, allowed);
  }
  if (encoding === 't5' && family !== 'llama') {
    throw wrong('option', 'recipe.family', family, 'llama with the encoding t5');
  }
  const usualHidden = family === 'llama' ? Math.max(8, Math.round(width / 3) * 8) : 4 * width;
  const hidden = family === 'bloom' ? 4 * width : count('hidden', usualHidden, 1, 8192);
  if (given.hidden !== undefined && given.hidden !== hidden) {
    throw wrong('range', 'recipe.hidden', given.hidden, `${hidden} in the layout of bloom`);
  }
  const { train, test } = fillSizes(given);
  const scaling = fillScaling(given.scaling ?? null, ownEncodings[family] === encoding && encoding);
  return {
    ...{ task: given.task, encoding, scaling, family, width, heads, hidden, train, test },
    seed: count('seed', 0, 0, 2 ** 20),
    layers: count('layers', 2, 1, 32),
    batch: count('batch', 64, 1, 4096),
    steps: count('steps', 1500, 1, 1e7),
    rate: number('rate', 3e-3, 0, 1),
    warmup: count('warmup', 50, 0, 1e6),
    floor: number('floor', 0.1, 0, 1),
    dropout: number('dropout', 0, 0, 0.95),
    decay: number('decay', 0.1, 0, 10),
    clip: number('clip', 1, 0, 1e6),
  };
}

function fillScaling(
  scaling: RecipeScaling | null,
  own: LabEncodingName | false,
): RecipeScaling | null {
  if (scaling === null) return null;
  if (own !== 'rope') {
    const allowed = 'nothing unless RoPE is the encoding of the family (llama, gpt_neox)';
    throw wrong('option', 'recipe.scaling', scaling, allowed);
  }
  const names = ['type', 'factor', 'originalLength'];
  const given = checkOptions(scaling, names, 'recipe.scaling', 'recipe.scaling') as RecipeScaling;
  return {
    type: choice(given.type, 'recipe.scaling.type', ['linear', 'dynamic', 'yarn']),
    factor: between(given.factor, 'recipe.scaling.factor', 1, 1000),
    originalLength: integer(given.originalLength, 'recipe.scaling.originalLength', 1, 1e6),
  };
}

function fillSizes({ task, train, test }: Recipe): Pick<FullRecipe, 'train' | 'test'> {
  const sizes = task === 'text' ? ([2, most] as const) : taskOf(task).sizes;
  const check = (value: unknown, argument: string): number =>
    integer(value, argument, sizes[0], sizes[1]);
  const pair = train ?? (task === 'text' ? [64, 64] : taskOf(task).train);
  if (!Array.isArray(pair) || pair.length !== 2) {
    throw wrong('argument', 'recipe.train', train, 'a pair [low, high] of sizes');
  }
  const [low, high] = pair.map((value, i) => check(value, `recipe.train[${i}]`));
  if (low! > high!) throw wrong('range', 'recipe.train', train, 'a low size before a high one');
  if (task === 'text' && low !== high) {
    throw wrong('range', 'recipe.train', train, 'one length twice where a text is learned');
  }
  const tried =
    test ??
    (task === 'text'
      ? [1, 2, 4, 8].map((times) => Math.min(most, times * high!))
      : taskOf(task).test);
  if (!Array.isArray(tried) || tried.length > 64) {
    throw wrong('argument', 'recipe.test', test, 'a list of at most 64 sizes');
  }
  return {
    train: [low!, high!],
    test: tried.map((value, i) => check(value, `recipe.test[${i}]`)),
  };
}

/**
 * Learning rate of a step (1, 2, …): up in a line, then down along half a cosine (Loshchilov and Hutter
 * 2017, “SGDR”, equation 5).
 */
export function rateAt(
  step: number,
  { rate, warmup, floor, steps }: Pick<FullRecipe, 'rate' | 'warmup' | 'floor' | 'steps'>,
): number {
  if (step <= warmup) return (rate * step) / warmup;
  const share = Math.min(1, (step - warmup) / Math.max(1, steps - warmup));
  return rate * (floor + ((1 - floor) * (1 + Math.cos(Math.PI * share))) / 2);
}

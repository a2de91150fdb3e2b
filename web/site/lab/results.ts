/** Runs that are kept, as tables: those with the same task and sizes beside each other, and as CSV. */
import { labEncodingTitles, type FullRecipe, type Recipe } from 'posenc/lab';
import type { Table } from '../../figures/frame-types.js';
import { settle, TEXT, type Choices } from './choices.js';
import type { KeptRun } from './store.js';

/** Runs that can be compared. */
export interface Group {
  readonly key: string;
  readonly task: string;
  readonly train: readonly [number, number];
  readonly test: readonly number[];
  readonly runs: readonly KeptRun[];
}

/** Same key = same task, trained and tried at the same sizes. */
export const groupKey = ({ task, train, test }: Recipe | FullRecipe): string =>
  [task, ...(train ?? []), ...(test ?? [])].join(' ');

/** Texts are judged by their tokens: no long one is ever foreseen as a whole. */
export const measureOf = (task: string): 'exact' | 'tokens' => (task === TEXT ? 'tokens' : 'exact');

/** Groups, and the runs of each, in the order in which they come. */
export function groupRuns(runs: readonly KeptRun[]): Group[] {
  const groups = new Map<string, KeptRun[]>();
  for (const run of runs) {
    const key = groupKey(run.recipe);
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups].map(([key, members]) => {
    const { task, train, test } = members[0]!.recipe;
    return { key, task, train, test, runs: members };
  });
}

/** A row for every size of every run. */
export function resultsTable(runs: readonly KeptRun[]): Table {
  const columns = [
    ...['task', 'encoding', 'seed', 'step', 'steps', 'width', 'layers', 'heads', 'batch', 'rate'],
    ...['train low', 'train high', 'size', 'examples', 'exact', 'tokens', 'loss'],
  ];
  const rows = runs.flatMap(({ recipe, step, scores }) =>
    scores.map(({ size, examples, exact, tokens, loss }) => [
      ...[recipe.task, labEncodingTitles[recipe.encoding].en, recipe.seed, step, recipe.steps],
      ...[recipe.width, recipe.layers, recipe.heads, recipe.batch, recipe.rate],
      ...[...recipe.train, size, examples, exact, tokens, loss],
    ]),
  );
  return { columns, rows };
}

/** The choices that lead to a run, with the encodings of those beside it. */
export function choicesOf(recipe: FullRecipe, pe: Choices['pe']): Choices {
  const { task, train, test, seed, steps, width, layers, heads, batch, rate } = recipe;
  const [low, high] = train;
  const upto = Math.round(Math.max(...test) / high);
  return settle({ task, low, high, upto, pe, seed, steps, width, layers, heads, batch, rate });
}

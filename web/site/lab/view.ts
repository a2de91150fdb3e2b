/** What a model looks at in one example, and what its encoding has learned to add by distance. */
import { tasks, type LabRun } from 'posenc/lab';
import { Draws } from '../../api/positions/draw.js';
import type { Look, View } from './protocol.js';

/** Tokens of the longest example that is shown. */
const MOST_TOKENS = 64;
/** Distances of the longest bias curve. */
const MOST_DISTANCES = 256;
/** The same example every time. */
const SEED = 7;

/** The view of a run as it is now. */
export function viewOf(run: LabRun, text: string | null, look: Look): View {
  const { layers, heads } = run.recipe;
  const layer = Math.min(look.layer, layers - 1);
  const head = Math.min(look.head, heads - 1);
  const ids = exampleOf(run, text);
  const { layers: traced } = run.model.trace(ids, { ...run.options, return: ['weights'] });
  const cells = ids.length ** 2;
  return {
    ...{ step: run.steps, layer, head, layers, heads },
    tokens: ids.map((id) => run.symbols[id]!),
    weights: traced[layer]!.weights.slice(head * cells, (head + 1) * cells),
    bias: biasOf(run, layer),
    trained: run.model.trainedLength ?? ids.length,
  };
}

/** An example of the largest trained size that can be shown; of a text, its end. */
function exampleOf({ recipe, symbols }: LabRun, text: string | null): number[] {
  const task = tasks.find(({ name }) => name === recipe.task);
  if (task === undefined) {
    const length = Math.min(recipe.train[1], MOST_TOKENS);
    return [...text!].slice(-length).map((character) => symbols.indexOf(character));
  }
  for (let size = recipe.train[1]; ; size = Math.max(task.sizes[0], Math.floor(size / 2))) {
    const { tokens } = task.make(new Draws(SEED), size, true);
    if (tokens.length <= MOST_TOKENS || size === task.sizes[0]) return tokens.slice(0, MOST_TOKENS);
  }
}

/** `[heads, distances]`: what the last of many tokens adds to the scores of those before it. */
function biasOf(run: LabRun, layer: number): Float32Array | null {
  const given = run.options.encoding;
  const made = typeof given === 'function' ? given(layer) : given;
  const encoding = [made].flat().find((each) => each?.hooks.includes('bias'));
  if (encoding === undefined) return null;
  const trained = run.model.trainedLength ?? MOST_TOKENS;
  const keys = Math.min(2 * trained, MOST_DISTANCES);
  const bias = encoding.bias({ queryPositions: [keys - 1], keys });
  return bias.map((_, i) => bias[i - (i % keys) + keys - 1 - (i % keys)]!);
}

/** What a recipe file asks for, run by run. */

/** Settings of a file that are not those of a run. */
const ofFile = ['each', 'variants', 'text', 'examples', 'weights'];

/**
 * @typedef {{ name: string, recipe: object, from?: string, examples: number, weights: boolean }} PlannedRun
 */

/**
 * The runs of a recipe file: every combination of `each`, then the variants. Names tell what differs.
 * @param {object} file
 * @returns {PlannedRun[]}
 */
export function runsOf(file) {
  const { each = {}, variants = {}, examples = 256, weights = false } = file;
  const shared = Object.fromEntries(Object.entries(file).filter(([key]) => !ofFile.includes(key)));
  if (file.text !== undefined) shared.task = 'text';
  const combinations = Object.entries(each).reduce(
    (all, [key, values]) => {
      if (!Array.isArray(values) || values.length === 0) {
        throw new Error(`each.${key} is ${JSON.stringify(values)}, needs a list of values`);
      }
      return all.flatMap((settings) => values.map((value) => ({ ...settings, [key]: value })));
    },
    [{}],
  );
  const run = (name, settings) => ({ name, recipe: { ...shared, ...settings }, examples, weights });
  const runs = combinations.map((settings) => run(nameOf(settings, shared), settings));
  for (const [name, { from, ...settings }] of Object.entries(variants)) {
    if (from !== undefined && !runs.some((other) => other.name === from)) {
      throw new Error(`variants.${name}.from is ${JSON.stringify(from)}, needs the name of a run`);
    }
    if (from !== undefined && !weights) {
      throw new Error(
        `variants.${name}.from needs "weights": true, so that those of ${from} are kept`,
      );
    }
    runs.push({ ...run(name, settings), ...(from === undefined ? {} : { from }) });
  }
  const twice = runs.find(({ name }, i) => runs.findIndex((run) => run.name === name) < i);
  if (twice !== undefined) throw new Error(`two runs are called ${twice.name}; needs other names`);
  return runs;
}

/** `copy-rope-2`: the values that differ, the seed last; the task and the encoding where nothing does. */
function nameOf({ seed, ...settings }, shared) {
  const values = [...Object.values(settings), ...(seed === undefined ? [] : [seed])];
  const parts = values.length > 0 ? values : [shared.task, shared.encoding];
  return parts.map((value) => String(value)).join('-');
}

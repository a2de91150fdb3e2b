/**
 * `posenc/lab`: small models trained at short lengths and tried at longer ones, one encoding against
 * another. Tasks with exact definitions, recipes, runs that save and resume.
 */
export { labEncodingNames, labEncodingTitles, type LabEncodingName } from './lab/encodings.js';
export { fillRecipe, labFamilies, rateAt } from './lab/recipe.js';
export type { FullRecipe, LabFamily, Recipe, RecipeScaling } from './lab/recipe.js';
export { openModel } from './lab/open.js';
export type { OpenedModel } from './lab/open.js';
export { resumeRun, startRun } from './lab/run.js';
export type { LabExport, LabRun, RunOptions, StepReport } from './lab/run.js';
export type { Score } from './lab/score.js';
export type { Example, Task } from './lab/task.js';
export { tasks } from './lab/tasks/index.js';

/**
 * `npm run train -- models/recipes/NAME.json`: sets up, builds, and trains what a recipe asks for, a run
 * on every core; stopped runs go on where they were. The build `simd` gives the same bits on every
 * machine, so that anybody makes the same weights again.
 *
 *   --out FOLDER      where results go; default models/results/NAME
 *   --jobs N          runs at the same time; default: one for each core
 *   --only TEXT       runs whose name has it (may be given again)
 *   --steps N         fewer or more steps than the recipe says
 *   --list            prints the names of the runs
 *
 * A recipe is a `Recipe` of `posenc/lab` as JSON, with these besides:
 *   each      settings with lists of values: a run for every combination
 *   variants  settings by name, a run for each; `from` names the run whose weights it starts with
 *   text      name of a text of scripts/train/texts.mjs
 *   examples  of each size at the end; default 256
 *   weights   whether trained models are kept, as float16; default false
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { isMain, main } from './lib/main.mjs';
import { at } from './lib/project.mjs';
import { setUp } from './setup.mjs';
import { runAll } from './train/pool.mjs';
import { runsOf } from './train/runs.mjs';
import { textFile } from './train/texts.mjs';

async function train() {
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      out: { type: 'string' },
      jobs: { type: 'string', default: String(cpus().length) },
      only: { type: 'string', multiple: true, default: [] },
      steps: { type: 'string' },
      list: { type: 'boolean', default: false },
    },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) {
    throw new Error('give one recipe: npm run train -- models/recipes/copy.json');
  }
  const jobs = count(options.jobs, '--jobs');
  const name = basename(file, '.json');
  const recipe = JSON.parse(readFileSync(resolve(file), 'utf8'));
  const steps = options.steps === undefined ? {} : { steps: count(options.steps, '--steps') };
  const runs = runsOf({ ...recipe, ...steps }).filter(
    (run) => options.only.length === 0 || options.only.some((text) => run.name.includes(text)),
  );
  if (runs.length === 0) throw new Error(`no run of ${file} has ${options.only.join(' or ')}`);
  if (options.list) {
    for (const run of runs) console.log(run.name);
    return;
  }
  await setUp();
  await build(['wasm-simd', 'api']);
  const folder = options.out === undefined ? at('models/results', name) : resolve(options.out);
  mkdirSync(folder, { recursive: true });
  const text = recipe.text === undefined ? undefined : await textFile(recipe.text);
  await runAll(runs, { folder, jobs, text, dist: at('dist') });
}

function count(text, option) {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`${option} is ${JSON.stringify(text)}, needs an integer of at least 1`);
}

if (isMain(import.meta.url)) await main(train);

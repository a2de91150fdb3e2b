/** `npm run train`: which runs a recipe asks for, and that a killed one ends as if nothing had happened. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { load } from 'posenc';
import { fillRecipe, openModel, type Recipe } from 'posenc/lab';
import { describe, expect, it } from 'vitest';
import { runsOf } from '../../scripts/train/runs.mjs';
import { emptyFolder, root, runIn } from './install.js';

describe('the runs of a recipe', () => {
  const names = (file: object) => runsOf(file).map(({ name }) => name);

  it('are every combination of `each`, then the variants', () => {
    const file = {
      ...{ task: 'copy', width: 32, examples: 8, weights: true },
      each: { encoding: ['rope', 'nope'], seed: [0, 1] },
      variants: {
        tuned: { from: 'rope-1', encoding: 'nope', steps: 5 },
        alone: { encoding: 'alibi' },
      },
    };
    const kept = { examples: 8, weights: true };
    const run = (name: string, recipe: object) => ({
      name,
      recipe: { task: 'copy', width: 32, ...recipe },
      ...kept,
    });
    expect(runsOf(file)).toEqual([
      run('rope-0', { encoding: 'rope', seed: 0 }),
      run('rope-1', { encoding: 'rope', seed: 1 }),
      run('nope-0', { encoding: 'nope', seed: 0 }),
      run('nope-1', { encoding: 'nope', seed: 1 }),
      { ...run('tuned', { encoding: 'nope', steps: 5 }), from: 'rope-1' },
      run('alone', { encoding: 'alibi' }),
    ]);
  });

  it('have defaults, and names of what does not differ where nothing does', () => {
    const recipe = { task: 'sort', encoding: 'fire' };
    expect(runsOf(recipe)).toEqual([{ name: 'sort-fire', recipe, examples: 256, weights: false }]);
    const [text] = runsOf({ text: 'king-james', encoding: 'rope' });
    expect(text).toMatchObject({ name: 'text-rope', recipe: { task: 'text', encoding: 'rope' } });
    expect(text!.recipe).not.toHaveProperty('text');
    expect(names({ task: 'copy', each: { rate: [0.1, 0.01] } })).toEqual(['0.1', '0.01']);
    // Seeds stand last, wherever they are said.
    expect(names({ each: { seed: [3], task: ['copy'] } })).toEqual(['copy-3']);
  });

  it('of the project are recipes that can be run', () => {
    const home = join(root, 'models/recipes');
    const files = readdirSync(home);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const runs = runsOf(JSON.parse(readFileSync(join(home, file), 'utf8')) as object);
      expect(runs.length).toBeGreaterThan(1);
      for (const run of runs) fillRecipe(run.recipe as Recipe);
    }
  });

  it.each([
    ['each.seed is 5, needs a list', { each: { seed: 5 } }],
    ['each.seed is [], needs a list', { each: { seed: [] } }],
    ['variants.a.from is "b", needs', { weights: true, variants: { a: { from: 'b' } } }],
    ['variants.a.from is "a", needs', { weights: true, variants: { a: { from: 'a' } } }],
    [
      'variants.a.from needs "weights": true',
      { each: { seed: [0] }, variants: { a: { from: '0' } } },
    ],
    ['two runs are called 0', { each: { seed: [0] }, variants: { 0: {} } }],
    ['two runs are called [object Object]', { each: { scaling: [{}, {}] } }],
  ])('cannot be: %s', (message, file) => {
    expect(() => runsOf(file)).toThrow(message);
  });
});

const folder = await emptyFolder();
const at = (...path: string[]): string => pathToFileURL(join(root, ...path)).href;

const recipe = {
  ...{ task: 'copy', train: [1, 3], test: [3, 6], width: 16, heads: 2, batch: 16 },
  ...{ steps: 400, warmup: 10, rate: 0.01, examples: 16, weights: true },
  each: { encoding: ['rope', 'shaw'] },
  variants: { tuned: { from: 'rope', encoding: 'nope', steps: 20 } },
};

/** What scripts/train.mjs does once it has built. */
const script = (out: string, saveMs: number): string => `
  import { runAll } from ${JSON.stringify(at('scripts/train/pool.mjs'))};
  import { runsOf } from ${JSON.stringify(at('scripts/train/runs.mjs'))};
  await runAll(runsOf(${JSON.stringify(recipe)}), {
    folder: ${JSON.stringify(out)}, jobs: 2, dist: ${JSON.stringify(join(root, 'dist'))}, saveMs: ${saveMs},
  });`;

async function place(name: string, saveMs: number) {
  const out = join(folder, name);
  await mkdir(out);
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, script(out, saveMs));
  return { out, file };
}

/** All files of a folder, as texts of their bytes. */
const contents = (out: string) =>
  Object.fromEntries(
    readdirSync(out)
      .sort()
      .map((name) => [name, readFileSync(join(out, name)).toString('base64')]),
  );

it('runs that were killed end as those that were not', { timeout: 120_000 }, async () => {
  const whole = await place('whole', 60_000);
  const { code, stdout, stderr } = await runIn(folder, process.execPath, whole.file);
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/^3\/3 {2}\w+ {2}3: \d+ % {2}6: \d+ %/m);
  expect(readdirSync(whole.out).sort()).toEqual(
    ['rope', 'shaw', 'tuned'].flatMap((name) => [`${name}.json`, `${name}.safetensors`]),
  );

  const killed = await place('killed', 1);
  const process1 = spawn(process.execPath, [killed.file], { stdio: 'ignore' });
  const ended = new Promise((resolve) => process1.on('exit', (_, signal) => resolve(signal)));
  while (!existsSync(join(killed.out, 'rope.state')) && process1.exitCode === null) await sleep(5);
  process1.kill('SIGKILL');
  expect(await ended).toBe('SIGKILL');
  expect(readdirSync(killed.out)).toContain('rope.state');
  expect(readdirSync(killed.out)).not.toContain('rope.json');

  const again = await runIn(folder, process.execPath, killed.file);
  expect(again.code, again.stderr).toBe(0);
  expect(contents(killed.out)).toEqual(contents(whole.out));

  // Once more there is nothing to do.
  const third = await runIn(folder, process.execPath, killed.file);
  expect(third).toEqual({ code: 0, stdout: '3 of 3 runs are there already\n', stderr: '' });

  const result = JSON.parse(readFileSync(join(whole.out, 'rope.json'), 'utf8')) as {
    losses: { every: number; means: number[] };
    scores: { size: number; exact: number; examples: number }[];
  };
  expect(result.losses).toMatchObject({ every: 4 });
  expect(result.losses.means).toHaveLength(100);
  expect(result.losses.means.at(-1)).toBeLessThan(0.1);
  expect(result.scores.map(({ size, examples }) => [size, examples])).toEqual([
    [3, 16],
    [6, 16],
  ]);
  expect(result.scores[0]!.exact).toBeGreaterThan(0.5);
  const pe = await load({ variant: 'simd' });
  const opened = await openModel({ pe, file: readFileSync(join(whole.out, 'rope.safetensors')) });
  expect(opened.recipe).toMatchObject({ encoding: 'rope', steps: 400 });
  opened.dispose();
});

it('a run that cannot be says why, and the others go on', { timeout: 60_000 }, async () => {
  const { out, file } = await place('bad', 60_000);
  const bad = {
    ...recipe,
    steps: 5,
    warmup: 1,
    each: { encoding: ['rope', 'ropes'] },
    variants: {},
  };
  writeFileSync(file, script(out, 1).replace(JSON.stringify(recipe), JSON.stringify(bad)));
  const { code, stderr } = await runIn(folder, process.execPath, file);
  expect(code).not.toBe(0);
  expect(stderr).toContain('ropes: recipe.encoding is "ropes"');
  expect(readdirSync(out).sort()).toEqual(['rope.json', 'rope.safetensors']);
});

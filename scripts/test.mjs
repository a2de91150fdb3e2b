/**
 * Sets up, builds and runs every test, cheap ones first. All stages run even when one fails.
 *   npm test                  everything
 *   npm test -- api e2e       these stages (the build runs as well)
 */
import { findProgram } from '../cpp/toolchain/find.mjs';
import { build } from './build.mjs';
import { buildPreset } from './lib/cmake.mjs';
import { runDoctest } from './lib/doctest.mjs';
import { isMain, main } from './lib/main.mjs';
import { ROOT, at, tool } from './lib/project.mjs';
import { runLoud } from './lib/run.mjs';
import { findChromium, findFuzzingCompiler } from './lib/system.mjs';
import { cppFiles, tidy } from './lib/cpp.mjs';
import { buildTargets, fuzz, fuzzTargets } from './lib/fuzz.mjs';
import { setUp } from './setup.mjs';

/** At most for each target; `npm run fuzz` goes on for longer. */
const FUZZ_SECONDS = 45;

/** Thrown by a stage that cannot run on this machine. */
class Skipped extends Error {}

async function expectSuccess(command, args, env = {}) {
  const code = await runLoud(command, args, { cwd: ROOT, env: { ...process.env, ...env } });
  if (code !== 0) throw new Error(`${command.replace(ROOT, '')} ${args[0]} … ended with ${code}`);
}

/** A program that only this stage needs. */
function need(program, name) {
  if (program === undefined) throw new Skipped(`no ${name} on this machine`);
  return program;
}

const lints = {
  eslint: () => expectSuccess(tool('eslint'), ['.']),
  prettier: () =>
    expectSuccess(tool('prettier'), [
      ...['--check', '--log-level', 'warn', '.'],
      ...['--cache', '--cache-location', 'build/prettier'],
    ]),
  types: () => expectSuccess(tool('tsc'), ['--noEmit']),
  project: () => expectSuccess(process.execPath, ['tests/lint/run.mjs']),
};

/** Runs all of several checks, then fails if one of them did. */
async function runAll(checks) {
  const failures = [];
  for (const [name, check] of Object.entries(checks)) {
    await check().catch((error) => failures.push(`${name}: ${error.message}`));
  }
  if (failures.length > 0) throw new Error(failures.join('\n'));
}

async function native(preset) {
  await buildPreset(preset, 'posenc_tests');
  await runDoctest(at('build', preset, 'posenc_tests'));
}

/** Runs the tests of folders. */
const vitest = (env, ...folders) => expectSuccess(tool('vitest'), ['run', ...folders], env);

/** In the order of their cost. */
const STAGES = {
  lint: { run: () => runAll(lints) },
  format: {
    async run() {
      const clangFormat = need(findProgram('clang-format'), 'clang-format');
      await expectSuccess(clangFormat, ['--dry-run', '-Werror', ...cppFiles()]);
    },
  },
  native: { run: () => native('native') },
  asan: { run: () => native('native-asan') },
  fuzz: {
    async run() {
      await buildTargets(need(await findFuzzingCompiler(), 'Clang with libFuzzer'));
      await fuzz(fuzzTargets(), { seconds: FUZZ_SECONDS, isRepeatable: true });
    },
  },
  tidy: {
    async run() {
      const complaints = await tidy(need(findProgram('clang-tidy'), 'clang-tidy'));
      if (complaints.length > 0) throw new Error(complaints.join('\n'));
    },
  },
  api: {
    needsBuild: true,
    run: () => vitest({}, 'tests/api', 'tests/figures', 'tests/lint', 'tests/model'),
  },
  pack: { needsBuild: true, run: () => vitest({}, 'tests/pack') },
  e2e: {
    needsBuild: true,
    run: () => vitest({ CHROMIUM: need(findChromium(), 'Chromium') }, 'tests/e2e'),
  },
};

/** Runs a stage and prints its outcome. @returns {Promise<'passed' | 'failed' | 'skipped'>} */
async function runStage(name, action) {
  const started = Date.now();
  console.log(`\n── ${name}`);
  let outcome = 'passed';
  try {
    await action();
  } catch (error) {
    outcome = error instanceof Skipped ? 'skipped' : 'failed';
    console.log(error.message);
  }
  console.log(`── ${name}: ${outcome}, ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return outcome;
}

async function test(names) {
  const unknown = names.filter((name) => !(name in STAGES));
  if (unknown.length > 0) {
    const known = Object.keys(STAGES).join(', ');
    throw new Error(`no test stage ${unknown.join(', ')}; there are: ${known}`);
  }
  await setUp({ tests: true });
  const chosen = Object.entries(STAGES).filter(
    ([name]) => names.length === 0 || names.includes(name),
  );
  const outcomes = { passed: [], failed: [], skipped: [] };
  let isBuilt = false;
  if (chosen.some(([, stage]) => stage.needsBuild)) {
    const outcome = await runStage('build', () => build());
    outcomes[outcome].push('build');
    isBuilt = outcome === 'passed';
  }
  for (const [name, stage] of chosen) {
    const outcome = await runStage(name, () => {
      if (stage.needsBuild && !isBuilt) throw new Skipped('the build failed');
      return stage.run();
    });
    outcomes[outcome].push(name);
  }
  console.log('');
  for (const outcome of ['failed', 'skipped']) {
    if (outcomes[outcome].length > 0) console.log(`${outcome}: ${outcomes[outcome].join(', ')}`);
  }
  const { passed, failed, skipped } = outcomes;
  const skips = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
  console.log(`${passed.length} passed, ${failed.length} failed${skips}`);
  if (failed.length > 0) process.exitCode = 1;
}

if (isMain(import.meta.url)) await main(() => test(process.argv.slice(2)));

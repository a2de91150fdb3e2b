/** Coverage-guided fuzzing of the kernels with libFuzzer: the targets of tests/fuzz/targets. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPreset } from './cmake.mjs';
import { ROOT, at } from './project.mjs';
import { RunError, run } from './run.mjs';

const PRESET = 'native-fuzz';
const FOUND = `build/${PRESET}/found`;

const OPTIONS = [
  '-verbosity=0',
  '-print_funcs=0',
  '-max_len=1024',
  // Short inputs say little of a problem: begin with long ones.
  '-len_control=0',
  // Seconds for one input: many times what the slowest takes.
  '-timeout=30',
];

/** Inputs of a repeatable run: the same ones on every machine, unless time ends it before. */
const RUNS = 20_000;

/** @returns {string[]} the names of all targets */
export const fuzzTargets = () =>
  readdirSync(at('tests/fuzz/targets'))
    .filter((file) => file.endsWith('.cpp'))
    .map((file) => file.replace('.cpp', ''));

/** @param {string} compiler a Clang with libFuzzer */
export const buildTargets = (compiler) => buildPreset(PRESET, 'all', compiler);

/** Runs one target on the inputs that once broke it, then on new ones. */
async function fuzzOne(target, { seconds, isRepeatable }) {
  const program = at('build', PRESET, `posenc_fuzz_${target}`);
  const corpus = isRepeatable
    ? mkdtempSync(join(tmpdir(), 'posenc-fuzz-'))
    : at('build', PRESET, 'corpus', target);
  mkdirSync(corpus, { recursive: true });
  const inputs = [corpus, at('tests/fuzz/corpus', target)].filter((folder) => existsSync(folder));
  const options = [
    ...OPTIONS,
    `-max_total_time=${seconds}`,
    `-artifact_prefix=${at(FOUND)}/${target}-`,
    ...(isRepeatable ? ['-seed=1', `-runs=${RUNS}`] : []),
  ];
  const env = { ...process.env, UBSAN_OPTIONS: 'print_stacktrace=1' };
  try {
    await run(program, [...options, ...inputs], { cwd: ROOT, env, label: `Fuzzing ${target}` });
  } finally {
    if (isRepeatable) rmSync(corpus, { recursive: true });
  }
}

/**
 * Fuzzes targets, as many at once as there are processors.
 * @param {string[]} targets
 * @param {object} options
 * @param {number} options.seconds at most for each target
 * @param {boolean} [options.isRepeatable] from the same seed each time, a fixed number of inputs,
 *   without those that earlier runs found of interest
 * @throws {RunError} that says how targets failed
 */
export async function fuzz(targets, { seconds, isRepeatable = false }) {
  mkdirSync(at(FOUND), { recursive: true });
  const queue = [...targets];
  const failures = [];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      await fuzzOne(next, { seconds, isRepeatable }).catch((error) => failures.push(error.message));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  if (failures.length > 0) {
    throw new RunError(
      `${failures.join('\n')}\nThe inputs are in ${FOUND}: a target runs them alone when their ` +
        'path is its argument. Commit them to tests/fuzz/corpus once they pass.',
    );
  }
}

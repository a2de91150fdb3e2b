/** Runs a doctest program on all processors: parts of its cases, side by side. */
import { availableParallelism } from 'node:os';
import { ROOT } from './project.mjs';
import { RunError, run, runLoud } from './run.mjs';

/** Parts per processor: enough that none waits long for the last. */
const PARTS = 12;

/**
 * Runs all cases of a program; what fails is passed through.
 * @param {string} program
 * @throws {RunError} when a case failed
 */
export async function runDoctest(program) {
  const counted = /filters: (\d+)/.exec(await run(program, ['--count'], { cwd: ROOT }));
  if (counted === null) throw new RunError(`${program} does not tell how many cases it has`);
  const cases = Number(counted[1]);
  const workers = availableParallelism();
  const size = Math.ceil(cases / (workers * PARTS));
  let first = 1;
  const failed = [];
  const work = async () => {
    while (first <= cases) {
      const [from, to] = [first, first + size - 1];
      first += size;
      const args = ['--minimal', `--first=${from}`, `--last=${to}`];
      const code = await runLoud(program, args, { cwd: ROOT });
      if (code !== 0) failed.push(`cases ${from} to ${to} ended with ${code}`);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  if (failed.length > 0) throw new RunError(`${program.replace(ROOT, '')}: ${failed.join(', ')}`);
}

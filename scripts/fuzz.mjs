/**
 * Fuzzes the kernels for as long as one likes; inputs of interest are kept for the next run.
 *   npm run fuzz                      every target, a minute each
 *   npm run fuzz -- attention 600     one target, ten minutes
 */
import { buildTargets, fuzz, fuzzTargets } from './lib/fuzz.mjs';
import { isMain, main } from './lib/main.mjs';
import { findFuzzingCompiler } from './lib/system.mjs';
import { setUp } from './setup.mjs';

const DEFAULT_SECONDS = 60;

async function fuzzFor(args) {
  const all = fuzzTargets();
  const names = args.filter((word) => !/^\d+$/.test(word));
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) {
    throw new Error(`no fuzz target ${unknown.join(', ')}; there are: ${all.join(', ')}`);
  }
  const seconds = Number(args.find((word) => /^\d+$/.test(word)) ?? DEFAULT_SECONDS);
  await setUp({ tests: true });
  const compiler = await findFuzzingCompiler();
  if (compiler === undefined) throw new Error('fuzzing needs Clang with libFuzzer');
  await buildTargets(compiler);
  await fuzz(names.length > 0 ? names : all, { seconds });
}

if (isMain(import.meta.url)) await main(() => fuzzFor(process.argv.slice(2)));

/** Sets up, builds and runs the benchmarks. */
import { build } from './build.mjs';
import { isMain, main } from './lib/main.mjs';
import { ROOT } from './lib/project.mjs';
import { runLoud } from './lib/run.mjs';
import { setUp } from './setup.mjs';

/** @param {string[]} args  of tests/bench/run.mjs */
export async function runBench(args) {
  await setUp();
  await build(['wasm-simd', 'wasm-relaxed', 'wasm-lite', 'api']);
  process.exitCode = await runLoud(process.execPath, ['tests/bench/run.mjs', ...args], {
    cwd: ROOT,
  });
}

if (isMain(import.meta.url)) await main(() => runBench(process.argv.slice(2)));

/** Sets up, builds and runs the benchmarks. */
import { build } from './build.mjs';
import { isMain, main } from './lib/main.mjs';
import { ROOT } from './lib/project.mjs';
import { runLoud } from './lib/run.mjs';
import { setUp } from './setup.mjs';

if (isMain(import.meta.url)) {
  await main(async () => {
    await setUp();
    await build(['wasm-simd', 'wasm-relaxed', 'wasm-lite', 'api']);
    const args = ['tests/bench/run.mjs', ...process.argv.slice(2)];
    process.exitCode = await runLoud(process.execPath, args, { cwd: ROOT });
  });
}

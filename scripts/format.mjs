/** Formats every source: Prettier for what it knows, clang-format for C++, the table in the README. */
import { findProgram } from '../cpp/toolchain/find.mjs';
import { cppFiles } from './lib/cpp.mjs';
import { isMain, main } from './lib/main.mjs';
import { ROOT, tool } from './lib/project.mjs';
import { runLoud } from './lib/run.mjs';
import { build } from './build.mjs';
import { setUp } from './setup.mjs';

if (isMain(import.meta.url)) {
  await main(async () => {
    await setUp({ tests: true });
    await build(['wasm-simd', 'wasm-relaxed', 'wasm-lite', 'api']);
    await runLoud(process.execPath, ['scripts/readme.mjs'], { cwd: ROOT });
    await runLoud(tool('prettier'), ['--write', '--log-level', 'warn', '.'], { cwd: ROOT });
    const clangFormat = findProgram('clang-format');
    if (clangFormat === undefined) throw new Error('no clang-format on this machine');
    await runLoud(clangFormat, ['-i', ...cppFiles()], { cwd: ROOT });
  });
}

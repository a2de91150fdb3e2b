/** Configures and builds the presets of CMakePresets.json. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { findProgram } from '../../cpp/toolchain/find.mjs';
import { withLock } from './lock.mjs';
import { ROOT, at } from './project.mjs';
import { RunError, run, runLoud } from './run.mjs';
import { fingerprint } from './steps.mjs';

/**
 * Configures a preset from scratch when something that CMake itself would not notice changed.
 * @param {string} preset
 * @param {string} [compiler] default: $CXX, else what CMake finds
 */
export async function configure(preset, compiler = process.env.CXX ?? '') {
  const generator = findProgram('ninja') ? 'Ninja' : 'Unix Makefiles';
  const files = ['CMakePresets.json', 'build/toolchain.cmake', 'cpp/toolchain/wasm.cmake'];
  const key = fingerprint(files, generator, compiler, ROOT);
  const stamp = at('build', preset, 'configured');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === key) return;
  const env = { ...process.env, CMAKE_GENERATOR: generator };
  if (compiler !== '') env.CXX = compiler;
  await run('cmake', ['--preset', preset, '--fresh'], { cwd: ROOT, env });
  mkdirSync(at('build', preset), { recursive: true });
  writeFileSync(stamp, key);
}

/**
 * Builds a preset; compiler messages are passed through.
 * @param {string} preset
 * @param {string} [target] default: everything
 * @param {string} [compiler] as in `configure`
 */
export async function buildPreset(preset, target = 'all', compiler = undefined) {
  // Two runs at once would write the same files.
  const code = await withLock(at(`build/${preset}.lock`), async () => {
    await configure(preset, compiler);
    const options = ['-t', target, '--parallel', String(availableParallelism())];
    return runLoud('cmake', ['--build', '--preset', preset, ...options], { cwd: ROOT });
  });
  if (code !== 0) throw new RunError(`building ${preset} failed`);
}

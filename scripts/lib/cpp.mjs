/** The C++ sources, and what clang-tidy says of them. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { configure } from './cmake.mjs';
import { ROOT, at, readJson } from './project.mjs';
import { run } from './run.mjs';
import { filesIn, fingerprint } from './steps.mjs';

const CACHE = 'build/steps/tidy.json';

/** @returns {string[]} every C++ file of the project */
export const cppFiles = () =>
  ['cpp', 'tests/cpp', 'tests/fuzz']
    .flatMap((folder) => filesIn(folder))
    .filter((file) => /\.(cpp|hpp|inc)$/.test(file));

/**
 * Runs clang-tidy over the native sources; files that were clean and have not changed are left out.
 * @param {string} clangTidy the program
 * @returns {Promise<string[]>} the complaints, one text a file
 */
export async function tidy(clangTidy) {
  await configure('native');
  const version = await run(clangTidy, ['--version']);
  const headers = cppFiles().filter((file) => !file.endsWith('.cpp'));
  const shared = fingerprint(['.clang-tidy', ...headers], version);
  const clean = existsSync(at(CACHE)) ? readJson(CACHE) : {};
  const complaints = [];
  const queue = [];
  const stillClean = {};
  for (const { file, command } of readJson('build/native/compile_commands.json')) {
    const name = relative(ROOT, file);
    const key = fingerprint([name], command, shared);
    if (clean[name] === key) stillClean[name] = key;
    else queue.push({ name, key });
  }
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      try {
        await run(clangTidy, ['--quiet', '-p', at('build/native'), next.name], { cwd: ROOT });
        stillClean[next.name] = next.key;
      } catch (error) {
        complaints.push(error.message);
      }
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  mkdirSync(at('build/steps'), { recursive: true });
  writeFileSync(at(CACHE), JSON.stringify(stillClean));
  return complaints;
}

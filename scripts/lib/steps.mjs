/** Build steps that are left out when nothing they read has changed. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { at } from './project.mjs';

/**
 * Every file below a path of the project.
 * @param {string} path of a file or folder
 * @param {RegExp} [skip] names of files and folders to leave out
 * @returns {string[]} paths from the project's folder, sorted
 */
export function filesIn(path, skip = /^(node_modules|cache|\.temp)$/) {
  if (!existsSync(at(path))) return [];
  if (!statSync(at(path)).isDirectory()) return [path];
  return readdirSync(at(path))
    .filter((name) => !skip.test(name))
    .sort()
    .flatMap((name) => filesIn(join(path, name), skip));
}

/** Hash of the names and contents of files, and of further texts. */
export function fingerprint(files, ...texts) {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(at(file)))
      .update('\0');
  for (const text of texts) hash.update(text).update('\0');
  return hash.digest('hex');
}

/**
 * Runs a step unless its inputs are those of its last success and its outputs exist.
 * @param {object} step
 * @param {string} step.name
 * @param {string[]} step.inputs files and folders
 * @param {string[]} step.outputs files
 * @param {() => Promise<void>} step.action
 * @returns {Promise<boolean>} whether it ran
 */
export async function runStep({ name, inputs, outputs, action }) {
  const stamp = at('build/steps', name);
  const before = fingerprint(inputs.flatMap((path) => filesIn(path)));
  const isDone = existsSync(stamp) && readFileSync(stamp, 'utf8') === before;
  if (isDone && outputs.every((path) => existsSync(at(path)))) return false;
  rmSync(stamp, { force: true });
  await action();
  const absent = outputs.filter((path) => !existsSync(at(path)));
  if (absent.length > 0) throw new Error(`step ${name} did not make ${absent.join(', ')}`);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, before);
  return true;
}

/** The package as a user gets it: packed, and installed into an empty folder without a network. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';

const run = promisify(execFile);

/** The project's folder. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** What `npm pack --json` says of a tarball. */
export interface Packed {
  filename: string;
  size: number;
  version: string;
  files: { path: string; size: number; mode: number }[];
}

/** An empty folder that goes away after the tests of the file. */
export async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'posenc-pack-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Packs the project into `folder`. */
export async function pack(folder: string): Promise<Packed> {
  const { stdout } = await run(npm, ['pack', '--json', '--pack-destination', folder], {
    cwd: root,
  });
  return (JSON.parse(stdout) as [Packed])[0];
}

/** A folder with nothing but this package installed. */
export async function install(): Promise<string> {
  const folder = await emptyFolder();
  const { filename } = await pack(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await run(npm, ['install', '--offline', '--no-audit', '--no-fund', filename], { cwd: folder });
  return folder;
}

/** Runs a program in `folder`; what it wrote, and its exit code. */
export async function runIn(folder: string, program: string, ...args: string[]) {
  try {
    const { stdout, stderr } = await run(program, args, { cwd: folder });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

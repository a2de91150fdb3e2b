/** Installs Debian packages where the user may; says what to do elsewhere. */
import { existsSync } from 'node:fs';
import { run } from './run.mjs';

const canInstall = existsSync('/usr/bin/apt-get') && process.getuid?.() === 0;

/**
 * Installs packages with apt if this user is root on a Debian-like system.
 * @param {string[]} packages
 * @returns {Promise<string | undefined>} undefined on success, else what the user can do
 */
export async function installPackages(packages) {
  const names = packages.join(' ');
  if (!canInstall) {
    return existsSync('/usr/bin/apt-get')
      ? `run: sudo apt-get install --no-install-recommends ${names}`
      : `install what Debian calls: ${names}`;
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' };
  const options = ['--yes', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300'];
  const install = () =>
    run('apt-get', ['install', ...options, ...packages], { env, label: `Installing ${names}` });
  try {
    await install();
  } catch {
    // The package lists are absent or out of date.
    try {
      await run('apt-get', ['update'], { env, label: 'Reading the package lists' });
      await install();
    } catch (error) {
      return `apt-get could not install ${names}:\n${error.message}`;
    }
  }
  return undefined;
}

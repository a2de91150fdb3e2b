/** apt with its own lists, cache and configuration: no root rights, nothing on the machine changes. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../scripts/lib/run.mjs';
import { firstVersion } from './versions.mjs';

/** The first Debian release with new enough packages, and the keys that sign it. */
const DEBIAN = { version: 13, suite: 'trixie' };
const DEBIAN_KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** Whether this machine has apt and dpkg. */
export const hasApt = existsSync('/usr/bin/apt-get') && existsSync('/usr/bin/dpkg-deb');

/**
 * The archive this machine takes its packages from, and the release to look in: the machine's own,
 * except on a Debian that is too old.
 */
async function findArchive() {
  const osRelease = readFileSync('/etc/os-release', 'utf8');
  const field = (name) => new RegExp(`^${name}="?([^"\\n]*)`, 'm').exec(osRelease)?.[1];
  const own = [field('VERSION_CODENAME'), 'stable', 'oldstable', 'testing', 'unstable', 'sid'];
  const format = '$(REPO_URI)\t$(RELEASE)\t$(COMPONENT)\t$(CREATED_BY)';
  const targets = await run('apt-get', ['indextargets', '--format', format]);
  const source = targets
    .split('\n')
    .map((line) => line.split('\t'))
    .find(
      ([uri, release, component, kind]) =>
        kind === 'Packages' &&
        component === 'main' &&
        own.includes(release) &&
        !uri.startsWith('cdrom:'),
    );
  if (source === undefined) throw new Error('the sources of apt name no archive of this system');
  const isDebian = field('ID') === 'debian';
  const isOld = isDebian && Number(field('VERSION_ID')) < DEBIAN.version;
  return {
    uri: source[0],
    suite: isOld ? DEBIAN.suite : source[1],
    components: isDebian ? 'main' : 'main universe',
    option: isDebian && existsSync(DEBIAN_KEYRING) ? `[signed-by=${DEBIAN_KEYRING}] ` : '',
  };
}

/** Settings of the machine about how the archive is reached: proxies, retries, expiry of lists. */
async function networkSettings() {
  const settings = await run('apt-config', ['dump']);
  return settings
    .split('\n')
    .filter((line) => /^Acquire::(https?|ftp|Retries|ForceIPv[46]|Check-\w)/.test(line));
}

/**
 * Reads the package list of the archive into `folder`.
 * @param {string} folder an empty folder, for apt's files
 * @returns {Promise<PrivateApt>}
 */
export async function openPrivateApt(folder) {
  for (const part of ['empty', 'lists/partial', 'archives/partial']) {
    mkdirSync(join(folder, part), { recursive: true });
  }
  const { uri, suite, components, option } = await findArchive();
  const quote = (path) => JSON.stringify(join(folder, path));
  const configuration = [
    ...(await networkSettings()),
    `Dir::Etc::main ${quote('none')};`,
    `Dir::Etc::parts ${quote('empty')};`,
    `Dir::Etc::sourceparts ${quote('empty')};`,
    `Dir::Etc::preferencesparts ${quote('empty')};`,
    `Dir::Etc::preferences ${quote('none')};`,
    `Dir::Etc::sourcelist ${quote('sources.list')};`,
    `Dir::State ${quote('.')};`,
    `Dir::State::status ${quote('status')};`,
    `Dir::Cache ${quote('.')};`,
    `Dir::Log ${quote('.')};`,
    'APT::Sandbox::User "";',
    'APT::Install-Recommends "false";',
    'Acquire::Languages "none";',
    'Debug::NoLocking "true";',
  ];
  writeFileSync(join(folder, 'apt.conf'), `${configuration.join('\n')}\n`);
  writeFileSync(join(folder, 'status'), '');
  writeFileSync(join(folder, 'sources.list'), `deb ${option}${uri} ${suite} ${components}\n`);
  const env = { ...process.env, APT_CONFIG: join(folder, 'apt.conf'), LC_ALL: 'C.UTF-8' };
  await run('apt-get', ['update', '--error-on=any'], {
    env,
    label: `Reading the package list of ${suite}`,
  });
  return new PrivateApt(folder, suite, env);
}

/** An archive whose package list has been read. */
class PrivateApt {
  #folder;
  #env;

  constructor(folder, suite, env) {
    this.#folder = folder;
    this.#env = env;
    this.suite = suite;
  }

  /** @returns {Promise<string | undefined>} the version on offer, without epoch */
  async version(name) {
    const policy = await run('apt-cache', ['policy', name], { env: this.#env });
    return firstVersion(/Candidate: (?:\d+:)?(.*)/.exec(policy)?.[1] ?? '');
  }

  /**
   * Downloads packages with all they depend on; apt checks their signatures.
   * @returns {Promise<string>} the folder with the .deb files
   */
  async download(packages) {
    await run('apt-get', ['install', '--yes', '--download-only', ...packages], {
      env: this.#env,
      label: `Downloading ${packages.join(', ')} of ${this.suite}`,
    });
    return join(this.#folder, 'archives');
  }
}

/**
 * A private folder with Debian's own Emscripten, xsimd and doctest, for machines whose installed
 * ones are absent or too old. The packages are unpacked, not installed, and wrappers start their
 * programs through the dynamic loader that came with them: neither root rights nor a container are
 * needed, and emcc sees the machine's files at their own paths.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Progress, run } from '../../scripts/lib/run.mjs';
import { openPrivateApt } from './apt-private.mjs';
import { MINIMUM, isAtLeast } from './versions.mjs';

/** Raise this when what is unpacked changes: a new folder is then made. */
const RECIPE = 1;

const LIBRARIES = './usr/share/emscripten/cache/sysroot/lib/wasm32-emscripten';

/** What the build never uses: three quarters of the packages' content. */
const NOT_UNPACKED = [
  './etc',
  './var',
  './usr/include/[!dx]*',
  './usr/lib/gcc',
  './usr/lib/*/*.a',
  './usr/lib/*/lib*san.so*',
  './usr/lib/*/libclang-[0-9]*',
  './usr/lib/*/libicu*',
  './usr/lib/*/libnode*',
  './usr/share/doc',
  './usr/share/info',
  './usr/share/locale',
  './usr/share/man',
  './usr/share/perl*',
  './usr/share/zoneinfo',
  './usr/share/emscripten/docs',
  './usr/share/emscripten/media',
  './usr/share/emscripten/test',
  // Libraries for link-time optimisation, shared modules, threads, sanitizers and graphics.
  `${LIBRARIES}/*/*`,
  `${LIBRARIES}/*-asan*`,
  `${LIBRARIES}/*-mt*`,
  `${LIBRARIES}/*-ww*`,
  `${LIBRARIES}/*san_*`,
  `${LIBRARIES}/libGL-[efow]*`,
  `${LIBRARIES}/libsanitizer*`,
  `${LIBRARIES}/libwasmfs-*`,
];

const PACKAGES = {
  emscripten: ['emscripten', 'libxsimd-dev', 'doctest-dev'],
  headers: ['libxsimd-dev', 'doctest-dev'],
};

/** Checks before the long download that the versions on offer will do. */
async function requireVersions(apt, purpose) {
  const wanted = { emscripten: 'emscripten', xsimd: 'libxsimd-dev', doctest: 'doctest-dev' };
  for (const [name, packageName] of Object.entries(wanted)) {
    if (!PACKAGES[purpose].includes(packageName)) continue;
    const version = await apt.version(packageName);
    if (isAtLeast(version, MINIMUM[name])) continue;
    const found = `${packageName} ${version ?? '(none)'}`;
    throw new Error(`${apt.suite} has ${found}, but ${MINIMUM[name]} is needed`);
  }
}

/** Unpacks all packages of a folder, the largest first, on two processors. */
async function unpack(archives, target) {
  const progress = new Progress('Unpacking');
  const size = (file) => statSync(file).size;
  const queue = readdirSync(archives)
    .filter((name) => name.endsWith('.deb'))
    .map((name) => join(archives, name))
    .sort((a, b) => size(b) - size(a));
  const script = 'set -o pipefail; dpkg-deb --fsys-tarfile "$0" | tar -x -f - -C "$@"';
  const excludes = NOT_UNPACKED.map((pattern) => `--exclude=${pattern}`);
  const work = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      await run('bash', ['-c', script, file, target, '--no-same-owner', ...excludes]);
    }
  };
  await Promise.all([work(), work()]);
  progress.stop();
}

/** Removes what interrupted runs left behind. */
function removeLeftovers(cache, prefix) {
  for (const entry of readdirSync(cache).filter((name) => name.startsWith(prefix))) {
    try {
      // A child of a killed run may still be writing: try again for some seconds.
      rmSync(join(cache, entry), { recursive: true, maxRetries: 15, retryDelay: 200 });
    } catch (error) {
      console.error(`cannot remove ${join(cache, entry)}: ${error.message}`);
    }
  }
}

/**
 * Makes the folder unless it is there. It appears in one step when it is complete, so that an
 * interrupted run leaves nothing that looks finished.
 * @param {string} cache the user's cache folder
 * @param {keyof typeof PACKAGES} purpose Emscripten with the headers, or the headers alone
 * @returns {Promise<string>} the folder
 */
export async function makeDebianRoot(cache, purpose) {
  const name = `debian-${purpose}-${RECIPE}`;
  const finished = join(cache, name);
  if (existsSync(finished)) return finished;
  removeLeftovers(cache, `${name}.partial`);
  const partial = join(cache, `${name}.partial-${process.pid}`);
  const aptFolder = join(partial, 'apt');
  mkdirSync(aptFolder, { recursive: true });
  const apt = await openPrivateApt(aptFolder);
  await requireVersions(apt, purpose);
  await unpack(await apt.download(PACKAGES[purpose]), partial);
  rmSync(aptFolder, { recursive: true });
  renameSync(partial, finished);
  return finished;
}

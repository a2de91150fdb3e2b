/** Shell scripts that start programs of a private root through its own dynamic loader. */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The Emscripten commands the build uses. */
export const EMSCRIPTEN_COMMANDS = ['emcc', 'em++', 'emar', 'emranlib'];

const quote = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Writes an executable shell script. */
export function writeScript(path, ...lines) {
  writeFileSync(path, `#!/bin/sh\n${lines.join('\n')}\n`, { mode: 0o755 });
}

/** Writes scripts that pass everything on to commands elsewhere. */
export function writeForwarders(folder, commands) {
  mkdirSync(folder, { recursive: true });
  for (const [name, target] of Object.entries(commands)) {
    writeScript(join(folder, name), `exec ${quote(target)} "$@"`);
  }
}

/** The one entry of `folder` that matches; throws if there is none. */
function only(folder, pattern) {
  const entry = readdirSync(folder).find((name) => pattern.test(name));
  if (entry === undefined) throw new Error(`no ${pattern} in ${folder}`);
  return join(folder, entry);
}

/** Whether the packages say that their libraries are complete. */
const isFrozen = (emscripten) =>
  /^FROZEN_CACHE = True/m.test(readFileSync(join(emscripten, '.emscripten'), 'utf8'));

/**
 * Writes wrappers for Emscripten and for every program it starts, and its configuration.
 * @param {string} root a folder made by makeDebianRoot
 * @param {string} folder where to write
 */
export function writeRootWrappers(root, folder) {
  const lib = join(root, 'usr/lib');
  const libraries = only(lib, /^\w+-linux-gnu\w*$/);
  const loader = only(libraries, /^ld-linux.*\.so/);
  const llvm = only(lib, /^llvm-\d+$/);
  const clangResources = only(join(llvm, 'lib/clang'), /^\d/);
  const python = only(join(root, 'usr/bin'), /^python3\.\d+$/);
  const start = (program, ...options) =>
    ['exec', quote(loader), '--argv0 "$0" --library-path', quote(libraries), quote(program)]
      .concat(options, '"$@"')
      .join(' ');

  const llvmFolder = join(folder, 'llvm');
  const binaryenFolder = join(folder, 'binaryen');
  for (const path of [llvmFolder, join(binaryenFolder, 'bin')]) {
    mkdirSync(path, { recursive: true });
  }
  // Started by the loader, clang would take the loader for itself: it must believe its argument 0,
  // which is the wrapper, and be told where its own headers are. Options of the compiler proper,
  // which it starts the same way, begin with -cc1 and are complete.
  const clang = join(llvm, 'bin/clang');
  const driver = start(clang, '-no-canonical-prefixes -resource-dir', quote(clangResources));
  for (const name of ['clang', 'clang++']) {
    writeScript(join(llvmFolder, name), `case "$1" in -cc1*) ${start(clang)};; esac`, driver);
  }
  for (const name of readdirSync(join(llvm, 'bin'))) {
    if (/^(wasm-ld|llvm-.*)$/.test(name)) {
      writeScript(join(llvmFolder, name), start(join(llvm, 'bin', name)));
    }
  }
  for (const name of readdirSync(join(root, 'usr/bin'))) {
    if (/^wasm-[a-z0-9-]*[a-z]$/.test(name)) {
      writeScript(join(binaryenFolder, 'bin', name), start(join(root, 'usr/bin', name)));
    }
  }
  const pythonWrapper = join(folder, 'python3');
  writeScript(
    pythonWrapper,
    'unset PYTHONPATH',
    `PYTHONHOME=${quote(join(root, 'usr'))} PYTHONDONTWRITEBYTECODE=1 \\`,
    start(python),
  );

  const emscripten = join(root, 'usr/share/emscripten');
  const configuration = join(folder, 'emscripten.config');
  const settings = [
    `LLVM_ROOT = ${JSON.stringify(llvmFolder)}`,
    `BINARYEN_ROOT = ${JSON.stringify(binaryenFolder)}`,
    `NODE_JS = ${JSON.stringify(process.execPath)}`,
    // Some releases bring all system libraries ready-made; with others, emcc makes them when needed.
    isFrozen(emscripten)
      ? 'FROZEN_CACHE = True'
      : `CACHE = ${JSON.stringify(join(folder, 'cache'))}`,
  ];
  writeFileSync(configuration, `${settings.join('\n')}\n`);
  for (const name of EMSCRIPTEN_COMMANDS) {
    writeScript(
      join(folder, name),
      // Settings of another Emscripten would win over the configuration.
      'unset EM_CACHE EM_LLVM_ROOT EM_BINARYEN_ROOT EM_NODE_JS EM_FROZEN_CACHE EM_PORTS',
      `export EM_CONFIG=${quote(configuration)} NODE_PATH=${quote(join(root, 'usr/share/nodejs'))}`,
      `exec ${quote(pythonWrapper)} ${quote(join(emscripten, `${name}.py`))} "$@"`,
    );
  }
}

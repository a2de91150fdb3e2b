/**
 * Who may depend on whom: a folder uses what stands to its left, never to its right, and a foreign
 * library has one door.
 */
import path from 'node:path';
import ts from 'typescript';
import { lineAt, scriptOf } from './files.mjs';

/** Left to right; `cpp/bench` measures everything and nothing needs it. */
const cppLayers = ['core', 'position', 'attention', 'model', 'train', 'bindings', 'bench'];
const webLayers = ['api', 'figures', 'site'];

/** Headers with one door: which, who may include them, how the rule reads. */
const doors = [
  {
    header: /^xsimd\//,
    door: /^cpp\/core\/simd\.hpp$/,
    rule: 'only cpp/core/simd.hpp includes xsimd',
  },
  {
    header: /^(wasm_simd128|immintrin|arm_neon|[a-z]mmintrin)\.h$/,
    door: /^cpp\/core\/simd\.hpp$/,
    rule: 'only cpp/core/simd.hpp includes intrinsics',
  },
  { header: /^emscripten\b/, door: /^cpp\/bindings\//, rule: 'only cpp/bindings includes Embind' },
];

/**
 * Bare imports a web layer may have: the package has no dependencies (the command line reads GGUF files
 * with an optional one), figures know only the package.
 */
const bareImports = { api: /^(node:|@huggingface\/gguf$)/, figures: /^posenc$/, site: /^/ };

/**
 * Faults of C++ includes and TypeScript imports, as `file:line: what` texts.
 * @param {import('./files.mjs').Texts} texts
 * @returns {string[]}
 */
export function layerFaults(texts) {
  const faults = [];
  for (const [file, text] of texts) {
    const uses = /\.(hpp|cpp|inc)$/.test(file) ? includesOf(file, text) : importsOf(file, text);
    for (const { offset, fault } of uses) {
      if (fault) faults.push(`${file}:${lineAt(text, offset)}: ${fault}`);
    }
  }
  return faults;
}

/** @param {string} file @param {string} text */
function* includesOf(file, text) {
  for (const match of text.matchAll(/^[ \t]*#[ \t]*include[ \t]*[<"]([^">]+)[">]/gm)) {
    const header = match[1];
    const door = doors.find((d) => d.header.test(header) && !d.door.test(file));
    const target = header.startsWith('.')
      ? path.posix.join(path.posix.dirname(file), header)
      : path.posix.join('cpp', header);
    yield {
      offset: match.index,
      fault: door?.rule ?? directionFault(file, target, 'cpp', cppLayers),
    };
  }
}

/** @param {string} file @param {string} text */
function* importsOf(file, text) {
  for (const { fileName, pos } of ts.preProcessFile(scriptOf(file, text), true, true)
    .importedFiles) {
    yield { offset: pos, fault: importFault(file, fileName) };
  }
}

/** @param {string} file @param {string} name */
function importFault(file, name) {
  const layer = layerOf(file, 'web', webLayers);
  if (name.startsWith('.')) {
    const target = path.posix.join(path.posix.dirname(file), name);
    return directionFault(file, target, 'web', webLayers);
  }
  const allowed = bareImports[/** @type {keyof typeof bareImports} */ (layer)];
  return !allowed || allowed.test(name) ? null : `web/${layer} may not import "${name}"`;
}

/**
 * @param {string} file
 * @param {string} target
 * @param {string} top
 * @param {readonly string[]} layers
 */
function directionFault(file, target, top, layers) {
  const from = layers.indexOf(layerOf(file, top, layers));
  const to = layers.indexOf(layerOf(target, top, layers));
  return from >= 0 && to > from
    ? `${top}/${layers[from]} may not depend on ${top}/${layers[to]}`
    : null;
}

/** @param {string} file @param {string} top @param {readonly string[]} layers */
function layerOf(file, top, layers) {
  const [first, second] = file.split('/');
  return first === top && layers.includes(second) ? second : '';
}

/** The files of one build of the kernels. */
import { gzipSync } from 'node:zlib';

/** A number below 2^28 in LEB128, as WebAssembly writes sizes. */
function leb128(value) {
  const bytes = [];
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]);
}

/**
 * Appends a custom section, which engines ignore and `WebAssembly.Module.customSections` reads.
 * @param {Buffer} module
 * @param {string} name
 * @param {string} text
 */
export function withCustomSection(module, name, text) {
  const label = Buffer.from(name);
  const content = Buffer.concat([leb128(label.length), label, Buffer.from(text)]);
  return Buffer.concat([module, Buffer.from([0]), leb128(content.length), content]);
}

/**
 * Source of a chunk that holds a module as text (gzip in base64, which a server's own compression
 * hardly makes longer than the file) together with its own glue, so that the two can never come from
 * different builds.
 * @param {Buffer} module
 * @param {string} gluePath
 * @param {string} version of the package
 */
export function chunkSource(module, gluePath, version) {
  return [
    `export { default as createModule } from ${JSON.stringify(gluePath)};`,
    `export const bytes = '${gzipSync(module, { level: 9 }).toString('base64')}';`,
    `export const version = '${version}';`,
    '',
  ].join('\n');
}

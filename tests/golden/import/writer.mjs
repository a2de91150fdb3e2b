/** Writes GROUP.txt and GROUP.bin; the format is described in import-conformance.mjs. */
import { writeFileSync } from 'node:fs';

/** Bytes of a number, and how to write one. */
const types = {
  f32: [4, (view, at, x) => view.setFloat32(at, x, true)],
  f64: [8, (view, at, x) => view.setFloat64(at, x, true)],
  i32: [4, (view, at, x) => view.setInt32(at, x, true)],
  u8: [1, (view, at, x) => view.setUint8(at, x)],
};

/**
 * @typedef {{ name: string, from: import('./source.mjs').Case, numbers?: Record<string, number | number[]>,
 *             words?: Record<string, string>, tensors: Record<string, [string, import('./source.mjs').Tensor]> }} Golden
 */

/**
 * @param {string} folder
 * @param {string} group
 * @param {string[]} about  comment lines
 * @param {number} sourceCases
 * @param {Golden[]} cases
 */
export function writeGroup(folder, group, about, sourceCases, cases) {
  const lines = about.map((line) => `# ${line}`);
  lines.push(`group ${group} ${sourceCases}`);
  const chunks = [];
  let offset = 0;
  for (const { name, from, numbers = {}, words = {}, tensors } of cases) {
    const origin = Object.entries(from.origin).map(([key, text]) => `${key}: ${text}`);
    lines.push(`case ${name}`, `origin ${origin.join('; ')}`, `label ${from.label}`);
    for (const [key, value] of Object.entries(numbers)) {
      lines.push(['number', key, ...[value].flat()].join(' '));
    }
    for (const [key, value] of Object.entries(words)) lines.push(`word ${key} ${value}`);
    for (const [key, [type, { shape, values }]] of Object.entries(tensors)) {
      const [size, write] = types[type];
      const bytes = new Uint8Array(Math.ceil((values.length * size) / 8) * 8);
      const view = new DataView(bytes.buffer);
      values.forEach((value, i) => write(view, i * size, value));
      lines.push(['tensor', key, type, offset, ...shape].join(' '));
      chunks.push(bytes);
      offset += bytes.length;
    }
  }
  writeFileSync(`${folder}/${group}.txt`, `${lines.join('\n')}\n`);
  writeFileSync(`${folder}/${group}.bin`, Buffer.concat(chunks));
  return offset;
}

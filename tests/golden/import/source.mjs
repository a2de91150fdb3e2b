/** Reads a group of conformance vectors: GROUP/index.json, GROUP/CASE.json and GROUP/CASE.bin. */
import { existsSync, readFileSync } from 'node:fs';

/** Half precision to a number. @param {number} bits */
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent === 0
    ? sign * fraction * 2 ** -24
    : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** Bytes of a number, and how to read one. */
const types = {
  f16: [2, (view, at) => half(view.getUint16(at, true))],
  f32: [4, (view, at) => view.getFloat32(at, true)],
  f64: [8, (view, at) => view.getFloat64(at, true)],
  i64: [8, (view, at) => Number(view.getBigInt64(at, true))],
  bool: [1, (view, at) => view.getUint8(at)],
};

/**
 * @typedef {{ shape: number[], values: number[], dtype?: string }} Tensor
 * @typedef {{ name: string, label: string, attributes: object, origin: object, notes: string,
 *             inputs: Record<string, Tensor>, outputs: Record<string, Tensor> }} Case
 */

/** @param {DataView} view @returns {Tensor} */
function readTensor({ dtype, shape, offset }, view) {
  const [size, read] = types[dtype];
  const count = shape.reduce((a, b) => a * b, 1);
  const values = Array.from({ length: count }, (_, i) => read(view, offset + i * size));
  return { shape, values, dtype };
}

/** All cases of a group. @returns {Case[]} */
export function readGroup(folder, group) {
  const { cases } = JSON.parse(readFileSync(`${folder}/${group}/index.json`, 'utf8'));
  return cases.map((name) => {
    const text = readFileSync(`${folder}/${group}/${name}.json`, 'utf8');
    const { inputs = [], outputs = [], label, attributes, origin, notes = '' } = JSON.parse(text);
    const path = `${folder}/${group}/${name}.bin`;
    const bytes = existsSync(path) ? readFileSync(path) : new Uint8Array();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const read = (list) => Object.fromEntries(list.map((t) => [t.name, readTensor(t, view)]));
    return { name, label, attributes, origin, notes, inputs: read(inputs), outputs: read(outputs) };
  });
}

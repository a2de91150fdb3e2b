/**
 * Copies the conformance group `rope_scaling` (inverse frequencies, attention factors, and cos and sin at
 * each case's greatest position, rounded to ten digits) into rope_scaling.json, and the defaults of every
 * model type of `rope_defaults` into rope_defaults.json:
 *   node tests/golden/import-rope-scaling.mjs <conformance folder>
 * The numbers are results of independent public code; each case keeps its origin.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
if (folder === undefined) throw new Error('give the conformance folder');
const read = (...path) => JSON.parse(readFileSync(join(folder, ...path), 'utf8'));

/** The numbers of a tensor, out of the case's little-endian .bin. */
function tensor(test, name) {
  const { offset, nbytes, dtype } = [...test.outputs, ...test.inputs].find(
    (each) => each.name === name,
  );
  const bytes = readFileSync(join(folder, 'rope_scaling', test.bin));
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, nbytes);
  return Array.from({ length: nbytes / 8 }, (_, i) =>
    dtype === 'i64' ? Number(view.getBigInt64(8 * i, true)) : view.getFloat64(8 * i, true),
  );
}

/** The row of the greatest position. */
function lastRow(test, name, row, pairs) {
  const values = tensor(test, name).slice(row * pairs, (row + 1) * pairs);
  return values.map((value) => Number(value.toPrecision(10)));
}

/** Which public code made the numbers. */
const codeOf = ({ project, version, commit, licence, cls }) => {
  return { project, version, commit, licence, class: cls };
};

function caseOf(name) {
  const test = read('rope_scaling', `${name}.json`);
  const { attributes, origin, label } = test;
  const positions = tensor(test, 'positions');
  const position = Math.max(...positions);
  const row = positions.indexOf(position);
  const inverse_frequencies = tensor(test, 'inv_freq_f64');
  const pairs = inverse_frequencies.length;
  return {
    name,
    config: attributes.config,
    length: attributes.seq_len,
    layer_type: attributes.layer_type,
    rope_parameters: attributes.resolved_rope_parameters,
    head_dim: attributes.head_dim,
    rotary_dim: attributes.rotary_dim,
    layout: attributes.rotation_style,
    // The tables hold it: at position 0 every cosine is the factor itself.
    attention_factor: tensor(test, 'cos_f64')[positions.indexOf(0) * pairs],
    label,
    origin: { ...codeOf(origin), config_source: origin.config_source },
    inverse_frequencies,
    position,
    cos: lastRow(test, 'cos_f64', row, pairs),
    sin: lastRow(test, 'sin_f64', row, pairs),
  };
}

const cases = read('rope_scaling', 'index.json').cases.map(caseOf);
const lines = (values) => values.map((value) => JSON.stringify(value)).join(',\n');
const write = (name, text) => writeFileSync(new URL(name, import.meta.url), text);
write('rope_scaling.json', `{"tolerance": {"rtol": 1e-12},\n"cases": [\n${lines(cases)}\n]}\n`);

const defaults = read('rope_defaults', 'defaults_by_model_type.json');
const types = Object.entries(defaults.attributes.by_model_type);
const rows = types.map(([type, values]) => `${JSON.stringify(type)}: ${JSON.stringify(values)}`);
write(
  'rope_defaults.json',
  `{"origin": ${JSON.stringify(defaults.origin)},\n"by_model_type": {\n${rows.join(',\n')}\n}}\n`,
);
console.log(`${cases.length} cases, ${types.length} model types`);

/**
 * Copies the inverse frequencies of the conformance group `rope_scaling` whose rule is `default`, and
 * the defaults of the model types that `inspect` knows, into rope_scaling_default.json:
 *   node tests/golden/import-rope-scaling.mjs <conformance folder>
 * The numbers are results of independent public code; each case keeps its origin.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
if (folder === undefined) throw new Error('give the conformance folder');
const read = (...path) => JSON.parse(readFileSync(join(folder, ...path), 'utf8'));

/** The float64 tensor of a case, out of its little-endian .bin. */
function float64(test, name) {
  const { offset, nbytes } = test.outputs.find((output) => output.name === name);
  const bytes = readFileSync(join(folder, 'rope_scaling', test.bin)).subarray(offset, offset + nbytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: nbytes / 8 }, (_, i) => view.getFloat64(8 * i, true));
}

/** Which public code made the numbers. */
const codeOf = ({ project, version, commit, licence, cls }) => {
  return { project, version, commit, licence, class: cls };
};

const cases = read('rope_scaling', 'index.json')
  .cases.map((name) => read('rope_scaling', `${name}.json`))
  .filter(({ attributes }) => attributes.resolved_rope_parameters.rope_type === 'default')
  .map((test) => ({
    name: test.name,
    config: test.attributes.config,
    layer_type: test.attributes.layer_type,
    rope_parameters: test.attributes.resolved_rope_parameters,
    head_dim: test.attributes.head_dim,
    rotary_dim: test.attributes.rotary_dim,
    layout: test.attributes.rotation_style,
    label: test.label,
    origin: codeOf(test.origin),
    inverse_frequencies: float64(test, 'inv_freq_f64'),
  }));

const types = ['gpt_neox', 'llama', 'mistral', 'mixtral', 'qwen2', 'qwen2_moe', 'qwen3', 'qwen3_moe'];
const defaults = read('rope_defaults', 'defaults_by_model_type.json');
const byType = types.map((type) => [type, defaults.attributes.by_model_type[type]]);

const lines = (values) => values.map((value) => JSON.stringify(value)).join(',\n');
const text = `{"tolerance": {"rtol": 1e-12},
"defaults": {"origin": ${JSON.stringify(defaults.origin)},
"by_model_type": ${JSON.stringify(Object.fromEntries(byType))}},
"cases": [
${lines(cases)}
]}
`;
writeFileSync(new URL('rope_scaling_default.json', import.meta.url), text);
console.log(`${cases.length} cases`);

/**
 * Makes the golden files of this folder from a folder of conformance vectors:
 *
 *   node tests/golden/import-conformance.mjs path/to/conformance
 *
 * For each group it writes GROUP.txt (which cases, from where, with which parameters) and GROUP.bin (their numbers), in
 * the conventions of this project, and for all groups together waiting.txt: the cases that nothing here can run yet, and
 * why. A case of a group that is neither used nor waiting is an error, so that none is dropped silently.
 *
 * The format: lines of words. `#` starts a comment.
 *   group NAME N            N cases of the source, used or waiting
 *   case NAME
 *   origin TEXT             project, version, commit, licence
 *   label TEXT              reference-run: the named code was run; transcription: an independent writing of a formula
 *   number NAME VALUE …
 *   word NAME TEXT
 *   tensor NAME TYPE OFFSET SIZE …   f32, f64, i32 or u8; little-endian, C order, at byte OFFSET of GROUP.bin
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as alibi from './import/alibi.mjs';
import * as onnxAttention from './import/onnx-attention.mjs';
import * as onnxRotary from './import/onnx-rotary.mjs';
import * as ropeApply from './import/rope-apply.mjs';
import * as sdpa from './import/sdpa.mjs';
import * as sinusoidal from './import/sinusoidal.mjs';
import { readGroup } from './import/source.mjs';
import { writeGroup } from './import/writer.mjs';

const groups = {
  alibi,
  onnx_attention: onnxAttention,
  onnx_rotary: onnxRotary,
  rope_apply: ropeApply,
  sdpa,
  sinusoidal,
};

const folder = process.argv[2];
if (!folder) throw new Error('usage: node tests/golden/import-conformance.mjs path/to/conformance');
const here = fileURLToPath(new URL('.', import.meta.url));

const waiting = [
  '# Cases of the imported groups that no test can run yet: group, case, what they wait for.',
];
for (const [name, group] of Object.entries(groups)) {
  const used = [];
  const source = readGroup(folder, name);
  for (const given of source) {
    const reason = group.waits(given);
    if (reason) waiting.push(`${name} ${given.name} ${reason}`);
    else used.push(...group.convert(given));
  }
  const bytes = writeGroup(here, name, group.about, source.length, used);
  console.log(`${name}: ${used.length} from ${source.length} cases, ${bytes} bytes`);
}
writeFileSync(`${here}/waiting.txt`, `${waiting.join('\n')}\n`);

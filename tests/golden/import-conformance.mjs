/**
 * Makes the golden files of this folder from a folder of conformance vectors:
 *
 *   node tests/golden/import-conformance.mjs path/to/conformance
 *
 * For each group it writes GROUP.txt (which cases, from where, with which parameters) and GROUP.bin (their numbers), in
 * the conventions of this project, and for all groups together waiting.txt: the cases that nothing here can run yet, and
 * why. A case of a group that is neither used nor waiting is an error, so that none is dropped silently. A group may be
 * part of a group of the source, whose name it then gives.
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
import * as attentionExtra from './import/attention-extra.mjs';
import * as cope from './import/cope.mjs';
import * as deberta from './import/deberta.mjs';
import * as dynamicPositionBias from './import/dynamic-position-bias.mjs';
import * as fire from './import/fire.mjs';
import * as kerple from './import/kerple.mjs';
import * as mrope from './import/mrope.mjs';
import * as onnxAttention from './import/onnx-attention.mjs';
import * as onnxAttentionNode from './import/onnx-attention-node.mjs';
import * as onnxFlexAttention from './import/onnx-flex-attention.mjs';
import * as onnxLinearAttention from './import/onnx-linear-attention.mjs';
import * as onnxRotaryNode from './import/onnx-rotary-node.mjs';
import * as onnxRotary from './import/onnx-rotary.mjs';
import * as ropeApply from './import/rope-apply.mjs';
import * as ropeFloat32 from './import/rope-float32.mjs';
import * as rope2d from './import/rope2d.mjs';
import * as sandwich from './import/sandwich.mjs';
import * as sdpa from './import/sdpa.mjs';
import * as shaw from './import/shaw.mjs';
import * as sinusoidal from './import/sinusoidal.mjs';
import * as transformerXl from './import/transformer-xl.mjs';
import { readGroup } from './import/source.mjs';
import * as swin from './import/swin.mjs';
import * as t5Bias from './import/t5-bias.mjs';
import { writeGroup } from './import/writer.mjs';
import * as xpos from './import/xpos.mjs';

const groups = {
  alibi,
  attention_extra: attentionExtra,
  cope,
  deberta,
  dynamic_position_bias: dynamicPositionBias,
  fire,
  kerple,
  mrope,
  onnx_attention: onnxAttention,
  onnx_attention_node: onnxAttentionNode,
  onnx_flex_attention: onnxFlexAttention,
  onnx_linear_attention: onnxLinearAttention,
  onnx_rotary: onnxRotary,
  onnx_rotary_node: onnxRotaryNode,
  rope2d,
  rope_apply: ropeApply,
  sandwich,
  rope_float32: ropeFloat32,
  sdpa,
  shaw,
  sinusoidal,
  transformer_xl: transformerXl,
  swin,
  t5_bias: t5Bias,
  xpos,
};

const folder = process.argv[2];
if (!folder) throw new Error('usage: node tests/golden/import-conformance.mjs path/to/conformance');
const here = fileURLToPath(new URL('.', import.meta.url));

const waiting = [
  '# Cases of the imported groups that no test can run yet: group, case, what they wait for.',
];
for (const [name, group] of Object.entries(groups)) {
  const used = [];
  const source = readGroup(folder, group.source ?? name).filter(group.takes ?? (() => true));
  for (const given of source) {
    const reason = group.waits(given);
    if (reason) waiting.push(`${name} ${given.name} ${reason}`);
    else used.push(...group.convert(given));
  }
  const bytes = writeGroup(here, name, group.about, source.length, used);
  console.log(`${name}: ${used.length} from ${source.length} cases, ${bytes} bytes`);
}
writeFileSync(`${here}/waiting.txt`, `${waiting.join('\n')}\n`);

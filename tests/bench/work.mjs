/** The measured work, run alike in Node and in a browser: kernels against plain JavaScript and the memory's speed. */
import { expectClose, race } from './measure.mjs';
import * as plain from './plain.mjs';

const MEGABYTE = 2 ** 20;

/**
 * `memory.copy` of half of a memory onto the other half, called from inside WebAssembly:
 *   (module (memory (export "memory") 0) (func (export "copy") (param i32 i32 i32) …))
 */
const COPY_MODULE = Uint8Array.of(
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 7, 1, 0x60, 3, 0x7f, 0x7f, 0x7f, 0], // the type of copy: three i32, no result
  ...[3, 2, 1, 0],
  ...[5, 3, 1, 0, 0], // a memory of no pages
  ...[7, 17, 2, 6, ...ascii('memory'), 2, 0, 4, ...ascii('copy'), 0, 0],
  ...[10, 14, 1, 12, 0, 0x20, 0, 0x20, 1, 0x20, 2, 0xfc, 10, 0, 0, 0x0b], // memory.copy
);

function ascii(text) {
  return [...text].map((letter) => letter.charCodeAt(0));
}

/** What copies `bytes` in WebAssembly. */
function copier(bytes) {
  const { memory, copy } = new WebAssembly.Instance(new WebAssembly.Module(COPY_MODULE)).exports;
  memory.grow(Math.ceil((2 * bytes) / 65536));
  // Written once: pages that nobody wrote to all share one page of zeros, which copies too fast.
  new Uint8Array(memory.buffer).fill(1);
  return () => copy(bytes, 0, bytes);
}

/**
 * RoPE against a copy of the tensor. In place, dimensions that do not turn are not touched: the
 * copy's speed is then asked for the bytes that are.
 */
function ropeRow(pe, layout, rotaryDim) {
  const [batch, heads, tokens, headDim] = [2, 8, 8192, 64];
  const shape = [batch, heads, tokens, headDim];
  const size = batch * heads * tokens * headDim;
  const x = pe.random(1).normal(size);
  const expected = new Float32Array(size);
  const work = { rows: batch * heads, tokens, headDim, rotaryDim, layout, base: 10000 };
  const rope = pe.encoding('rope', { headDim, rotaryDim, layout });

  const input = pe.tensor(x, shape);
  const output = pe.zeros(shape);
  plain.rope(x, expected, work);
  rope.rotate(input, { out: output });
  expectClose('rope', output.read(), expected, 1e-5);

  const ms = race({
    plain: () => plain.rope(x, expected, work),
    // Turns the same numbers again and again: norms do not grow.
    'in place': () => rope.rotate(input, { out: input }),
    'to another tensor': () => rope.rotate(input, { out: output }),
    copy: copier(4 * size),
  });
  input.dispose();
  output.dispose();
  const partial = rotaryDim < headDim ? `, ${rotaryDim} dimensions turn` : '';
  return {
    work: `RoPE [${shape}], ${layout}${partial}, ${Math.round((4 * size) / MEGABYTE)} MiB`,
    ms,
    ratios: {
      'in place / plain JS': ms.plain / ms['in place'],
      'to another tensor / plain JS': ms.plain / ms['to another tensor'],
      'in place / copy': ((rotaryDim / headDim) * ms.copy) / ms['in place'],
      'to another tensor / copy': ms.copy / ms['to another tensor'],
    },
  };
}

/** Cosines and sines of RoPE in places that are there already. */
function tableRow(pe) {
  const work = { tokens: 65536, pairs: 64, base: 10000 };
  const rope = pe.encoding('rope', { headDim: 2 * work.pairs });
  const expected = plain.angles(work);
  const out = placesFor(pe, work);
  rope.table(0, { tokens: work.tokens, out });
  expectClose('cosines', out.cos.read(), expected.cos, 2e-7);
  expectClose('sines', out.sin.read(), expected.sin, 2e-7);
  const ms = race({
    plain: () => plain.angles(work, expected),
    kernel: () => rope.table(0, { tokens: work.tokens, out }),
    'fresh arrays': () => rope.table(0, { tokens: work.tokens }),
  });
  Object.values(out).forEach((tensor) => tensor.dispose());
  return {
    work: `RoPE table of ${work.tokens} positions × ${work.pairs} pairs`,
    ms,
    ratios: { 'kernel / plain JS': ms.plain / ms.kernel },
  };
}

const placesFor = (pe, { tokens, pairs }) => ({
  cos: pe.zeros([tokens, pairs]),
  sin: pe.zeros([tokens, pairs]),
});

function longTableRow(pe) {
  const work = { tokens: 1_000_000, pairs: 64 };
  const rope = pe.encoding('rope', { headDim: 2 * work.pairs });
  const out = placesFor(pe, work);
  const ms = race({ kernel: () => rope.table(0, { tokens: work.tokens, out }) });
  Object.values(out).forEach((tensor) => tensor.dispose());
  return { work: `table of a million positions × ${work.pairs} pairs`, ms, ratios: {} };
}

function sinusoidalRow(pe) {
  const work = { tokens: 2048, width: 512, base: 10000 };
  const expected = new Float32Array(work.tokens * work.width);
  const encoding = pe.encoding('sinusoidal', { width: work.width });
  const table = pe.zeros([work.tokens, work.width]);
  plain.sinusoidal(expected, work);
  encoding.embed(0, { tokens: work.tokens, out: table });
  expectClose('sinusoidal', table.read(), expected, 2e-7);
  const ms = race({
    plain: () => plain.sinusoidal(expected, work),
    kernel: () => encoding.embed(0, { tokens: work.tokens, out: table }),
  });
  table.dispose();
  return {
    work: `sinusoidal [${work.tokens},${work.width}]`,
    ms,
    ratios: { 'kernel / plain JS': ms.plain / ms.kernel },
  };
}

function attentionRow(pe, causal) {
  const work = { heads: 8, tokens: 512, headDim: 64, causal };
  const shape = [1, work.heads, work.tokens, work.headDim];
  const size = work.heads * work.tokens * work.headDim;
  const [query, key, value] = [1, 2, 3].map((seed) => pe.random(seed).normal(size));
  const expected = new Float32Array(size);
  const tensors = { query, key, value };
  for (const name of Object.keys(tensors)) tensors[name] = pe.tensor(tensors[name], shape);
  const out = pe.zeros(shape);
  plain.attention(query, key, value, expected, work);
  pe.attention({ ...tensors, causal, out });
  expectClose('attention', out.read(), expected, 2e-5);
  const ms = race({
    plain: () => plain.attention(query, key, value, expected, work),
    kernel: () => pe.attention({ ...tensors, causal, out }),
  });
  const flops = (4 * work.tokens ** 2 * work.headDim * work.heads) / (causal ? 2 : 1);
  for (const tensor of [...Object.values(tensors), out]) tensor.dispose();
  return {
    work: `attention [${shape}]${causal ? ' causal' : ''}`,
    ms,
    ratios: {
      'kernel / plain JS': ms.plain / ms.kernel,
      'GFLOP/s': flops / ms.kernel / 1e6,
    },
  };
}

/** Measures one loaded module. Throws when a result is wrong. */
export function measureAll(pe) {
  return [
    ...['half', 'interleaved'].flatMap((layout) => [64, 32].map((d) => ropeRow(pe, layout, d))),
    tableRow(pe),
    longTableRow(pe),
    sinusoidalRow(pe),
    attentionRow(pe, false),
    attentionRow(pe, true),
  ];
}

/** The measured work, run alike in Node and in a browser: kernels against plain JavaScript and the memory's speed. */
import { expectClose, race } from './measure.mjs';
import * as plain from './plain.mjs';

const MEGABYTE = 2 ** 20;

function ropeRow(pe) {
  const [batch, heads, tokens, headDim] = [2, 8, 8192, 64];
  const shape = [batch, heads, tokens, headDim];
  const size = batch * heads * tokens * headDim;
  const x = pe.random(1).normal(size);
  const expected = new Float32Array(size);
  const work = { rows: batch * heads, tokens, headDim, base: 10000 };
  const rope = pe.encoding('rope', { headDim });

  const input = pe.tensor(x, shape);
  const output = pe.zeros(shape);
  plain.rope(x, expected, work);
  rope.rotate(input, { out: output });
  expectClose('rope', output.read(), expected, 1e-5);

  const bytes = 4 * size;
  const memory = new WebAssembly.Memory({ initial: Math.ceil((2 * bytes) / 65536) });
  // Written once: pages that nobody wrote to all share one page of zeros, which copies too fast.
  const view = new Uint8Array(memory.buffer).fill(1);
  const ms = race({
    plain: () => plain.rope(x, expected, work),
    // Turns the same numbers again and again: norms do not grow.
    'in place': () => rope.rotate(input, { out: input }),
    'to another tensor': () => rope.rotate(input, { out: output }),
    copy: () => view.copyWithin(bytes, 0, bytes),
  });
  input.dispose();
  output.dispose();
  return {
    work: `RoPE [${shape}], ${Math.round(bytes / MEGABYTE)} MiB`,
    ms,
    ratios: {
      'in place / plain JS': ms.plain / ms['in place'],
      'to another tensor / plain JS': ms.plain / ms['to another tensor'],
      'in place / copy': ms.copy / ms['in place'],
      'to another tensor / copy': ms.copy / ms['to another tensor'],
    },
  };
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
  return [ropeRow(pe), sinusoidalRow(pe), attentionRow(pe, false), attentionRow(pe, true)];
}

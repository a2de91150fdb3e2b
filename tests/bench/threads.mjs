/**
 * Attention on several threads against one, in this Node:
 * `node tests/bench/threads.mjs [threads] [variant]`. On Linux also by the processor time of the
 * busiest thread, which is what a machine without other work would take.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { load } from '../../dist/threads.js';
import { median, race, ratio } from './measure.mjs';

const threads = Number(process.argv[2] ?? 2);
const variant = process.argv[3] ?? 'auto';
const shared = await load({ variant, threads });
const single = await load({ variant, threads: 1 });
console.log(`${shared.info.variant}, ${shared.info.threads} threads against one`);

const heads = 8;
const headDim = 64;

/** A call of attention on tensors that are already there. */
function attend(pe, queries, keys, causal) {
  const random = (tokens) =>
    pe.tensor(pe.random(1).normal(heads * tokens * headDim), [1, heads, tokens, headDim]);
  const [query, key] = [random(queries), random(keys)];
  const out = pe.zeros([1, heads, queries, headDim]);
  const encoding = pe.encoding('rope', { headDim });
  return () => pe.attention({ query, key, value: key, encoding, causal, out });
}

/** Milliseconds of processor time of each thread of this process; none where Linux does not tell. */
function processorTimes() {
  try {
    const folder = '/proc/self/task';
    const read = (id) => parseInt(readFileSync(`${folder}/${id}/schedstat`, 'utf8'), 10) / 1e6;
    return new Map(readdirSync(folder).map((id) => [id, read(id)]));
  } catch {
    return new Map();
  }
}

/** Processor time of the busiest thread in 20 calls. */
function busiest(call) {
  const before = processorTimes();
  for (let i = 0; i < 20; ++i) call();
  const spent = [...processorTimes()].map(([id, ms]) => ms - (before.get(id) ?? 0));
  return Math.max(...spent);
}

const sizes = [
  { queries: 1, keys: 4096 },
  ...[128, 512, 1024, 2048].map((tokens) => ({ queries: tokens, keys: tokens })),
];
for (const { queries, keys } of sizes) {
  for (const causal of queries === 1 ? [true] : [false, true]) {
    const [one, several] = [single, shared].map((pe) => attend(pe, queries, keys, causal));
    const times = await race({ one, several });
    const [alone, together] = [times.one, times.several].map((ms) => median(ms).toFixed(2));
    const quotient = ratio(times.one, times.several).median.toFixed(2);
    const limit = (busiest(one) / busiest(several)).toFixed(2);
    const work = `${queries} × ${keys}${causal ? ', causal' : ''}`;
    console.log(`${work}: ${alone} ms, ${together} ms, ${quotient}× (processor: ${limit}×)`);
  }
}
shared.dispose();

/**
 * Attention on several threads against one, in this Node: `node tests/bench/threads.mjs [threads]`.
 */
import { load } from '../../dist/threads.js';
import { race } from './measure.mjs';

const threads = Number(process.argv[2] ?? 2);
const shared = await load({ threads });
const single = await load({ threads: 1 });
const { variant } = shared.info;
console.log(`${variant}, ${shared.info.threads} threads against ${single.info.threads}`);

const heads = 8;
const headDim = 64;

/** A call of attention on tensors that are already there. */
function attend(pe, tokens, causal) {
  const shape = [1, heads, tokens, headDim];
  const x = pe.tensor(pe.random(1).normal(heads * tokens * headDim), shape);
  const out = pe.zeros(shape);
  const encoding = pe.encoding('rope', { headDim });
  return () => pe.attention({ query: x, key: x, value: x, encoding, causal, out });
}

for (const tokens of [128, 512, 1024, 2048]) {
  for (const causal of [false, true]) {
    const ms = race({
      one: attend(single, tokens, causal),
      several: attend(shared, tokens, causal),
    });
    const work = `[1, ${heads}, ${tokens}, ${headDim}]${causal ? ' causal' : ''}`;
    const ratio = (ms.one / ms.several).toFixed(2);
    console.log(`${work}: ${ms.one.toFixed(2)} ms, ${ms.several.toFixed(2)} ms, ${ratio}×`);
  }
}
shared.dispose();

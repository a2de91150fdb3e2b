/**
 * `npm run bench:models`: how fast a language model of this package writes in this Node, beside a plain
 * C++ loop that the system's compiler builds with -Ofast, in turns. stories260K where ../shared holds
 * it, and the sizes of stories15M with random weights; prefill against decoding; memory after 20 runs.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { at } from '../../scripts/lib/project.mjs';
import { median } from './measure.mjs';

const ROUNDS = 9;
const { load } = await import(pathToFileURL(at('dist/index.js')).href);
const pe = await load();
const folder = mkdtempSync(join(tmpdir(), 'posenc-bench-'));

/** A file of llama2.c with weights that are small and seeded. */
function randomLlama({ width, hidden, layers, heads, vocabulary, length }) {
  const numbers =
    vocabulary * width +
    layers * (2 * width + 4 * width ** 2 + 3 * width * hidden) +
    width +
    length * (width / heads);
  const bytes = new ArrayBuffer(28 + 4 * numbers);
  new Int32Array(bytes, 0, 7).set([width, hidden, layers, heads, heads, vocabulary, length]);
  const weights = new Float32Array(bytes, 28);
  const deviation = 1 / Math.sqrt(width);
  pe.random(1)
    .normal(numbers)
    .forEach((x, i) => (weights[i] = x * deviation));
  return new Uint8Array(bytes);
}

/** Tokens of a second, and the ids, of `count` tokens written greedily after token 1. */
async function write(model, count) {
  const ids = [];
  const start = performance.now();
  for await (const { id } of model.generate([1], {
    temperature: 0,
    maxTokens: count,
    stopIds: [],
  })) {
    ids.push(id);
  }
  return { ids, rate: (1000 * count) / (performance.now() - start) };
}

function writeNative(program, file, count) {
  const [ids, rate] = execFileSync(program, [file, String(count)], { encoding: 'utf8' }).split(
    '\n',
  );
  return { ids: ids.trim().split(' ').map(Number), rate: Number(rate) };
}

const spread = (rates) => `${median(rates).toFixed(0)} tokens/s`;

async function compare(name, bytes, count, program) {
  const file = join(folder, 'model.bin');
  writeFileSync(file, bytes);
  const rates = { native: [] };
  const models = {};
  for (const dtype of ['f32', 'f16', 'int8']) {
    models[dtype] = await pe.loadModel({ weights: bytes, dtype });
    rates[dtype] = [];
    await write(models[dtype], count);
  }
  const [ours, theirs] = [await write(models.f32, 16), writeNative(program, file, 16)];
  const same = ours.ids.every((id, i) => id === theirs.ids[i]);
  for (let round = 0; round < ROUNDS; ++round) {
    for (const dtype of Object.keys(models)) {
      rates[dtype].push((await write(models[dtype], count)).rate);
    }
    rates.native.push(writeNative(program, file, count).rate);
  }
  const native = median(rates.native);
  console.log(`${name}: ${count} tokens, ids ${same ? 'the same' : 'differ'} in f32`);
  console.log(`  C++ loop, -Ofast   ${spread(rates.native)}`);
  for (const dtype of Object.keys(models)) {
    const ratio = median(rates[dtype]) / native;
    console.log(
      `  posenc ${dtype.padEnd(5)}       ${spread(rates[dtype])}, ${ratio.toFixed(2)} × the loop`,
    );
  }
  const prompt = Array.from({ length: count }, (_, i) => 1 + (i % 100));
  const prefill = [];
  for (let round = 0; round < ROUNDS; ++round) {
    const start = performance.now();
    models.f32.hidden(prompt);
    prefill.push((1000 * count) / (performance.now() - start));
  }
  console.log(
    `  prefill f32        ${spread(prefill)}, ${(median(prefill) / native).toFixed(2)} × the loop`,
  );
  Object.values(models).forEach((model) => model.dispose());
}

try {
  const program = join(folder, 'llama-loop');
  const source = at('tests/bench/native/llama-loop.cpp');
  execFileSync('c++', ['-std=c++20', '-Ofast', '-march=native', source, '-o', program]);
  console.log(
    `Node ${process.versions.node}, build ${pe.info.variant}; medians of ${ROUNDS} rounds`,
  );
  const stories = at('../shared/conformance/stories260k/stories260K.bin');
  if (existsSync(stories)) await compare('stories260K', readFileSync(stories), 256, program);
  else console.log('stories260K: not measured, its file is not there');
  const small = { width: 288, hidden: 768, layers: 6, heads: 6, vocabulary: 32000, length: 256 };
  await compare('15M', randomLlama(small), 128, program);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** One run: learns, keeps its place on the disk, tries every size at the end. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

const { run, folder, text: textPath, dist, saveMs } = workerData;
const { load } = await import(pathToFileURL(join(dist, 'index.js')).href);
const { resumeRun, startRun } = await import(pathToFileURL(join(dist, 'lab.js')).href);

const file = (end) => join(folder, run.name + end);

/** Writes a file as a whole or not at all. */
function write(path, content) {
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}

/** Goes on where the run stopped; else from the weights it is to start with, or from nothing. */
async function begin(pe) {
  const text = textPath === undefined ? {} : { text: readFileSync(textPath, 'utf8') };
  const state = file('.state');
  if (existsSync(state)) return resumeRun({ pe, ...text, file: readFileSync(state) });
  const from =
    run.from === undefined
      ? {}
      : { weights: readFileSync(join(folder, `${run.from}.safetensors`)) };
  return startRun({ pe, recipe: run.recipe, ...text, ...from });
}

const pe = await load({ variant: 'simd' });
const lab = await begin(pe);
const { steps } = lab.recipe;
const started = performance.now();
let saved = started;
while (lab.steps < steps) {
  const { step, loss } = lab.step();
  if (step % 10 === 0) parentPort.postMessage({ step, steps, loss });
  if (performance.now() - saved > saveMs) {
    write(file('.state'), lab.save());
    saved = performance.now();
  }
}
const scores = lab.recipe.test.map((size) => lab.evaluate(size, { examples: run.examples }));
if (run.weights) write(file('.safetensors'), lab.export({ dtype: 'f16' }).weights);
write(file('.json'), `${JSON.stringify(resultOf(lab, scores))}\n`);
rmSync(file('.state'), { force: true });
parentPort.postMessage({ done: summary(scores) });
lab.dispose();

/** What is kept of a run: the recipe, losses in at most 100 means, and the scores. */
function resultOf({ recipe, losses }, sizes) {
  const block = Math.max(1, Math.ceil(losses.length / 100));
  const means = [];
  for (let i = 0; i < losses.length; i += block) {
    const part = losses.slice(i, i + block);
    means.push(round(part.reduce((a, b) => a + b, 0) / part.length));
  }
  return {
    ...{ name: run.name, version: pe.info.version, recipe },
    ...(run.from === undefined ? {} : { from: run.from }),
    losses: { every: block, means },
    scores: sizes.map(({ lossByPlace, byDistance, ...score }) => ({
      ...score,
      loss: round(score.loss),
      ...(recipe.task === 'text' ? { lossByPlace: lossByPlace.map(round) } : {}),
      ...(byDistance.length === 0 ? {} : { byDistance: bins(byDistance) }),
    })),
  };
}

/** Share of right answers by distance, doubling from bin to bin. */
function bins(answers) {
  const counted = new Map();
  for (const { distance, right } of answers) {
    const bin = 2 ** Math.ceil(Math.log2(distance));
    const [all, good] = counted.get(bin) ?? [0, 0];
    counted.set(bin, [all + 1, good + (right ? 1 : 0)]);
  }
  return [...counted]
    .sort(([a], [b]) => a - b)
    .map(([upTo, [all, good]]) => ({ upTo, examples: all, exact: good / all }));
}

function round(x) {
  return Number(x.toPrecision(5));
}

function summary(sizes) {
  const isText = lab.recipe.task === 'text';
  return sizes
    .map(
      ({ size, exact, loss }) =>
        `${size}: ${isText ? loss.toFixed(3) : `${(100 * exact).toFixed(0)} %`}`,
    )
    .join('  ');
}

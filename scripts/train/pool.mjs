/** Runs side by side, each in a thread of its own. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

const seconds = (ms) => `${(ms / 1000).toFixed(0)} s`;

/**
 * Trains all runs whose results are not there yet.
 * @param {import('./runs.mjs').PlannedRun[]} runs
 * @param {{ folder: string, jobs: number, text?: string, dist: string, saveMs?: number }} options
 *   `text`: path of what is learned; `saveMs`: between two states on the disk
 */
export async function runAll(runs, { folder, jobs, text, dist, saveMs = 20_000 }) {
  const resultOf = (name) => join(folder, `${name}.json`);
  const waiting = runs.filter(({ name }) => !existsSync(resultOf(name)));
  const board = new Board(runs.length, runs.length - waiting.length);
  const running = new Set();
  const failures = [];
  const start = () => {
    while (running.size < jobs) {
      const next = waiting.findIndex(
        ({ from }) => from === undefined || existsSync(resultOf(from)),
      );
      if (next < 0) break;
      const [run] = waiting.splice(next, 1);
      const done = inThread(run, { folder, text, dist, saveMs }, (report) =>
        board.report(run.name, report),
      )
        .then((score) => board.finish(run.name, score))
        .catch((error) => failures.push(`${run.name}: ${error.message}`))
        .finally(() => running.delete(done));
      running.add(done);
    }
  };
  start();
  while (running.size > 0) {
    await Promise.race(running);
    start();
  }
  if (waiting.length > 0)
    failures.push(`not started: ${waiting.map(({ name }) => name).join(', ')}`);
  if (failures.length > 0) throw new Error(failures.join('\n'));
}

function inThread(run, options, report) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('worker.mjs', import.meta.url), {
      workerData: { run, ...options },
    });
    worker.on('message', ({ done, ...message }) => (done ? resolve(done) : report(message)));
    worker.on('error', reject);
    worker.on('exit', (code) => reject(new Error(`the thread ended with code ${code}`)));
  });
}

/** What the terminal shows: a line per run that ends, and a last one that moves. */
class Board {
  #started = Date.now();
  #lastLine = 0;
  #now = new Map();

  constructor(total, done) {
    this.total = total;
    this.done = done;
    if (done > 0) console.log(`${done} of ${total} runs are there already`);
  }

  report(name, { step, steps, loss }) {
    this.#now.set(name, `${name} ${bar(step / steps)} ${loss.toFixed(3)}`);
    const isTerminal = process.stdout.isTTY;
    if (Date.now() - this.#lastLine < (isTerminal ? 200 : 30_000)) return;
    this.#lastLine = Date.now();
    const text = `${this.done}/${this.total}  ${[...this.#now.values()].join('  ')}`;
    if (isTerminal) process.stdout.write(`\r\x1b[K${text.slice(0, process.stdout.columns)}`);
    else console.log(text);
  }

  finish(name, summary) {
    this.#now.delete(name);
    this.done += 1;
    if (process.stdout.isTTY) process.stdout.write('\r\x1b[K');
    console.log(
      `${this.done}/${this.total}  ${name}  ${summary}  (${seconds(Date.now() - this.#started)})`,
    );
  }
}

const bar = (share) => {
  const filled = Math.round(10 * share);
  return `${'█'.repeat(filled)}${'░'.repeat(10 - filled)} ${(100 * share).toFixed(0).padStart(3)} %`;
};

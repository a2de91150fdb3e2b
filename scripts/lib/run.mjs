/** Runs a program: quietly with a progress line, or loudly with its output passed through. */
import { spawn } from 'node:child_process';

/** Characters of output kept for the error message of a failed quiet run, and lines shown of it. */
const LOG_LENGTH = 20_000;
const HEAD_LINES = 8;
const TAIL_LINES = 12;
const TTY_INTERVAL_MS = 200;
const LOG_INTERVAL_MS = 15_000;

/** A program ended with an error; `message` holds the end of its output. */
export class RunError extends Error {}

/** Children still running, ended when this process is interrupted. */
const running = new Set();
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
]) {
  process.on(signal, () => {
    for (const child of running) child.kill('SIGTERM');
    process.exit(code);
  });
}

function start(command, args, options) {
  const child = spawn(command, args, options);
  running.add(child);
  const ended = new Promise((resolve, reject) => {
    child.once('error', (error) => {
      running.delete(child);
      reject(new RunError(`cannot start ${command}: ${error.message}`));
    });
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve(code ?? `signal ${signal}`);
    });
  });
  return { child, ended };
}

/** The first and the last lines: some programs say what is wrong first, others last. */
function shorten(lines) {
  if (lines.length <= HEAD_LINES + TAIL_LINES) return lines.join('\n');
  return [...lines.slice(0, HEAD_LINES), '…', ...lines.slice(-TAIL_LINES)].join('\n');
}

/**
 * Runs a program with its output passed through.
 * @returns {Promise<number | string>} its exit code, or the signal that ended it
 */
export function runLoud(command, args, { cwd, env } = {}) {
  return start(command, args, { cwd, env, stdio: 'inherit' }).ended;
}

/**
 * Runs a program and returns its standard output; throws RunError on failure.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: object, label?: string }} options with a `label`, a line with the
 *   elapsed time and the last line of output is kept up to date (on a terminal) or printed every
 *   15 seconds (elsewhere)
 */
export async function run(command, args, { cwd, env, label } = {}) {
  const { child, ended } = start(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let log = '';
  const listen = (text) => {
    log = (log + text).slice(-LOG_LENGTH);
  };
  const lines = () => log.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
    listen(text);
  });
  child.stderr.setEncoding('utf8').on('data', listen);

  const progress = label === undefined ? undefined : new Progress(label, () => lines().at(-1));
  let code;
  try {
    code = await ended;
  } finally {
    progress?.stop(code === 0);
  }
  if (code !== 0) {
    const shown = [command, ...args].join(' ');
    throw new RunError(`${shown} ended with ${code}\n${shorten(lines())}`.trimEnd());
  }
  return output;
}

/** A line that tells how long something has taken and what it last said. */
export class Progress {
  #started = Date.now();
  #timer;

  constructor(label, lastLine = () => undefined) {
    this.label = label;
    this.lastLine = lastLine;
    const terminal = process.stderr.isTTY;
    if (!terminal) process.stderr.write(`${label} …\n`);
    this.#timer = setInterval(() => this.#show(), terminal ? TTY_INTERVAL_MS : LOG_INTERVAL_MS);
  }

  get #seconds() {
    return Math.round((Date.now() - this.#started) / 1000);
  }

  #show() {
    const line = `${this.label} … ${this.#seconds} s  ${this.lastLine()?.trim() ?? ''}`;
    if (process.stderr.isTTY) {
      process.stderr.write(`\r\x1b[K${line.slice(0, (process.stderr.columns ?? 80) - 1)}`);
    } else {
      process.stderr.write(`${line}\n`);
    }
  }

  /** Ends the line; says how long it took. */
  stop(succeeded = true) {
    clearInterval(this.#timer);
    const clear = process.stderr.isTTY ? '\r\x1b[K' : '';
    const outcome = succeeded ? '' : ' failed';
    process.stderr.write(`${clear}${this.label}:${outcome} ${this.#seconds} s\n`);
  }
}

#!/usr/bin/env node
/** `posenc inspect`: the plan of a model in the terminal. */
import { InputError, readInput } from './cli-input.js';
import { PosencError, inspect } from './index.js';
import { limits } from './inspect/limits.js';
import { formatPlan } from './inspect/table.js';
import type { Language, Paint } from './inspect/table.js';
import { suggest } from './suggest.js';

/** Version of package.json, put in by the build. */
declare const __POSENC_VERSION__: string;

const help = `posenc: how a transformer model handles position

  posenc inspect <config.json | folder | model.gguf | -> [--length N] [--json] [--lang zh|en]

Reads a Hugging Face config.json (or the one in a folder, or standard input for -), or the header of a GGUF
file (with @huggingface/gguf installed), and prints, layer by layer, its position encoding, wavelengths,
window, and what is assumed, contradictory or wrong.

  --length N     judge the model at this sequence length (default: the trained length)
  --json         print the plan as JSON
  --lang zh|en   language of the text (default: that of the environment, else en)
  --help         this text
  --version      the version

Exit code 0: the plan was printed (its notes may hold errors); 1: the input is unreadable or broken;
2: wrong usage.
`;

/** Wrong usage: exit code 2. */
class UsageError extends Error {}

interface Command {
  readonly path: string;
  readonly length: number | undefined;
  readonly json: boolean;
  readonly language: Language;
}

const commands = ['inspect'];
const flags = ['--length', '--json', '--lang', '--help', '--version'];

function nearest(what: string, given: string, known: readonly string[]): UsageError {
  const found = suggest(given, known);
  const hint = found === undefined ? `there are: ${known.join(', ')}` : `did you mean ${found}?`;
  return new UsageError(`there is no ${what} ${given}; ${hint}`);
}

/** Reads the arguments; a text is to be printed as it is. */
function parse(args: readonly string[]): Command | string {
  const plain: string[] = [];
  const given = new Map<string, string>();
  for (let i = 0; i < args.length; i++) {
    const argument = args[i] as string;
    if (!argument.startsWith('-') || argument === '-') {
      plain.push(argument);
      continue;
    }
    const [, name, inline] = /^([^=]*)(?:=(.*))?$/s.exec(argument) as unknown as string[];
    const flag = name === '-h' ? '--help' : String(name);
    if (!flags.includes(flag)) throw nearest('option', flag, flags);
    if (flag === '--help') return help;
    if (flag === '--version') return `${__POSENC_VERSION__}\n`;
    const valued = flag !== '--json';
    const value = valued ? (inline ?? args[++i]) : 'true';
    if (value === undefined) throw new UsageError(`${flag} needs a value`);
    if (!valued && inline !== undefined) throw new UsageError(`${flag} takes no value`);
    given.set(flag, value);
  }
  const [command, path, ...rest] = plain;
  if (command === undefined) throw new UsageError('a command is missing; there is: inspect');
  if (!commands.includes(command)) throw nearest('command', command, commands);
  if (path === undefined)
    throw new UsageError('inspect needs a config.json, a folder or -, or a .gguf file');
  if (rest.length > 0) throw new UsageError(`inspect takes one path, not also ${rest.join(' ')}`);
  return {
    path,
    length: lengthOf(given.get('--length')),
    json: given.has('--json'),
    language: languageOf(given.get('--lang')),
  };
}

function lengthOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const length = /^\d+$/.test(text) ? Number(text) : NaN;
  const { low, high } = limits.length;
  if (length >= low && length <= high) return length;
  throw new UsageError(`--length is ${text}, needs a whole number from ${low} to ${high}`);
}

function languageOf(text: string | undefined): Language {
  if (text === 'zh' || text === 'en') return text;
  if (text !== undefined) throw new UsageError(`--lang is ${text}, needs zh or en`);
  const { LC_ALL, LC_MESSAGES, LANG } = process.env;
  return (LC_ALL || LC_MESSAGES || LANG || '').startsWith('zh') ? 'zh' : 'en';
}

const codes = { red: 31, yellow: 33, dim: 2, bold: 1 } as const;

/** Colours only on a terminal, and never against NO_COLOR (no-color.org). */
function painter(): Paint {
  if (!process.stdout.isTTY || process.env['NO_COLOR']) return (text) => text;
  return (text, colour) => `\u001b[${codes[colour]}m${text}\u001b[0m`;
}

async function run(args: readonly string[]): Promise<string> {
  const command = parse(args);
  if (typeof command === 'string') return command;
  const { path, length, json, language } = command;
  const plan = inspect(await readInput(path), length === undefined ? {} : { length });
  return json ? `${JSON.stringify(plan, null, 2)}\n` : formatPlan(plan, language, painter());
}

/** Exit code of a failure, after telling it on standard error; anything unforeseen keeps its stack. */
function fail(error: unknown): number {
  const usage = error instanceof UsageError;
  if (!usage && !(error instanceof InputError) && !(error instanceof PosencError)) throw error;
  // A broken file must not steer the terminal.
  const message = error.message.replace(/\p{Cc}/gu, '�');
  process.stderr.write(`posenc: ${message}\n${usage ? 'Try posenc --help.\n' : ''}`);
  return usage ? 2 : 1;
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(); // the reader (head, less) has seen enough
});

try {
  process.stdout.write(await run(process.argv.slice(2)));
} catch (error) {
  process.exitCode = fail(error);
}

/** What a reader of the lab chooses, its short form in the address, and the recipes that follow from it. */
import { labEncodingNames, tasks, type LabEncodingName, type Recipe } from 'posenc/lab';
import {
  choice,
  integer,
  parseState,
  patchState,
  real,
  serializeState,
  type Value,
} from '../../figures/frame-state.js';

/** The task that learns a text of the reader's own. */
export const TEXT = 'text';
/** Names of everything that can be learned, in the order of the menu. */
export const taskNames: readonly string[] = [...tasks.map(({ name }) => name), TEXT];

/** How many times the trained size can be tried. */
export const TIMES = [1, 2, 4, 8] as const;
/** Sizes tried beyond the trained ones. */
const BEYOND = 5;
/** Sizes of texts, characters. */
const TEXT_SIZES = [2, 1024] as const;
const TEXT_LENGTH = 64;

/** Everything that is chosen. */
export interface Choices {
  readonly task: string;
  /** Sizes to train at, both included; of a text both are the same. */
  readonly low: number;
  readonly high: number;
  /** How many times `high` the largest size is that is tried. */
  readonly upto: number;
  readonly pe: readonly LabEncodingName[];
  readonly seed: number;
  readonly steps: number;
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  readonly batch: number;
  readonly rate: number;
}

/** Sizes that a task knows, both included. */
export const sizesOf = (task: string): readonly [number, number] =>
  tasks.find(({ name }) => name === task)?.sizes ?? TEXT_SIZES;

/** Where a task begins: half the usual sizes where those begin at one, so that a minute is enough. */
function usualSizes(task: string): readonly [number, number] {
  const [low, high] = tasks.find(({ name }) => name === task)?.train ?? [TEXT_LENGTH, TEXT_LENGTH];
  return low === 1 ? [low, Math.ceil(high / 2)] : [low, high];
}

/** A set of names, in the order of the menu: `rope.alibi`. */
function names<Name extends string>(
  known: readonly Name[],
  initial: readonly Name[],
): Value<readonly Name[]> {
  const clean = (value: unknown) =>
    Array.isArray(value) ? known.filter((name) => value.includes(name)) : initial;
  return {
    initial,
    clean,
    read: (text) => clean(text.split('.')),
    write: (value) => value.join('.'),
  };
}

const task = choice(taskNames, 'copy');

/** What the choices of a task may be; their bounds depend on it. */
export function schemaOf(name: string) {
  const [least, most] = sizesOf(name);
  const [low, high] = usualSizes(name);
  return {
    task,
    low: integer(least, most, low),
    high: integer(least, most, high),
    upto: integer(TIMES[0], TIMES[3], 2),
    pe: names(
      labEncodingNames,
      labEncodingNames.filter((each) => ['rope', 'alibi', 'nope', 'sinusoidal'].includes(each)),
    ),
    seed: integer(0, 2 ** 20, 0),
    steps: integer(1, 100_000, 600),
    width: integer(8, 256, 48),
    layers: integer(1, 8, 2),
    heads: integer(1, 16, 4),
    batch: integer(1, 256, 32),
    rate: real(1e-5, 0.1, 4e-3, 3),
  };
}

/** What is chosen where nothing was. */
export const initialChoices = (name: string = task.initial): Choices =>
  settle(patchState(schemaOf(name), parseState(schemaOf(name), ''), { task: name }));

/** Brings choices in line with each other: no size, width or number that cannot be. */
export function settle(given: Choices): Choices {
  const schema = schemaOf(task.clean(given.task));
  const clean = patchState(schema, parseState(schema, ''), given);
  const { high, heads } = clean;
  const unit = 2 * heads;
  return {
    ...clean,
    low: clean.task === TEXT ? high : Math.min(clean.low, high),
    upto: TIMES.findLast((times) => times <= clean.upto)!,
    width: Math.ceil(clean.width / unit) * unit,
  };
}

/** Another task: its own sizes, everything else as it was. */
export const withTask = (choices: Choices, name: string): Choices => {
  const { low, high } = initialChoices(name);
  return settle({ ...choices, task: name, low, high });
};

const prefix = /^#lab=/;

/** Whether an address tells choices. */
export const hasChoices = (hash: string): boolean => prefix.test(hash);

/** Reads `#lab=task:sort,pe:rope.alibi`. Never throws: what cannot be is ignored or clamped. */
export function parseChoices(hash: string): Choices {
  const source = hasChoices(hash) ? hash.replace(prefix, '') : '';
  const named = parseState({ task }, source).task;
  return settle({ ...parseState(schemaOf(named), source), task: named });
}

/** The inverse of `parseChoices`; empty where nothing differs from the usual. */
export function writeChoices(choices: Choices): string {
  const written = [
    serializeState({ task }, choices),
    serializeState(
      { ...schemaOf(choices.task), task: choice([choices.task], choices.task) },
      choices,
    ),
  ].filter(Boolean);
  return written.length === 0 ? '' : `#lab=${written.join(',')}`;
}

/** Sizes that are tried: half the trained one, itself, and beyond by equal factors. */
export function testSizes({
  task: name,
  high,
  upto,
}: Pick<Choices, 'task' | 'high' | 'upto'>): number[] {
  const [least, most] = sizesOf(name);
  const beyond = Array.from({ length: BEYOND }, (_, i) => high * upto ** ((i + 1) / BEYOND));
  const sizes = [high / 2, high, ...beyond].map((size) =>
    Math.min(most, Math.max(least, Math.round(size))),
  );
  return [...new Set(sizes)].sort((a, b) => a - b);
}

/** What is learned with one of the encodings. */
export function recipeOf(choices: Choices, encoding: LabEncodingName): Recipe {
  const { low, high, steps, seed, width, layers, heads, batch, rate } = choices;
  return {
    ...{ task: choices.task, encoding, train: [low, high], test: testSizes(choices) },
    ...{ seed, width, layers, heads, batch, steps, rate },
    warmup: Math.min(50, Math.ceil(steps / 10)),
  };
}

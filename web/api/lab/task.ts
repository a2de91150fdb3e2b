/** Tasks whose answers are known, for which a model can be trained at some lengths and tried at others. */
import type { Draws } from '../positions/draw.js';

/** What a model reads, and which part of it is the answer. */
export interface Example {
  /** Numbers of symbols. */
  readonly tokens: readonly number[];
  /** Which tokens are to be foreseen from those before them, ascending, none of them the first. */
  readonly answer: readonly number[];
  /** How many tokens before the last one read the answer stands, where the task counts by that. */
  readonly distance?: number;
}

/** A task that a {@link Recipe} can name. */
export interface Task {
  /** What a recipe calls it. */
  readonly name: string;
  /** What is to be done, and what a size counts. */
  readonly about: { readonly zh: string; readonly en: string };
  /** What each token shows. */
  readonly symbols: readonly string[];
  /** Sizes that models are usually trained at, both ends included. */
  readonly train: readonly [low: number, high: number];
  /** Sizes that they are tried at: some inside, most outside. */
  readonly test: readonly number[];
  /** Sizes that the task knows, both ends included. */
  readonly sizes: readonly [low: number, high: number];
  /** An example of a size. Where trials are drawn from another distribution, `trial` says so. */
  readonly make: (draws: Draws, size: number, trial: boolean) => Example;
}

/** Marks that most tasks use: begin, what separates the question from the answer, end. */
export const marks = ['^', '=', '$'] as const;
export const begin = 0;
export const separator = 1;
export const end = 2;

/** Numbers from one up to another, without it. */
export const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);

/** Question and answer between marks; the end belongs to the answer. */
export function answered(question: readonly number[], answer: readonly number[]): Example {
  const tokens = [begin, ...question, separator, ...answer, end];
  return { tokens, answer: range(question.length + 2, tokens.length) };
}

/** Independent numbers below a bound, each raised by `from`. */
export const draw = (draws: Draws, count: number, below: number, from = 0): number[] =>
  Array.from({ length: count }, () => from + draws.integer(0, below - 1));

/** Different numbers below a bound in a random order. */
export function drawDifferent(draws: Draws, count: number, below: number): number[] {
  const taken = [...draws.sample(count, below)];
  for (let i = taken.length - 1; i > 0; i--) {
    const j = draws.integer(0, i);
    [taken[i], taken[j]] = [taken[j]!, taken[i]!];
  }
  return taken;
}

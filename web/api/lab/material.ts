/** What a run learns from and is tried with: examples of a task, or windows of a text. */
import { wrong } from '../check.js';
import { characterTokenizer, type CharacterTokenizer } from '../model/tokenizers/characters.js';
import { Draws } from '../positions/draw.js';
import type { FullRecipe } from './recipe.js';
import type { Example } from './task.js';
import { taskOf } from './tasks/index.js';

/** Tokens of one step. */
export interface Lesson {
  readonly ids: Int32Array;
  readonly batch: number;
  readonly targets: Int32Array;
  readonly weights: Float32Array;
}

/** Where lessons and trials come from. The same step has the same lesson, whatever came before. */
export interface Material {
  /** What each id shows. */
  readonly symbols: readonly string[];
  readonly vocabulary: number;
  /** Tokens of the longest sequence that is trained, and that is tried. */
  readonly trained: number;
  readonly longest: number;
  readonly tokenizer?: CharacterTokenizer;
  readonly lesson: (step: number) => Lesson;
  /** The examples of a size, always the same ones. */
  readonly trials: (size: number, count: number) => readonly Example[];
}

/** A stream of its own for every step and every size. */
const streamOf = (seed: number, trial: boolean, number: number): Draws =>
  new Draws((trial ? 2 ** 52 : 0) + seed * 2 ** 24 + (number % 2 ** 24));

/** The material of a recipe; `text` is what is learned where the task is `text`. */
export function materialOf(recipe: FullRecipe, text: string | undefined): Material {
  if (recipe.task === 'text') return textMaterial(recipe, text);
  if (text === undefined) return taskMaterial(recipe);
  throw wrong('argument', 'text', text, 'nothing, since the task is not text');
}

function taskMaterial({ task: name, seed, train, test, batch }: FullRecipe): Material {
  const task = taskOf(name);
  const tokensAt = (size: number): number =>
    task.make(streamOf(0, true, size), size, true).tokens.length;
  const trained = tokensAt(train[1]);
  return {
    symbols: task.symbols,
    vocabulary: task.symbols.length,
    trained,
    longest: Math.max(trained, ...test.map(tokensAt)),
    lesson(step) {
      const draws = streamOf(seed, false, step);
      const [low, high] = bandOf(draws.integer(...train), train);
      return lessonOf(
        Array.from({ length: batch }, () => task.make(draws, draws.integer(low, high), false)),
      );
    },
    trials(size, count) {
      const draws = streamOf(seed, true, size);
      return Array.from({ length: count }, () => task.make(draws, size, true));
    },
  };
}

/** Parts into which the trained sizes fall. */
const bands = 4;

/**
 * The band of sizes that a drawn size lies in. A lesson takes its examples from one band, so that little
 * of it is padding; over many lessons every size is as frequent as every other.
 */
function bandOf(size: number, [low, high]: FullRecipe['train']): [low: number, high: number] {
  const width = Math.ceil((high - low + 1) / bands);
  const first = low + Math.floor((size - low) / width) * width;
  return [first, Math.min(high, first + width - 1)];
}

/** Examples side by side, the shorter ones padded behind their ends, where nothing is counted. */
function lessonOf(examples: readonly Example[]): Lesson {
  const tokens = Math.max(...examples.map((example) => example.tokens.length)) - 1;
  const count = examples.length * tokens;
  const ids = new Int32Array(count);
  const targets = new Int32Array(count);
  const weights = new Float32Array(count);
  for (const [row, example] of examples.entries()) {
    ids.set(example.tokens.slice(0, -1), row * tokens);
    targets.set(example.tokens.slice(1), row * tokens);
    for (const at of example.answer) weights[row * tokens + at - 1] = 1;
  }
  return { ids, batch: examples.length, targets, weights };
}

/** One in so many characters, at the end of a text, is not learned but foreseen. */
const heldOut = 10;

/** Windows of a text, by character; the last tenth is for trials alone. */
function textMaterial(
  { seed, train, test, batch }: FullRecipe,
  text: string | undefined,
): Material {
  if (typeof text !== 'string') throw wrong('argument', 'text', text, 'the text to learn');
  const tokenizer = characterTokenizer(text);
  const ids = tokenizer.encode(text);
  const [length] = train;
  const longest = Math.max(length, ...test);
  const learned = ids.length - Math.ceil(ids.length / heldOut);
  if (learned <= length || ids.length - learned <= longest) {
    const allowed = `at least ${heldOut * (longest + 2)} characters for windows of ${longest}`;
    throw wrong('shape', 'text', `${ids.length} characters`, allowed);
  }
  return {
    symbols: tokenizer.alphabet,
    vocabulary: tokenizer.vocabulary,
    trained: length,
    longest,
    tokenizer,
    lesson(step) {
      const draws = streamOf(seed, false, step);
      const starts = Array.from({ length: batch }, () => draws.integer(0, learned - length - 1));
      const windows = (shift: number): Int32Array => {
        const out = new Int32Array(batch * length);
        for (const [row, start] of starts.entries()) {
          out.set(ids.subarray(start + shift, start + shift + length), row * length);
        }
        return out;
      };
      return {
        ...{ ids: windows(0), targets: windows(1), batch },
        weights: new Float32Array(batch * length).fill(1),
      };
    },
    trials(size, count) {
      const draws = streamOf(seed, true, size);
      const answer = Array.from({ length: size }, (_, i) => i + 1);
      return Array.from({ length: count }, () => {
        const start = draws.integer(learned, ids.length - size - 1);
        return { tokens: [...ids.subarray(start, start + size + 1)], answer };
      });
    },
  };
}

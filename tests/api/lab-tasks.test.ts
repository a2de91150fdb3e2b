/** Tasks of the lab against their definitions, and how their examples are spread. */
import { fillRecipe, tasks, type Recipe, type Task } from 'posenc/lab';
import { describe, expect, it } from 'vitest';
import { materialOf } from '../../web/api/lab/material.js';
import { Draws } from '../../web/api/positions/draw.js';
import { rules } from './lab-task-rules.js';

const named = (name: string): Task => tasks.find((task) => task.name === name)!;

/** Examples of a size, one after the other from a seed. */
function examplesOf(task: Task, size: number, count: number, trial = false, seed = 1) {
  const draws = new Draws(seed);
  return Array.from({ length: count }, () => {
    const { tokens, answer, distance } = task.make(draws, size, trial);
    const words = tokens.map((token) => task.symbols[token]!);
    return { size, words, places: answer, distance };
  });
}

/** Expects that all of `of` are as frequent as each other: chi-squared within 5 deviations of its mean. */
function expectEven<T>(drawn: readonly T[], of: readonly T[]): void {
  const counts = of.map((value) => drawn.filter((each) => each === value).length);
  expect(counts.reduce((a, b) => a + b, 0)).toBe(drawn.length);
  const mean = drawn.length / of.length;
  const squares = counts.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0);
  const freedom = of.length - 1;
  expect(squares, counts.join()).toBeLessThan(freedom + 5 * Math.sqrt(2 * freedom));
}

const upTo = (count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, i) => from + i);

it('every task has a rule in this test, and the other way round', () => {
  expect(tasks.map(({ name }) => name)).toEqual(Object.keys(rules));
});

describe.each(tasks.map((task) => [task.name, task] as const))('%s', (name, task) => {
  const [low, high] = task.sizes;

  it('asks what it says, at all kinds of sizes', () => {
    const sizes = new Set([low, low + 1, ...task.train, ...task.test, high - 1, high]);
    for (const size of sizes) {
      for (const trial of [false, true]) {
        const examples = examplesOf(task, size, size > 100 ? 2 : 20, trial);
        for (const shown of examples) rules[name]!(shown);
        if (size > 3) {
          expect(new Set(examples.map(({ words }) => words.join(' '))).size).toBe(examples.length);
        }
      }
    }
  });

  it('has answers that come after something, in order', () => {
    for (const { words, places } of examplesOf(task, task.train[1], 20)) {
      expect(places.length).toBeGreaterThan(0);
      expect(places[0]).toBeGreaterThan(0);
      expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
      expect(places.at(-1)).toBe(words.length - 1);
    }
  });

  it('is described, and its sizes are among those it knows', () => {
    expect(new Set(task.symbols).size).toBe(task.symbols.length);
    expect(task.about.zh).toMatch(/\p{Script=Han}/u);
    expect(task.about.en).toMatch(/^[A-Za-z]/);
    for (const size of [...task.train, ...task.test]) {
      expect(size).toBeGreaterThanOrEqual(low);
      expect(size).toBeLessThanOrEqual(high);
    }
    expect(Math.max(...task.test)).toBeGreaterThan(task.train[1]);
    expect(task.test).toContain(task.train[1]);
  });

  it('gives the same lessons and trials every time, others by step, size and seed', () => {
    const recipe: Recipe = { task: name, encoding: 'rope', batch: 3 };
    const [one, again, other] = [0, 0, 7].map((seed) =>
      materialOf(fillRecipe({ ...recipe, seed }), undefined),
    );
    one!.lesson(9); // what came before does not matter
    const lesson = one!.lesson(3);
    expect(again!.lesson(3)).toEqual(lesson);
    expect(again!.lesson(4)).not.toEqual(lesson);
    expect(other!.lesson(3)).not.toEqual(lesson);
    const [size] = task.test;
    const trials = one!.trials(size!, 4);
    expect(again!.trials(size!, 5).slice(0, 4)).toEqual(trials);
    expect(other!.trials(size!, 4)).not.toEqual(trials);
  });
});

describe('lessons', () => {
  it('are examples side by side: each token foresees the next, answers alone count', () => {
    const recipe = fillRecipe({ task: 'copy', encoding: 'rope', batch: 8 });
    const material = materialOf(recipe, undefined);
    const { symbols } = named('copy');
    const sizes = upTo(2000, 1).map((step) => {
      const { ids, targets, weights, batch } = material.lesson(step);
      expect(batch).toBe(8);
      const tokens = ids.length / batch;
      const rows = upTo(batch).map((row) => {
        const [read, next, counted] = [ids, targets, Int32Array.from(weights)].map((all) =>
          Array.from(all.subarray(row * tokens, (row + 1) * tokens)),
        );
        return { size: read!.indexOf(1) - 1, read: read!, next: next!, counted: counted! };
      });
      // A lesson is of one part of the sizes, and no longer than its longest example.
      const all = rows.map(({ size }) => size);
      expect(Math.floor((Math.max(...all) - 1) / 5)).toBe(Math.floor((Math.min(...all) - 1) / 5));
      expect(tokens).toBe(2 * Math.max(...all) + 2);
      for (const { size, read, next, counted } of step > 20 ? [] : rows) {
        const words = [read[0]!, ...next].slice(0, 2 * size + 3).map((token) => symbols[token]!);
        rules['copy']!({ size, words, places: upTo(size + 1, size + 2), distance: undefined });
        expect(read.slice(1, 2 * size + 2)).toEqual(next.slice(0, 2 * size + 1));
        expect(counted).toEqual(upTo(tokens).map((i) => +(i > size && i < 2 * size + 2)));
      }
      return all[0]!;
    });
    // Over many lessons every size is as frequent as every other.
    expectEven(sizes, upTo(20, 1));
  });

  it('of a text are windows of its first nine tenths, and trials of the rest', () => {
    const recipe = { task: 'text', encoding: 'rope', train: [4, 4], test: [8], batch: 64 } as const;
    const text = 'ab'.repeat(450) + 'yz'.repeat(50);
    const material = materialOf(fillRecipe(recipe), text);
    expect(material.symbols.join('')).toBe('abyz');
    // The last tenth is for trials alone, and trials are of nothing else.
    const { ids, targets, weights } = material.lesson(1);
    expect(Math.max(...ids, ...targets)).toBe(1);
    expect([...targets]).toEqual([...ids].map((id) => 1 - id));
    expect(new Set(weights)).toEqual(new Set([1]));
    for (const { tokens, answer } of material.trials(8, 50)) {
      expect(tokens.length).toBe(9);
      expect(Math.min(...tokens)).toBe(2);
      expect(answer).toEqual(upTo(8, 1));
    }
  });
});

describe('examples are spread evenly', () => {
  const last = ({ words }: { words: readonly string[] }) => words.at(-1)!;
  const beforeEnd = ({ words }: { words: readonly string[] }) => words.at(-2)!;
  const all = (name: string, size: number, trial = false) =>
    examplesOf(named(name), size, 2000, trial);
  const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-'];

  it('sums, parities, sorted numbers, cells', () => {
    expectEven(all('parity', 9).map(beforeEnd), ['0', '1']);
    expectEven(all('sum', 9).map(beforeEnd), [...'0123456789']);
    expectEven(
      all('sort', 1).map(beforeEnd),
      upTo(32).map((n) => `${n}`),
    );
    expectEven(all('grid', 2).map(beforeEnd), ['.', '#']);
    expectEven(all('reverse', 3).map(beforeEnd), [...'abcdefghijklmnop']);
  });

  it('digits of summands, and where hints begin', () => {
    const examples = all('addition', 2);
    expectEven(
      examples.map(({ words }) => words.slice(1, 3).join('')),
      upTo(100).map((n) => String(n).padStart(2, '0')),
    );
    expectEven(
      all('addition-hints', 49).map(({ words }) => words[1]!),
      [...'abc'],
    );
  });

  it('letters in an order of any kind', () => {
    // The first and the second letter of different ones: any, and any other.
    const examples = all('copy-distinct', 2);
    expectEven(
      examples.map(({ words }) => words[1]!),
      letters.slice(0, 52),
    );
    expectEven(
      examples.map(({ words: [, a, b] }) => a! < b!),
      [true, false],
    );
  });

  it('what is asked for, and where it stands', () => {
    const induction = all('induction', 9);
    expectEven(
      induction.map(({ words }) => words.at(-2)!),
      letters,
    );
    expectEven(
      induction.map(({ distance }) => distance),
      upTo(8, 2),
    );
    const needle = all('needle', 5);
    expectEven(
      needle.map(({ distance }) => distance! / 2),
      upTo(5, 1),
    );
    expectEven(needle.map(last), [...'⓪①②③④⑤⑥⑦⑧⑨']);
    const moves = all('index', 64).filter(({ words }) => {
      const at = words.indexOf(words.at(-3)!);
      return at > 8 && at <= 56; // where all moves are possible
    });
    expect(moves.length).toBeGreaterThan(1000);
    expectEven(
      moves.map(({ words }) => words.at(-2)!),
      [...'12345678'].flatMap((n) => [`←${n}`, `→${n}`]),
    );
  });

  it('flip-flop: four of five are ignored in lessons, nearly all or few in trials', () => {
    const shares = (trial: boolean) =>
      examplesOf(named('flip-flop'), 512, 200, trial).map(({ words }) => {
        const between = words.filter((_, i) => i % 2 === 0).slice(1, -1);
        return between.filter((word) => word === 'i').length / between.length;
      });
    for (const share of shares(false)) expect(Math.abs(share - 0.8)).toBeLessThan(0.09);
    const tried = shares(true);
    const rare = tried.filter((share) => share > 0.5);
    for (const share of rare) expect(Math.abs(share - 0.98)).toBeLessThan(0.04);
    const dense = tried.filter((share) => share < 0.5);
    for (const share of dense) expect(Math.abs(share - 0.1)).toBeLessThan(0.07);
    expect(rare.length + dense.length).toBe(200);
    expect(Math.abs(rare.length - 100)).toBeLessThan(36);
    expectEven(
      all('flip-flop', 8).map(({ words }) => words.at(-1)!),
      ['0', '1'],
    );
  });
});

/** What the tasks of the lab ask, said once more in words: from the symbols of an example to its answer. */
import { expect } from 'vitest';

/** An example as its reader sees it. */
export interface Shown {
  readonly size: number;
  readonly words: readonly string[];
  /** Places of the answer. */
  readonly places: readonly number[];
  readonly distance: number | undefined;
}

const letters52 = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Question and answer around the sign `=`; all behind it is to be foreseen, the end sign too. */
function halves({ words, places }: Shown): { question: string[]; reply: string[] } {
  const middle = words.indexOf('=');
  expect(words[0]).toBe('^');
  expect(words.at(-1)).toBe('$');
  expect(places).toEqual([...words.keys()].slice(middle + 1));
  return { question: words.slice(1, middle), reply: words.slice(middle + 1, -1) };
}

/** A question of `size` words from an alphabet, and what is to be made of it. */
function onWords(alphabet: RegExp, answer: (words: string[]) => string[], different = false) {
  return (shown: Shown): void => {
    const { question, reply } = halves(shown);
    expect(question.length).toBe(shown.size);
    expect(question.filter((word) => !alphabet.test(word))).toEqual([]);
    if (different) expect(new Set(question).size).toBe(question.length);
    expect(reply).toEqual(answer(question));
  };
}

/** `digits` turns what is written into a number with its first digit first. */
function onSums(digits: (words: string[], hints: string[]) => string[]) {
  return (shown: Shown): void => {
    const { question, reply } = halves(shown);
    const plus = question.indexOf('+');
    const hints: string[][] = [[], [], []];
    const [a, b, sum] = [question.slice(0, plus), question.slice(plus + 1), reply].map((part, i) =>
      digits(part, hints[i]!),
    );
    expect([a!.length, b!.length, sum!.length]).toEqual([shown.size, shown.size, shown.size + 1]);
    const [left, right] = [a!, b!].map((part) => BigInt(part.join('')));
    expect(sum!.join('')).toBe(String(left! + right!).padStart(shown.size + 1, '0'));
    for (const part of hints) {
      // Each place has the same letter in all three, the next place the next letter.
      const start = letters52.indexOf(hints[0]![0] ?? 'a');
      expect(part.join('')).toBe(letters52.slice(start, start + part.length));
    }
  };
}

/** The last place alone is asked. */
function lastOf({ words, places }: Shown): string {
  expect(places).toEqual([words.length - 1]);
  expect(words[0]).toBe('^');
  return words.at(-1)!;
}

/** Checks of an example, by task. */
export const rules: Readonly<Record<string, (shown: Shown) => void>> = {
  copy: onWords(/^[a-p]$/, (words) => words),
  'copy-distinct': onWords(/^[a-zA-Z]$/, (words) => words, true),
  reverse: onWords(/^[a-p]$/, (words) => [...words].reverse()),
  sort: onWords(/^([12]?\d|3[01])$/, (words) => {
    const counted = Array.from({ length: 32 }, (_, n) => words.filter((word) => word === `${n}`));
    return counted.flat();
  }),
  sum: onWords(/^\d$/, (words) => [String(words.map(Number).reduce((a, b) => a + b, 0)).at(-1)!]),
  parity: onWords(/^[01]$/, (words) => [
    words.filter((word) => word === '1').length % 2 === 0 ? '0' : '1',
  ]),
  addition: onSums((words) => words),
  'addition-reversed': onSums((words) => [...words].reverse()),
  'addition-hints': onSums((words, hints) => {
    hints.push(...words.filter((_, i) => i % 2 === 0));
    return words.filter((_, i) => i % 2 === 1).reverse();
  }),
  'flip-flop': ({ size, words, places }) => {
    expect(words.length).toBe(2 * size);
    expect(words[0]).toBe('w');
    expect(words.at(-2)).toBe('r');
    expect(words.join('')).toMatch(/^([wir][01])+$/);
    const asked: number[] = [];
    let held = '';
    for (let i = 0; i < words.length; i += 2) {
      const [instruction, bit] = [words[i]!, words[i + 1]!];
      if (instruction === 'w') held = bit;
      if (instruction === 'r') asked.push(i + 1);
      if (instruction === 'r' && bit !== held) expect.fail(`bit ${i + 1} is not ${held}`);
    }
    expect(places).toEqual(asked);
  },
  induction: (shown) => {
    const { size, words, distance } = shown;
    expect(words.length).toBe(size + 4);
    expect(words[size + 1]).toBe('=');
    const asked = words[size + 2]!;
    const text = words.slice(1, size + 1);
    expect(text.filter((word) => word === asked).length).toBe(1);
    const next = text.indexOf(asked) + 1;
    expect(next).toBeLessThan(size);
    expect(lastOf(shown)).toBe(text[next]);
    expect(distance).toBe(size + 2 - (1 + next));
  },
  needle: (shown) => {
    const { size, words, distance } = shown;
    expect(words.length).toBe(2 * size + 4);
    expect(words[2 * size + 1]).toBe('=');
    expect(words.slice(1, -3).join('')).toMatch(/^([a-zA-Z0-9+-][⓪①-⑨])+$/);
    const pairs = new Map<string, number>();
    for (let i = 1; i <= 2 * size; i += 2) {
      pairs.set(words[i]!, i + 1);
    }
    expect(pairs.size).toBe(size);
    const at = pairs.get(words[2 * size + 2]!)!;
    expect(lastOf(shown)).toBe(words[at]);
    expect(distance).toBe(2 * size + 2 - at);
  },
  index: (shown) => {
    const { size, words } = shown;
    expect(words.length).toBe(size + 5);
    const text = words.slice(1, size + 1);
    expect(new Set(text).size).toBe(size);
    const [, sign, steps] = /^([←→])([1-8])$/.exec(words[size + 3]!)!;
    const at = text.indexOf(words[size + 2]!);
    expect(at).toBeGreaterThanOrEqual(0);
    expect(lastOf(shown)).toBe(text[at + (sign === '→' ? 1 : -1) * Number(steps)]);
  },
  grid: (shown) => {
    const { question, reply } = halves(shown);
    const { size } = shown;
    const rows = (cells: string[]) =>
      Array.from({ length: size }, (_, row) => cells.slice(row * size, (row + 1) * size).join(''));
    expect(question.join('')).toMatch(/^[.#]+$/);
    expect([question.length, reply.length]).toEqual([size * size, size * size]);
    expect(rows(reply)).toEqual(rows(question).map((row) => row.slice(1) + row[0]!));
  },
};

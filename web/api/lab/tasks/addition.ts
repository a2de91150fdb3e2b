/** Addition of two numbers of n digits, in the notations whose effect on length is known. */
import type { Draws } from '../../positions/draw.js';
import { answered, draw, marks, type Task } from '../task.js';

const zero = marks.length;
const plus = zero + 10;
const firstHint = plus + 1;
/** Enough for a hint per digit of the longest sum, wherever the hints begin. */
const hints = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Digits from the last to the first, of two numbers and their sum, which has one more. */
function drawSum(draws: Draws, size: number): [number[], number[], number[]] {
  const a = draw(draws, size, 10);
  const b = draw(draws, size, 10);
  const total: number[] = [];
  let carry = 0;
  for (let i = 0; i < size; i++) {
    const digit = a[i]! + b[i]! + carry;
    total.push(digit % 10);
    carry = digit > 9 ? 1 : 0;
  }
  return [a, b, [...total, carry]];
}

const asTokens = (digits: readonly number[]): number[] => digits.map((digit) => zero + digit);

const shared = {
  symbols: [...marks, ...'0123456789', '+'],
  train: [1, 6],
  test: [4, 6, 7, 8, 10, 12],
  sizes: [1, 100],
} as const satisfies Partial<Task>;

/** As numbers are written, the first digit first. */
export const addition: Task = {
  name: 'addition',
  about: {
    zh: '两个 n 位数相加，照平常的写法',
    en: 'Add two numbers of n digits, as one writes them',
  },
  ...shared,
  make(draws, size) {
    const [a, b, total] = drawSum(draws, size).map((digits) => asTokens(digits.toReversed()));
    return answered([...a!, plus, ...b!], total!);
  },
};

/** The last digit first, in the order in which carries arise (Lee 2023, arXiv 2307.03381). */
export const additionReversed: Task = {
  name: 'addition-reversed',
  about: {
    zh: '两个 n 位数相加，从个位写起',
    en: 'Add two numbers of n digits, the last digit first',
  },
  ...shared,
  make(draws, size) {
    const [a, b, total] = drawSum(draws, size).map(asTokens);
    return answered([...a!, plus, ...b!], total!);
  },
};

/** Reversed, with a letter before each digit that tells its place (Zhou 2024, arXiv 2402.09371). */
export const additionHints: Task = {
  name: 'addition-hints',
  about: {
    zh: '两个 n 位数相加，从个位写起，每位前有记号',
    en: 'Add two numbers of n digits, the last digit first, with a hint before each digit',
  },
  ...shared,
  symbols: [...shared.symbols, ...hints],
  sizes: [1, hints.length - 1],
  make(draws, size) {
    const start = firstHint + draws.integer(0, hints.length - size - 1);
    const hinted = (digits: readonly number[]): number[] =>
      digits.flatMap((digit, place) => [start + place, zero + digit]);
    const [a, b, total] = drawSum(draws, size).map(hinted);
    return answered([...a!, plus, ...b!], total!);
  },
};

/** Tasks on a sequence as a whole: copy, reverse, sort, sum, parity. */
import { answered, draw, drawDifferent, marks, type Task } from '../task.js';

const first = marks.length;
const letters = [...'abcdefghijklmnop'];
const manyLetters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const digits = [...'0123456789'];

/** As in Kazemnejad 2023 (arXiv 2305.19466): up to 20, tried up to twice that. */
const lengths = {
  train: [1, 20],
  test: [10, 20, 24, 28, 32, 36, 40],
  sizes: [1, 512],
} as const satisfies Partial<Task>;

export const copy: Task = {
  name: 'copy',
  about: { zh: '照抄 n 个字母', en: 'Copy n letters' },
  symbols: [...marks, ...letters],
  ...lengths,
  make(draws, size) {
    const word = draw(draws, size, letters.length, first);
    return answered(word, word);
  },
};

export const copyDistinct: Task = {
  name: 'copy-distinct',
  about: { zh: '照抄 n 个互不相同的字母', en: 'Copy n letters, no two alike' },
  symbols: [...marks, ...manyLetters],
  ...lengths,
  sizes: [1, manyLetters.length],
  make(draws, size) {
    const word = drawDifferent(draws, size, manyLetters.length).map((letter) => first + letter);
    return answered(word, word);
  },
};

export const reverse: Task = {
  name: 'reverse',
  about: { zh: '倒着写 n 个字母', en: 'Write n letters backwards' },
  symbols: [...marks, ...letters],
  ...lengths,
  make(draws, size) {
    const word = draw(draws, size, letters.length, first);
    return answered(word, word.toReversed());
  },
};

export const sort: Task = {
  name: 'sort',
  about: { zh: '把 n 个 0–31 的数从小到大排', en: 'Sort n numbers from 0 to 31' },
  symbols: [...marks, ...Array.from({ length: 32 }, (_, i) => String(i))],
  ...lengths,
  make(draws, size) {
    const numbers = draw(draws, size, 32, first);
    return answered(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
  },
};

export const sum: Task = {
  name: 'sum',
  about: { zh: 'n 个数字之和的个位', en: 'The last digit of the sum of n digits' },
  symbols: [...marks, ...digits],
  ...lengths,
  make(draws, size) {
    const numbers = draw(draws, size, 10);
    const total = numbers.reduce((a, b) => a + b, 0) % 10;
    return answered(
      numbers.map((digit) => first + digit),
      [first + total],
    );
  },
};

export const parity: Task = {
  name: 'parity',
  about: { zh: 'n 个比特里 1 的个数是奇是偶', en: 'Whether n bits have an odd number of ones' },
  symbols: [...marks, '0', '1'],
  ...lengths,
  make(draws, size) {
    const bits = draw(draws, size, 2);
    const odd = bits.reduce((a, b) => a ^ b, 0);
    return answered(
      bits.map((bit) => first + bit),
      [first + odd],
    );
  },
};

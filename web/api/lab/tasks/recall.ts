/** Tasks that look something up in what was read: by content, by distance, or both. */
import {
  answered,
  begin,
  draw,
  drawDifferent,
  marks,
  range,
  separator,
  type Task,
} from '../task.js';

const first = marks.length;
const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-'];
/** Not those among the keys, so that each symbol is one token. */
const values = [...'⓪①②③④⑤⑥⑦⑧⑨'];

/** Liu 2023 (arXiv 2306.00946): the last bit that was written, past many that are to be ignored. */
export const flipFlop: Task = {
  name: 'flip-flop',
  about: {
    zh: 'n 条指令：w 写、i 忽略、r 读出最近写下的比特',
    en: 'n instructions: w writes a bit, i is ignored, r reads the last bit written',
  },
  symbols: ['w', 'i', 'r', '0', '1'],
  train: [32, 32],
  test: [32, 64, 128],
  sizes: [2, 512],
  make(draws, size, trial) {
    const [write, ignore, read, zero] = [0, 1, 2, 3] as const;
    // Trained where four of five are ignored, tried where few writes are far apart, and where many are near.
    const ignored = !trial ? 800 : draws.integer(0, 1) === 0 ? 980 : 100;
    const tokens: number[] = [];
    const answer: number[] = [];
    let bit = 0;
    for (let i = 0; i < size; i++) {
      const other = draws.integer(0, 1) === 0 ? write : read;
      const drawn = draws.integer(0, 999) < ignored ? ignore : other;
      const instruction = i === 0 ? write : i === size - 1 ? read : drawn;
      if (instruction === write) bit = draws.integer(0, 1);
      if (instruction === read) answer.push(tokens.length + 1);
      tokens.push(instruction, zero + (instruction === ignore ? draws.integer(0, 1) : bit));
    }
    return { tokens, answer };
  },
};

/** Olsson 2022 (arXiv 2209.11895): A stood once before, and B after it; now A comes again. */
export const induction: Task = {
  name: 'induction',
  about: {
    zh: '读 n 个字母，再给一个出现过一次的：它后面是什么？',
    en: 'Read n letters, then one that stood there once: what came after it?',
  },
  symbols: [...marks, ...letters],
  train: [4, 32],
  test: [16, 32, 48, 64, 96, 128],
  sizes: [2, 1024],
  make(draws, size) {
    const asked = draws.integer(0, letters.length - 1);
    const at = draws.integer(0, size - 2);
    const others = draw(draws, size, letters.length - 1);
    const word = others.map(
      (letter, i) => first + (i === at ? asked : letter + +(letter >= asked)),
    );
    const tokens = [begin, ...word, separator, first + asked, word[at + 1]!];
    return { tokens, answer: [tokens.length - 1], distance: size - at };
  },
};

/** Pairs of a key and a value, then a key: its value. */
export const needle: Task = {
  name: 'needle',
  about: {
    zh: 'n 对“键 值”，再问其中一个键',
    en: 'n pairs of key and value, then one of the keys',
  },
  symbols: [...marks, ...letters, ...values],
  train: [1, 8],
  test: [4, 8, 12, 16, 24, 32],
  sizes: [1, letters.length],
  make(draws, size) {
    const keys = drawDifferent(draws, size, letters.length).map((key) => first + key);
    const drawn = draw(draws, size, values.length, first + letters.length);
    const asked = draws.integer(0, size - 1);
    const pairs = keys.flatMap((key, i) => [key, drawn[i]!]);
    const tokens = [begin, ...pairs, separator, keys[asked]!, drawn[asked]!];
    return { tokens, answer: [tokens.length - 1], distance: 2 * (size - asked) };
  },
};

const farthest = 8;

/** PoPE's task (arXiv 2509.10534): find a symbol, then go some steps left or right of it. */
export const indirect: Task = {
  name: 'index',
  about: {
    zh: '读 n 个字母，找到一个，再向左或向右走几步：那里是什么？',
    en: 'Read n letters, find one of them, go some steps left or right: what stands there?',
  },
  symbols: [
    ...marks,
    ...letters,
    ...range(1, farthest + 1).map((steps) => `←${steps}`),
    ...range(1, farthest + 1).map((steps) => `→${steps}`),
  ],
  train: [4, 20],
  test: [12, 20, 28, 36, 44, 52],
  sizes: [2, letters.length],
  make(draws, size) {
    const word = drawDifferent(draws, size, letters.length).map((letter) => first + letter);
    const at = draws.integer(0, size - 1);
    const [left, right] = [Math.min(farthest, at), Math.min(farthest, size - 1 - at)];
    const move = draws.integer(0, left + right - 1);
    const steps = move < left ? move - left : move - left + 1;
    const sign = first + letters.length + Math.abs(steps) - 1 + (steps > 0 ? farthest : 0);
    const tokens = [begin, ...word, separator, word[at]!, sign, word[at + steps]!];
    return { tokens, answer: [tokens.length - 1] };
  },
};

/** An n × n picture, row by row; then every row again, moved one place to the left, around the edge. */
export const grid: Task = {
  name: 'grid',
  about: {
    zh: 'n × n 的格子逐行读入，再把每行循环左移一格写出',
    en: 'Read n × n cells row by row, write every row turned left by one cell',
  },
  symbols: [...marks, ...'.#'],
  train: [2, 6],
  test: [4, 6, 7, 8],
  sizes: [2, 32],
  make(draws, size) {
    const cells = draw(draws, size * size, 2, first);
    const turned = cells.map((_, i) => {
      const [row, column] = [Math.floor(i / size), i % size];
      return cells[row * size + ((column + 1) % size)]!;
    });
    return answered(cells, turned);
  },
};

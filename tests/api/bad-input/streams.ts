/** Random streams. */
import { js, type Case } from './fixtures.js';

export const streams: Case[] = [
  ...[NaN, -1, 1.5, 2 ** 53, Infinity].map((seed): Case => [
    () => js.random(seed),
    'range',
    'seed',
    `seed is ${seed}, needs an integer from 0 to 9007199254740991`,
  ]),
  [() => js.random(), 'argument', 'seed', 'seed is missing'],
  [() => js.random('1'), 'argument', 'seed', 'seed is "1"'],
  [() => js.random(1).normal(), 'argument', 'count', 'count is missing'],
  [() => js.random(1).uniform(-1), 'range', 'count', 'count is -1, needs an integer from 0'],
  [() => js.random(1).uniform(2 ** 40), 'range', 'count', 'needs an integer from 0 to 536870912'],
];

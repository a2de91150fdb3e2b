import { unknownName } from '../../check.js';
import type { Task } from '../task.js';
import { addition, additionHints, additionReversed } from './addition.js';
import { flipFlop, grid, indirect, induction, needle } from './recall.js';
import { copy, copyDistinct, parity, reverse, sort, sum } from './sequences.js';

/** All tasks, in the order in which they are shown. */
export const tasks: readonly Task[] = [
  copy,
  copyDistinct,
  reverse,
  sort,
  sum,
  parity,
  addition,
  additionReversed,
  additionHints,
  flipFlop,
  induction,
  needle,
  indirect,
  grid,
];

/** The task of a name; throws for others. */
export function taskOf(name: unknown): Task {
  const task = tasks.find((each) => each.name === name);
  if (task !== undefined) return task;
  throw unknownName('task', name, [...tasks.map((each) => each.name), 'text']);
}

/** Functions that make positions. */
import * as package_ from 'posenc';
import { detached, hole, sparse, type Case } from './fixtures.js';

type Maker =
  | ('positionsFromMask' | 'packedPositions' | 'streamingPositions' | 'mropePositions')
  | ('selfExtend' | 'reRope' | 'leakyReRope' | 'dualChunk' | 'abacusPositions')
  | ('posePositions' | 'randomizedPositions' | 'shapePositions');

/** The functions as JavaScript sees them. */
const js = package_ as unknown as Record<
  Maker,
  (...args: unknown[]) => { distance: typeof Math.min }
>;
const drawn = { seed: 1, tokens: 4 };
const grid = (patches: unknown, change: object = {}) => [{ grid: patches, ...change }];

type Row = [
  maker: Maker,
  args: unknown[],
  code: 'argument' | 'range' | 'shape' | 'option' | 'memory',
  argument: string,
  message: string,
];

const rows: Row[] = [
  ['positionsFromMask', [], 'argument', 'mask', 'mask is missing, needs an array of booleans'],
  ['positionsFromMask', ['1'], 'argument', 'mask', 'mask is "1"'],
  [
    'positionsFromMask',
    [new Int32Array(2)],
    'argument',
    'mask',
    'mask is a Int32Array of length 2',
  ],
  ['positionsFromMask', [[]], 'shape', 'mask', 'at least one value'],
  ['positionsFromMask', [[1, 2]], 'range', 'mask[1]', 'mask[1] is 2, needs true or 1'],
  ['positionsFromMask', [sparse(1, hole)], 'range', 'mask[1]', 'is missing'],
  ['positionsFromMask', [detached(new Uint8Array(2))], 'memory', 'mask', 'detached'],
  ['positionsFromMask', [[1, 1, 1], { batch: 2 }], 'shape', 'batch', 'a divisor of the 3 values'],
  ['positionsFromMask', [[1], { batch: 0 }], 'range', 'batch', 'batch is 0'],
  ['positionsFromMask', [[1], { start: 0.5 }], 'range', 'start', 'start is 0.5'],
  ['positionsFromMask', [[1], { start: 2 ** 30 }], 'range', 'start', `to ${2 ** 30 - 1}`],
  ['positionsFromMask', [[1], { paddingPosition: NaN }], 'range', 'paddingPosition', 'is NaN'],
  ['positionsFromMask', [[1], { strat: 1 }], 'option', 'strat', 'did you mean start?'],
  ['packedPositions', [3], 'argument', 'lengths', 'lengths is 3, needs an array of integers'],
  ['packedPositions', [[1, -1]], 'range', 'lengths[1]', 'lengths[1] is -1'],
  ['packedPositions', [[]], 'range', 'the sum of lengths', 'is 0'],
  ['packedPositions', [[2 ** 23, 1]], 'range', 'the sum of lengths', 'needs an integer from 1 to'],
  ['streamingPositions', [], 'argument', 'sinks', 'sinks is missing'],
  [
    'streamingPositions',
    [{ sinks: 4, recent: 0, tokens: 9 }],
    'range',
    'recent',
    'recent is 0, needs an integer from 1',
  ],
  ['streamingPositions', [{ sinks: 4, recent: 1, tokens: '9' }], 'argument', 'tokens', 'is "9"'],
  [
    'streamingPositions',
    [{ sinks: 4, recent: 2 ** 30, tokens: 2 ** 30 }],
    'range',
    'sinks + recent',
    `is ${2 ** 30}`,
  ],
  ['mropePositions', [{ text: 1 }], 'argument', 'parts', 'parts is an object, needs an array'],
  ['mropePositions', [[]], 'range', 'the number of tokens', 'is 0'],
  ['mropePositions', [[{}]], 'argument', 'parts[0]', 'needs { text } or { grid: [frames, rows'],
  ['mropePositions', [[{ text: 1, grid: [1, 2, 2] }]], 'argument', 'parts[0]', 'is an object'],
  ['mropePositions', [[{ text: 1, timeStep: 1 }]], 'option', 'timeStep', 'not an option of parts'],
  ['mropePositions', [[{ text: 1.5 }]], 'range', 'parts[0].text', 'is 1.5'],
  ['mropePositions', [grid([4, 4])], 'shape', 'parts[0].grid', 'an array [frames, rows, columns]'],
  ['mropePositions', [grid([1, 4, 5])], 'shape', 'parts[0].grid[2]', 'is 5, needs a multiple of m'],
  ['mropePositions', [grid([0, 4, 4])], 'range', 'parts[0].grid[0]', 'is 0'],
  ['mropePositions', [grid([2 ** 20, 8, 8])], 'range', 'the tokens of parts[0]', `is ${2 ** 24}`],
  ['mropePositions', [grid([1, 2, 2], { timeStep: -1 })], 'range', 'parts[0].timeStep', 'is -1'],
  ['mropePositions', [grid([3, 2, 2], { timeStep: 2 ** 30 })], 'range', 'parts', 'beyond 2^30'],
  ['mropePositions', [[{ text: 1 }], { merge: 0 }], 'range', 'merge', 'merge is 0'],
  ['mropePositions', [[{ text: 1 }], { paddingAfter: -1 }], 'range', 'paddingAfter', 'is -1'],
  ['selfExtend', [{ window: 4 }], 'argument', 'group', 'group is missing'],
  ['selfExtend', [{ window: 0, group: 2 }], 'range', 'window', 'window is 0'],
  ['selfExtend', [{ window: 4, groups: 2 }], 'option', 'groups', 'did you mean group?'],
  ['reRope', [{ window: '4' }], 'argument', 'window', 'window is "4"'],
  ['leakyReRope', [{ window: 4, factor: 0.5 }], 'range', 'factor', 'a finite number from 1'],
  ['leakyReRope', [{ window: 4, factor: Infinity }], 'range', 'factor', 'is Infinity'],
  ['leakyReRope', [{ window: 4 }], 'argument', 'factor', 'factor is missing'],
  ['dualChunk', [{ chunk: 6, farthest: 12 }], 'range', 'farthest', 'an integer from 6 to 11'],
  ['dualChunk', [{ chunk: 6, farthest: 5 }], 'range', 'farthest', 'farthest is 5'],
  ['posePositions', [{ tokens: 4, target: 8 }], 'argument', 'seed', 'seed is missing'],
  ['posePositions', [{ ...drawn, seed: -1, target: 8 }], 'range', 'seed', 'seed is -1'],
  ['posePositions', [{ ...drawn, target: 3 }], 'range', 'target', 'an integer from 4'],
  ['posePositions', [{ ...drawn, target: 8, chunks: 5 }], 'range', 'chunks', 'from 1 to 4'],
  ['randomizedPositions', [{ ...drawn, length: 3 }], 'range', 'length', 'length is 3'],
  ['randomizedPositions', [{ ...drawn, tokens: 2 ** 24 }], 'range', 'tokens', 'is 16777216'],
  ['shapePositions', [{ ...drawn, maxShift: -1 }], 'range', 'maxShift', 'maxShift is -1'],
  ['abacusPositions', [[true, 'x']], 'range', 'isDigit[1]', 'isDigit[1] is "x"'],
  ['abacusPositions', [[true], { maxOffset: 1.5 }], 'range', 'maxOffset', 'is 1.5'],
];

export const maps: Case[] = [
  ...rows.map(([maker, args, ...expected]): Case => [() => js[maker](...args), ...expected]),
  [() => js.reRope({ window: 2 }).distance(3, 4), 'range', 'key', 'an integer from 0 to 3'],
  [() => js.reRope({ window: 2 }).distance(0.5, 0), 'range', 'query', 'query is 0.5'],
];

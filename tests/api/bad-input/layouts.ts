/** Conversion and detection of layouts. */
import * as package_ from 'posenc';
import type { PosencErrorCode } from 'posenc';
import { detached, type Case } from './fixtures.js';

type Tool = 'convertLayout' | 'convertProjection' | 'detectLayout';

/** The functions as JavaScript sees them. */
const js = package_ as unknown as Record<Tool, (...args: unknown[]) => unknown>;

const x = new Float32Array(8);
const to = { from: 'half', to: 'interleaved', headDim: 4 };
const convert = (change: object, data: unknown = x) => [data, { ...to, ...change }];
const weight = (change: object, data: unknown = x) => convert({ heads: 2, ...change }, data);
const vectors = { headDim: 4, x: [1, 2, 3, 4], rotated: [1, 2, 3, 4], positions: [0] };
const places = { queryPositions: [0], keyPositions: [0, 1] };
const products = { headDim: 4, query: [1, 2, 3, 4], key: x, scores: [1, 2], ...places };
const detect = (change: object) => [{ ...vectors, ...change }];
const detectScores = (change: object) => [{ ...products, ...change }];

type Row = [tool: Tool, args: unknown[], code: PosencErrorCode, argument: string, message: string];

const rows: Row[] = [
  ['convertLayout', [x], 'argument', 'headDim', 'headDim is missing'],
  ['convertLayout', convert({ from: undefined }), 'argument', 'from', 'needs "half" or "int'],
  ['convertLayout', convert({ to: 'neox' }), 'option', 'to', 'to is "neox", needs "half" or'],
  ['convertLayout', convert({ headDim: 1 }), 'range', 'headDim', 'headDim is 1'],
  ['convertLayout', convert({ rotaryDim: 6 }), 'range', 'rotaryDim', 'from 2 to 4'],
  ['convertLayout', convert({ rotaryDim: 3 }), 'range', 'rotaryDim', 'an even number'],
  ['convertLayout', convert({ head: 2 }), 'option', 'head', 'not an option of convertLayout'],
  ['convertLayout', convert({ headDim: 3 }), 'shape', 'x', 'a multiple of headDim = 3 numbers'],
  ['convertLayout', convert({}, new Float32Array(0)), 'shape', 'x', 'a multiple of headDim'],
  ['convertLayout', convert({}, [1, 2, 3, 4]), 'argument', 'x', 'needs a Float32Array, Float64'],
  ['convertLayout', convert({}, new BigInt64Array(4)), 'argument', 'x', 'x is a BigInt64Array'],
  ['convertLayout', convert({}, detached(new Uint16Array(4))), 'memory', 'x', 'detached buffer'],
  ['convertProjection', [x, to], 'argument', 'heads', 'heads is missing'],
  ['convertProjection', weight({ inFeatures: 0 }), 'range', 'inFeatures', 'inFeatures is 0'],
  [
    'convertProjection',
    weight({ inFeatures: 3 }),
    'shape',
    'weight',
    'weight has 8 numbers, needs heads·headDim·inFeatures = 2·4·3 = 24',
  ],
  ['convertProjection', weight({}, null), 'argument', 'weight', 'weight is null'],
  ['detectLayout', [], 'argument', 'headDim', 'headDim is missing'],
  ['detectLayout', [null], 'argument', 'options', 'options is null'],
  ['detectLayout', detect({ positions: [] }), 'shape', 'positions', 'at least one position'],
  ['detectLayout', detect({ positions: [0.5] }), 'range', 'positions[0]', 'is 0.5'],
  ['detectLayout', detect({ positions: 0 }), 'argument', 'positions', 'or a Int32Array'],
  ['detectLayout', detect({ x: [1, 2, 3] }), 'shape', 'x', 'tokens·headDim = 1·4 = 4'],
  ['detectLayout', detect({ rotated: [1, 2, NaN, 4] }), 'range', 'rotated[2]', 'is NaN'],
  ['detectLayout', detect({ rotated: [1, 2, '3', 4] }), 'argument', 'rotated[2]', 'is "3"'],
  ['detectLayout', detect({ base: 0 }), 'range', 'base', 'a finite number above 0'],
  ['detectLayout', detect({ tolerance: -1 }), 'range', 'tolerance', 'tolerance is -1'],
  [
    'detectLayout',
    detect({ inverseFrequencies: [1] }),
    'shape',
    'inverseFrequencies',
    'has 1 numbers, needs pairs = 2 = 2',
  ],
  ['detectLayout', detect({ query: x }), 'option', 'query', 'not an option of detectLayout'],
  ['detectLayout', detectScores({ scores: [1] }), 'shape', 'scores', 'queries·keys = 1·2 = 2'],
  ['detectLayout', detectScores({ key: x.subarray(4) }), 'shape', 'key', 'keys·headDim = 2·4'],
  ['detectLayout', detectScores({ scale: Infinity }), 'range', 'scale', 'scale is Infinity'],
];

export const layouts: Case[] = rows.map(([tool, args, ...expected]) => [
  () => js[tool](...args),
  ...expected,
]);

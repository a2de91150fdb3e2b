/** Encodings, masks and numbers of an attention call. */
import {
  alibi,
  attend,
  detached,
  js,
  rope,
  shape,
  sinusoidal,
  sparse,
  hole,
  type Case,
} from './fixtures.js';
import { numbers } from '../posenc.js';

const shaw = (tables: object) => js.encoding('shaw', { headDim: 16, maxDistance: 1, ...tables });

export const terms: Case[] = [
  [attend({ encoding: 'rope' }), 'argument', 'encoding', 'is "rope", needs what encoding() of a'],
  [attend({ encoding: { ...rope } }), 'argument', 'encoding', 'encoding is an object, needs what'],
  [
    attend({ encoding: sparse(alibi, hole, rope) }),
    'argument',
    'encoding[1]',
    'encoding[1] is missing',
  ],
  [attend({ encoding: null }), 'argument', 'encoding', 'encoding is null'],
  [
    attend({ encoding: sinusoidal }),
    'unsupported',
    'encoding',
    'add the rows of embed() to the in',
  ],
  [
    attend({ encoding: [rope, alibi, rope] }),
    'argument',
    'encoding[2]',
    'encoding[2] (rope) fills the hook rotate, which encoding[0] (rope) fills already',
  ],
  [
    attend({ encoding: js.encoding('alibi', { heads: 3 }) }),
    'shape',
    'encoding.options.heads',
    'encoding.options.heads is 3, needs that of the attention call, 2',
  ],
  [
    attend({ encoding: [js.encoding('rope', { headDim: 8 })] }),
    'shape',
    'encoding[0].options.headDim',
    'encoding[0].options.headDim is 8, needs that of the attention call, 16',
  ],
  [
    attend({ encoding: js.encoding('pope', { headDim: 16, heads: 3, phases: numbers(48) }) }),
    'shape',
    'encoding.options.heads',
    'needs the kvHeads of the attention call, 2',
  ],
  [
    attend({ encoding: shaw({ values: numbers(3 * 4), valueDim: 4 }) }),
    'shape',
    'encoding.options.valueDim',
    'valueDim is 4, needs that of the attention call, 16',
  ],
  [
    attend({
      encoding: js.encoding('rope', { headDim: 16, turnsOutputBack: true }),
      value: numbers(64),
      shape: { ...shape, valueDim: 8 },
    }),
    'shape',
    'shape.valueDim',
    'shape.valueDim is 8, needs headDim (16), since encoding turns values',
  ],
  [
    attend({ encoding: [js.encoding('pope', { headDim: 16 }), shaw({ keys: numbers(48) })] }),
    'unsupported',
    'encoding[1]',
    'encoding[1] (shaw) meets queries as wide as headDim, but encoding[0] (pope) widens them',
  ],
  ...[0, -1, 1.5, NaN, Infinity].map((window): Case => [
    attend({ window }),
    'range',
    'window',
    `window is ${window}, needs an integer from 1`,
  ]),
  [attend({ window: '4' }), 'argument', 'window', 'window is "4"'],
  [attend({ window: null }), 'argument', 'window', 'window is null'],
  ...[0, -1, NaN, Infinity, 1e-60, 1e60].map((softcap): Case => [
    attend({ softcap }),
    'range',
    'softcap',
    `softcap is ${softcap}, needs a finite number above 0`,
  ]),
  ...[NaN, Infinity, -Infinity, 1e60].map((scale): Case => [
    attend({ scale }),
    'range',
    'scale',
    `scale is ${scale}, needs a finite number`,
  ]),
  [attend({ scale: '1' }), 'argument', 'scale', 'scale is "1"'],
  [attend({ causal: 'yes' }), 'argument', 'causal', 'causal is "yes", needs true or false'],
  [attend({ casual: true }), 'option', 'casual', 'did you mean causal?'],
  [attend({ keyMask: [true] }), 'shape', 'keyMask', 'needs one value per key = 4'],
  [attend({ keyMask: [1, 1, 2, 1] }), 'range', 'keyMask[2]', 'keyMask[2] is 2, needs true or 1'],
  [attend({ keyMask: sparse(1, 1, hole, 1) }), 'range', 'keyMask[2]', 'keyMask[2] is missing'],
  [
    attend({ keyMask: new Float32Array(4) }),
    'argument',
    'keyMask',
    'needs an array of booleans or',
  ],
  [attend({ keyMask: Uint8Array.of(0, 1, 255, 1) }), 'range', 'keyMask[2]', 'is 255'],
  [attend({ keyMask: detached(new Uint8Array(4)) }), 'memory', 'keyMask', 'detached'],
  [
    attend({ return: 'weights' }),
    'argument',
    'return',
    'return is "weights", needs an array of "sco',
  ],
  [attend({ return: ['weight'] }), 'option', 'return[0]', 'did you mean "weights"?'],
  [attend({ return: sparse(hole, 'weights') }), 'argument', 'return[0]', 'return[0] is missing'],
  [attend({ queryPositions: [0] }), 'shape', 'queryPositions', 'needs one per token = 4'],
  [attend({ keyPositions: [0, 1, 2, 2.5] }), 'range', 'keyPositions[3]', 'is 2.5'],
  [
    attend({
      keyPositions: -(2 ** 30),
      shape: { ...shape, queries: 4, keys: 4 },
      queryPositions: NaN,
    }),
    'range',
    'queryPositions',
    'queryPositions is NaN',
  ],
];

/** Names and options of encodings. */
import { detached, hole, js, sparse, type Case } from './fixtures.js';

export const encodings: Case[] = [
  [() => js.encoding('roep', {}), 'option', 'encoding', 'did you mean "rope"?'],
  [() => js.encoding('xyz'), 'option', 'encoding', 'encoding is "xyz", needs "nope", "sinus'],
  [() => js.encoding(), 'argument', 'encoding', 'encoding is missing, needs "nope"'],
  [() => js.encoding({}), 'argument', 'encoding', 'encoding is an object'],
  [() => js.encoding('rope'), 'argument', 'headDim', 'headDim is missing, needs an integer from 2'],
  [() => js.encoding('rope', null), 'argument', 'options', 'options is null, needs an object'],
  [() => js.encoding('rope', [64]), 'argument', 'options', 'options is an array of length 1'],
  [() => js.encoding('rope', 64), 'argument', 'options', 'options is 64'],
  [() => js.encoding('rope', { head_dim: 8 }), 'option', 'head_dim', 'did you mean headDim?'],
  [() => js.encoding('rope', { qqqqqqq: 8 }), 'option', 'qqqqqqq', 'it takes headDim, rotaryDim'],
  [() => js.encoding('nope', { heads: 8 }), 'option', 'heads', 'it takes no options'],
  [
    () => js.encoding('rope', JSON.parse('{"headDim":8,"__proto__":1}')),
    'option',
    '__proto__',
    'not an option of rope',
  ],
  [
    () => js.encoding('rope', { headDim: '64' }),
    'argument',
    'headDim',
    'headDim is "64", needs an',
  ],
  [() => js.encoding('rope', { headDim: 64n }), 'argument', 'headDim', 'headDim is 64n'],
  [() => js.encoding('rope', { headDim: null }), 'argument', 'headDim', 'headDim is null'],
  ...[NaN, Infinity, -64, 0, 1, 64.5, 4097, 1e308].map((headDim): Case => [
    () => js.encoding('rope', { headDim }),
    'range',
    'headDim',
    `headDim is ${headDim}, needs an integer from 2 to 4096`,
  ]),
  [
    () => js.encoding('rope', { headDim: 64, rotaryDim: 66 }),
    'range',
    'rotaryDim',
    'rotaryDim is 66, needs at most headDim (64)',
  ],
  [
    () => js.encoding('rope', { headDim: 64, rotaryDim: 7 }),
    'range',
    'rotaryDim',
    'rotaryDim is 7, needs an even number',
  ],
  ...[NaN, -1, 0, 0.5, Infinity, 1e13].map((base): Case => [
    () => js.encoding('rope', { headDim: 64, base }),
    'range',
    'base',
    `base is ${base}, needs a number from 1 to 1000000000000`,
  ]),
  [
    () => js.encoding('rope', { headDim: 64, layout: 'Half' }),
    'option',
    'layout',
    'layout is "Half", needs "half" or "interleaved" (did you mean "half"?)',
  ],
  [() => js.encoding('rope', { headDim: 64, layout: 0 }), 'argument', 'layout', 'layout is 0'],
  ...(
    [
      ['argument', 'frequencies', 1, 'is 1, needs an array of numbers or a Float64Array'],
      [
        'argument',
        'frequencies',
        new Float32Array(8),
        'is a Float32Array of length 8, needs an array',
      ],
      ['argument', 'frequencies', null, 'is null'],
      ['shape', 'frequencies', [], 'is an array of length 0, needs at least one number'],
      ['shape', 'frequencies', [1, 2], 'is an array of length 2, needs rotaryDim (8) / 2 numbers'],
      [
        'argument',
        'frequencies[1]',
        [1, '2', 3, 4],
        'is "2", needs a number from -1000000 to 1000000',
      ],
      ['argument', 'frequencies[1]', sparse(1, hole, 3, 4), 'is missing'],
      ['range', 'frequencies[3]', [1, 2, 3, NaN], 'is NaN'],
      ['range', 'frequencies[0]', Float64Array.of(1e7, 2, 3, 4), 'is 10000000'],
      ['memory', 'frequencies', detached(new Float64Array(4)), 'has a detached buffer'],
    ] as const
  ).map(([code, argument, frequencies, message]): Case => [
    () => js.encoding('rope', { headDim: 9, rotaryDim: 8, frequencies }),
    code,
    argument,
    message,
  ]),
  [
    () => js.encoding('rope', { headDim: 4, frequencies: [1, 2, 3] }),
    'range',
    'rotaryDim',
    'rotaryDim is 6, needs at most headDim (4)',
  ],
  [
    () => js.encoding('alibi', { heads: 0 }),
    'range',
    'heads',
    'heads is 0, needs an integer from 1',
  ],
  [() => js.encoding('sinusoidal', { width: 65537 }), 'range', 'width', 'from 1 to 65536'],
  [
    () => js.encoding('sinusoidal', { width: 8, denominator: 'd/2-2' }),
    'option',
    'denominator',
    'did you mean "d/2',
  ],
];

/** The state of a figure survives the trip through a link, and no link breaks a figure. */
import { load, type Posenc } from 'posenc';
import { beforeAll, describe, expect, it } from 'vitest';
import clocks from '../../web/figures/clocks.js';
import { drawContext } from '../../web/figures/frame.js';
import shuffle from '../../web/figures/shuffle.js';

let pe: Posenc;
beforeAll(async () => {
  pe = await load({ variant: 'simd' });
});

/** Numbers in [0, 1) from a seed, by the kernels. */
function* stream(seed: number): Generator<number, number> {
  for (let round = 0; ; round++) yield* pe.random(seed + round).uniform(256);
}

const sentences = [
  '',
  '我吃了西瓜',
  'a,b:c=d&e#f%20',
  '👩‍👩‍👧‍👦 ok',
  "it's 100% <b>",
  '空 格',
  '\\"|^{}',
];

function shuffleState(next: () => number): typeof shuffle.initial {
  const count = Math.floor(next() * 25);
  return {
    text: sentences[Math.floor(next() * sentences.length)] ?? '',
    order: Array.from({ length: count }, () => Math.floor(next() * 24)),
    seed: Math.floor(next() * 1000),
    causal: next() < 0.5,
    sinusoidal: next() < 0.5,
  };
}

function clocksState(next: () => number): typeof clocks.initial {
  const widths = ['8', '16', '32', '64', '128'] as const;
  return {
    m: Math.floor(next() * 100),
    base: Number((10 * 10 ** (6 * next())).toPrecision(4)),
    d: widths[Math.floor(next() * 5)] ?? '8',
    binary: next() < 0.5,
  };
}

describe('parse(serialize(state)) is the state', () => {
  it('for 300 random states of each figure', () => {
    const numbers = stream(7);
    const next = () => numbers.next().value;
    for (let i = 0; i < 300; i++) {
      const [one, other] = [shuffleState(next), clocksState(next)];
      expect(shuffle.parse(shuffle.serialize(one))).toEqual(one);
      expect(clocks.parse(clocks.serialize(other))).toEqual(other);
    }
  });

  it('and the initial state is the empty text', () => {
    for (const figure of [shuffle, clocks]) {
      expect(figure.serialize(figure.initial as never)).toBe('');
      expect(figure.parse('')).toEqual(figure.initial);
    }
  });
});

describe('a damaged link', () => {
  const pieces = [
    'm',
    'base',
    'd',
    'order',
    'text',
    'seed',
    'causal',
    ':',
    ',',
    '.',
    '-1',
    '1e999',
  ];
  const oddities = ['NaN', '%', '%E4%', '__proto__', '字', '\u0000', '99999999999', '1.2.3', ' '];

  it('never throws, and what it gives can be drawn', () => {
    const numbers = stream(11);
    const all = [...pieces, ...oddities];
    for (let i = 0; i < 200; i++) {
      const link = Array.from({ length: 12 }, () => {
        return all[Math.floor(numbers.next().value * all.length)] ?? '';
      }).join('');
      const context = drawContext({ posenc: pe, lang: 'zh', width: 360 });
      expect(shuffle.draw(shuffle.parse(link), context).height).toBeGreaterThan(0);
      expect(clocks.draw(clocks.parse(link), context).height).toBeGreaterThan(0);
    }
  });

  it('is clamped', () => {
    expect(clocks.parse('m:5000,base:1,d:7,binary:yes').m).toBe(99);
    expect(clocks.parse('m:5000,base:1,d:7,binary:yes').base).toBe(10);
    expect(clocks.parse('m:5000,base:1,d:7,binary:yes').d).toBe('32');
    expect(shuffle.parse('causal:1,nonsense:3').causal).toBe(true);
  });
});

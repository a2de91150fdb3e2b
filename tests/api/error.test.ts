import { describe, expect, it } from 'vitest';
import { PosencError } from 'posenc';
import { show } from '../../web/api/error.js';
import { editDistance, suggest } from '../../web/api/suggest.js';

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const throwing = {
  get [Symbol.toStringTag](): string {
    throw new Error('no');
  },
};

/** Value, how it is shown. */
const shown: [unknown, string][] = [
  ['a "b"\n', '"a \\"b\\"\\n"'],
  ['x'.repeat(1000), `"${'x'.repeat(60)}"… (1000 characters)`],
  [1.5, '1.5'],
  [-0, '-0'],
  [NaN, 'NaN'],
  [10n, '10n'],
  [10n ** 10_000n, 'a huge bigint'],
  [undefined, 'undefined'],
  [null, 'null'],
  [true, 'true'],
  [Symbol('secret'), 'a symbol'],
  [() => 1, 'a function'],
  [[1, [2]], 'an array of length 2'],
  [new Float32Array(3), 'a Float32Array of length 3'],
  [new DataView(new ArrayBuffer(4)), 'a DataView'],
  [new Map(), 'an object (Map)'],
  [{ toString: null }, 'an object'],
  [Object.create(null), 'an object'],
  [revoked(), 'a value that cannot be read'],
  [throwing, 'a value that cannot be read'],
];

describe('show', () => {
  for (const [value, text] of shown) {
    it(text, () => {
      expect(show(value)).toBe(text);
    });
  }

  it('is short for any tag', () => {
    expect(show({ [Symbol.toStringTag]: 'x'.repeat(1e6) })).toHaveLength(120);
  });
});

describe('PosencError', () => {
  it('is an Error with its parts as own fields', () => {
    const cause = new Error('underneath');
    const error = new PosencError('range', 'base is 0', { argument: 'base', received: '0', cause });
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toBe('PosencError: base is 0');
    expect(error).toMatchObject({ code: 'range', argument: 'base', received: '0', cause });
    expect(error.allowed).toBeUndefined();
    expect('cause' in new PosencError('shape', 'x')).toBe(false);
  });
});

describe('suggest', () => {
  const names = ['nope', 'rope', 'alibi', 'sinusoidal', 'headDim', 'rotaryDim'];
  const pairs: [unknown, string | undefined][] = [
    ['rope', 'rope'],
    ['RoPE', 'rope'],
    ['ropee', 'rope'],
    ['alibii', 'alibi'],
    ['sinusiodal', 'sinusoidal'],
    ['head_dim', 'headDim'],
    ['rotary-dm', 'rotaryDim'],
    ['attention', undefined],
    ['', undefined],
    [5, undefined],
    ['x'.repeat(1e6), undefined],
  ];
  it.each(pairs)('%#', (given, nearest) => {
    expect(suggest(given, names)).toBe(nearest);
  });

  it('counts insertions, deletions, substitutions and swaps of neighbours', () => {
    const distances: [string, string, number][] = [
      ['', 'abc', 3],
      ['abc', 'abc', 0],
      ['ab', 'ba', 1],
      ['kitten', 'sitting', 3],
      ['ca', 'abc', 3],
    ];
    for (const [a, b, distance] of distances) {
      expect(editDistance(a, b)).toBe(distance);
      expect(editDistance(b, a)).toBe(distance);
    }
  });
});

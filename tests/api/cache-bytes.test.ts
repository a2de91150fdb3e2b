/** What a cache saves and restores. */
import { describe, expect, test } from 'vitest';
import { errorOf, numbers, posenc } from './posenc.js';

const headDim = 8;
const rope = posenc.encoding('rope', { headDim });
const small = { kvHeads: 1, headDim, capacity: 4, encoding: rope };
/** Tokens of one head. */
const some = (tokens: number, seed = 1) => numbers(tokens * headDim, seed);
const alike = (tokens: number, seed = 1) => {
  const x = some(tokens, seed);
  return { query: x, key: x, value: x };
};

describe('saved bytes', () => {
  test('are as many as tokens need, and go into a larger cache', () => {
    using cache = posenc.kvCache({ ...small, capacity: 1000 });
    const empty = cache.save().length;
    cache.append(0, { key: some(3), value: some(3) });
    const bytes = cache.save();
    expect(bytes.length - empty).toBeLessThan(300);
    using larger = posenc.kvCache({ ...small, capacity: 2000 });
    larger.restore(bytes);
    expect(larger.save()).toEqual(bytes);
    using smaller = posenc.kvCache({ ...small, capacity: 2 });
    const error = errorOf(() => smaller.restore(bytes));
    expect(error).toMatchObject({ code: 'capacity', argument: 'bytes' });
    expect(smaller.length()).toBe(0);
  });

  test('that were changed are refused or harmless', () => {
    using cache = posenc.kvCache(small);
    cache.append(0, { key: some(3), value: some(3) });
    const bytes = cache.save();
    const start = bytes.indexOf(10) + 1;
    for (let i = start; i < bytes.length; i++) {
      for (const value of [0, 0x7f, 0xff]) {
        const changed = bytes.slice();
        changed[i] = value;
        using other = posenc.kvCache(small);
        try {
          other.restore(changed);
        } catch (error) {
          expect(error).toMatchObject({ argument: 'bytes' });
          expect(other.length()).toBe(0);
        }
        expect(other.length()).toBeLessThanOrEqual(4);
        other.clear();
        other.attend(0, alike(4));
      }
    }
  });

  test('of keys turned by trained numbers know these', () => {
    const encoding = (seed: number) =>
      posenc.encoding('rope_nd', {
        headDim,
        axes: 1,
        heads: 1,
        layout: 'half',
        mixed: numbers(4, seed),
      });
    const open = (seed: number) => posenc.kvCache({ ...small, encoding: encoding(seed) });
    using cache = open(1);
    using same = open(1);
    using other = open(2);
    expect(cache.store).toBe('turned');
    cache.append(0, { key: some(2), value: some(2) });
    same.restore(cache.save());
    expect(same.length()).toBe(2);
    expect(errorOf(() => other.restore(cache.save())).argument).toBe('bytes.rotation');
  });
});

/** Gradients of attention without encodings: PyTorch's, and those of the definition in float64. */
import { describe, expect, test } from 'vitest';
import type { AttentionInputs } from 'posenc';
import { floats, golden, tensor } from './golden-tables.js';
import {
  at,
  data,
  dense,
  inputs,
  maskCases,
  perHead,
  perQuery,
  positions,
  sizes,
} from './mask-cases.js';
import { expectGradient, numbers, posenc } from './posenc.js';
import { attentionGradients } from './reference-gradients.js';
import { attention as reference, type ReferenceInputs } from './reference.js';

const { batch, heads, kvHeads, queries, keys, headDim, valueDim } = sizes;
const gradient = numbers(batch * heads * queries * valueDim, 8);
const zero = (x: ArrayLike<number>) => Array.from(x).every((value) => value === 0);

describe('golden: sdpa', () => {
  const cases = golden('sdpa').cases.filter(({ tensors }) => 'd_query' in tensors);
  test('has gradients', () => expect(cases.length).toBeGreaterThan(10));

  test.each(cases)('$name', (given) => {
    const [query, key, value] = ['query', 'key', 'value'].map((name) => tensor(given, name));
    const [b = 1, h = 1, q = 1, width = 1] = query!.shape;
    const { mask, bias, query_positions: places, key_mask: padding } = given.tensors;
    const { causal, window = 0, softcap = 0, scale = 1 } = given.numbers;
    const added = bias ?? mask;
    const values = bias ? Float32Array.from(bias.values) : Uint8Array.from(mask?.values ?? []);
    const backward = posenc.attentionBackward({
      query: floats(given, 'query')!,
      key: floats(given, 'key')!,
      value: floats(given, 'value')!,
      gradient: floats(given, 'd_output')!,
      shape: {
        ...{ batch: b, heads: h, queries: q, headDim: width },
        ...{ kvHeads: key!.shape[1]!, keys: key!.shape[2]!, valueDim: value!.shape[3]! },
      },
      causal: causal === 1,
      scale,
      queryPositions: places ? Int32Array.from(places.values) : 0,
      ...(window > 0 && { window }),
      ...(softcap > 0 && { softcap }),
      ...(padding && { keyMask: Uint8Array.from(padding.values) }),
      ...(added && { mask: values, maskShape: added.shape }),
    });
    for (const name of ['query', 'key', 'value'] as const) {
      expectGradient(backward[name], tensor(given, `d_${name}`).values);
    }
  });
});

describe('under masks', () => {
  test('the formulas of the reference are those of differences', () => {
    const weights = Float64Array.from(gradient);
    const loss = (changed: Partial<ReferenceInputs>) =>
      reference({ ...sizes, ...data, ...positions, softcap: 2, ...changed }).output.reduce(
        (sum, x, i) => sum + x * weights[i]!,
        0,
      );
    const told = attentionGradients({ ...sizes, ...data, ...positions, softcap: 2 }, gradient);
    for (const name of ['query', 'key', 'value'] as const) {
      const direction = numbers(data[name].length, 9);
      const moved = (step: number) => ({
        [name]: Float64Array.from(data[name], (x, i) => x + step * direction[i]!),
      });
      const expected = (loss(moved(1e-5)) - loss(moved(-1e-5))) / 2e-5;
      expect(told[name].reduce((sum, x, i) => sum + x * direction[i]!, 0)).toBeCloseTo(expected, 7);
    }
  });

  test.each(maskCases)('%s', (_title, options, expected) => {
    const wanted = [
      ...(['query', 'key', 'value', 'scale'] as const),
      ...(['sinkLogits', 'headScales', 'queryScales'] as const).filter((name) => options[name]),
      ...(options.mask instanceof Float32Array ? (['mask'] as const) : []),
    ];
    for (const softcap of [undefined, 2]) {
      const call = { ...inputs, ...options, ...(softcap !== undefined && { softcap }) };
      const backward = posenc.attentionBackward({ ...call, gradient, return: wanted });
      const capped = softcap === undefined ? {} : { softcap };
      const right = attentionGradients(
        { ...sizes, ...data, ...positions, ...expected, ...capped },
        gradient,
      );
      expectGradient(backward.query, right.query);
      expectGradient(backward.key, right.key);
      expectGradient(backward.value, right.value);
      const factor = expected.factor ?? (() => 1);
      /** Sums over rows of the gradient by their factor, times what else is in the factor. */
      const sum = (
        count: number,
        index: (b: number, h: number, m: number) => number,
        own: boolean,
      ) => {
        const sums = Array<number>(count).fill(0);
        right.factors.forEach((x, row) => {
          const head = Math.floor(row / queries);
          const [b, h, m] = [Math.floor(head / heads), head % heads, row % queries];
          const i = index(b, h, m);
          const mine = own
            ? count === heads
              ? perHead[i]!
              : perQuery[i]!
            : Math.sqrt(headDim) ** -1;
          sums[i]! += (x * factor(b, h, m)) / mine;
        });
        return sums;
      };
      expectGradient(
        [backward.scale],
        sum(1, () => 0, false),
      );
      if (options.headScales)
        expectGradient(
          backward.headScales,
          sum(heads, (_b, h) => h, true),
        );
      if (options.queryScales) {
        const by = sum(batch * queries, (b, _h, m) => b * queries + m, true);
        expectGradient(backward.queryScales, by);
      }
      if (options.sinkLogits) expectGradient(backward.sinkLogits, right.sinkLogits);
      if (options.mask instanceof Float32Array) {
        const shape =
          options.maskShape ??
          (options.mask.length === dense.length ? [batch, heads, queries, keys] : [queries, keys]);
        expectGradient(backward.mask, shared(right.logits, shape));
      }
    }
  });

  /** Sums of numbers per pair over the dimensions that a mask of this shape shares. */
  function shared(pairs: readonly number[], shape: readonly number[]): number[] {
    const padded = [...Array<number>(4 - shape.length).fill(1), ...shape];
    const sums = Array<number>(padded.reduce((a, b) => a * b, 1)).fill(0);
    const full = [batch, heads, queries, keys];
    pairs.forEach((x, i) => {
      let rest = i;
      const index = full.map((size, d) => {
        const below = full.slice(d + 1).reduce((a, b) => a * b, 1);
        const coordinate = Math.floor(rest / below);
        rest %= below;
        return padded[d] === 1 ? 0 : coordinate % size;
      });
      sums[index.reduce((offset, coordinate, d) => offset * padded[d]! + coordinate, 0)]! += x;
    });
    return sums;
  }
});

describe('what is hidden', () => {
  const plain = posenc.attentionBackward({ ...inputs, gradient });

  // PyTorch's flash backward loses such rows: its logsumexp is one float (DISAGREEMENTS 4).
  test.each([-1e9, 1e9, -3.4028235e38])('a mask of %d on whole rows changes no bit', (huge) => {
    const mask = new Float32Array(queries * keys).fill(huge);
    expect(posenc.attentionBackward({ ...inputs, gradient, mask })).toEqual(plain);
  });

  test('a mask of −1e9 that hides by its size gives those keys no gradient', () => {
    const mask = new Float32Array(keys);
    mask[4] = -1e9;
    const options = { gradient, maskShape: [keys] };
    const finite = posenc.attentionBackward({ ...inputs, ...options, mask });
    const hidden = posenc.attentionBackward({
      ...inputs,
      ...options,
      mask: mask.map((x) => (x < 0 ? -Infinity : 0)),
    });
    expect(finite).toEqual(hidden);
  });

  test('rows that see nothing have gradient 0, and give none', () => {
    const query = data.query.slice().fill(NaN, 0, headDim);
    const options = {
      queryPositions: Array.from({ length: queries }, (_, m) => m - 1),
      causal: true,
    };
    const {
      query: dQuery,
      key,
      value,
    } = posenc.attentionBackward({
      ...inputs,
      ...options,
      query,
      gradient,
    });
    expect(zero(dQuery.subarray(0, headDim))).toBe(true);
    for (const x of [dQuery, key, value]) expect(x.every(Number.isFinite)).toBe(true);
  });

  test('NaN and infinities in hidden keys change no bit', () => {
    const keyMask = Array.from({ length: keys }, (_, n) => n !== 3 && n !== 10);
    const clean = posenc.attentionBackward({ ...inputs, gradient, keyMask });
    const [key, value] = [data.key.slice(), data.value.slice()];
    for (let row = 0; row < batch * kvHeads; row++) {
      for (const n of [3, 10]) {
        key.fill(NaN, (row * keys + n) * headDim, (row * keys + n + 1) * headDim);
        value.fill(Infinity, (row * keys + n) * valueDim, (row * keys + n + 1) * valueDim);
      }
    }
    const dirty = posenc.attentionBackward({ ...inputs, key, value, gradient, keyMask });
    expect(dirty).toEqual(clean);
    expect(zero(clean.key.subarray(3 * headDim, 4 * headDim))).toBe(true);
    expect(zero(clean.value.subarray(10 * valueDim, 11 * valueDim))).toBe(true);
  });
});

describe('a call', () => {
  const long = { heads: 4, kvHeads: 2, queries: 70, keys: 110, headDim: 9, valueDim: 6 };
  const call = {
    query: numbers(4 * 70 * 9, 1),
    key: numbers(2 * 110 * 9, 2),
    value: numbers(2 * 110 * 6, 3),
    shape: long,
    causal: true,
    gradient: numbers(4 * 70 * 6, 4),
  };
  const plain = posenc.attentionBackward(call);

  test('agrees with the definition across tiles, where heads share keys', () => {
    const right = attentionGradients(
      {
        ...{ ...call, ...long, batch: 1 },
        queryPosition: (_b, m) => 40 + m,
        keyPosition: (_b, n) => n,
      },
      call.gradient,
    );
    for (const name of ['query', 'key', 'value'] as const) expectGradient(plain[name], right[name]);
  });

  test('gives the same bits again, also from what attention returned', () => {
    expect(posenc.attentionBackward(call)).toEqual(plain);
    const { gradient: _, ...forward } = call;
    const { output, statistics } = posenc.attention({ ...forward, return: ['statistics'] });
    expect(statistics!.length).toBe(4 * 70 * 3);
    expect(posenc.attentionBackward({ ...call, output, statistics: statistics! })).toEqual(plain);
  });

  test('statistics are those of the softmax', () => {
    const { gradient: _, ...forward } = call;
    const taps = { ...forward, return: ['statistics', 'logits', 'weights'] } as const;
    const { statistics, logits, weights } = posenc.attention(taps);
    const row = 4 * 70 - 5;
    const [first, second, third] = statistics!.subarray(3 * row, 3 * row + 3);
    const told = logits!
      .subarray(110 * row, 110 * (row + 1))
      .map((logit) => Math.exp(logit - first! - second!) / third!);
    told.forEach((weight, n) => expect(weight).toBeCloseTo(weights![110 * row + n]!, 6));
  });

  test('returns what is asked for, with the same bits', () => {
    for (const name of ['query', 'key', 'value'] as const) {
      const alone = posenc.attentionBackward({ ...call, return: [name] });
      expect(alone).toEqual({ [name]: plain[name] });
    }
    expect(posenc.attentionBackward({ ...call, return: [] })).toEqual({});
    expect(plain.encodings).toEqual({});
  });

  test('writes to arrays and tensors', () => {
    const query = new Float32Array(call.query.length).fill(NaN);
    using key = posenc.tensor(new Float32Array(call.key.length).fill(NaN), [1, 2, 110, 9]);
    const arrays = posenc.attentionBackward({ ...call, out: { query } });
    expect(arrays.query).toBe(query);
    expect(arrays).toEqual(plain);
    const resident = posenc.attentionBackward({ ...call, out: { key } });
    expect(resident.key).toBe(key);
    expect(key.read()).toEqual(plain.key);
    expect(resident.value).toEqual(plain.value);
  });

  test('reads tensors, whose shapes then count, and may overwrite one with its gradient', () => {
    using query = posenc.tensor(call.query, [1, 4, 70, 9]);
    using key = posenc.tensor(call.key, [1, 2, 110, 9]);
    using value = posenc.tensor(call.value, [1, 2, 110, 6]);
    using d = posenc.tensor(call.gradient, [1, 4, 70, 6]);
    const resident = { query, key, value, gradient: d, causal: true };
    expect(posenc.attentionBackward(resident)).toEqual(plain);
    expect(posenc.attentionBackward({ ...resident, out: { query } }).query).toBe(query);
    expect(query.read()).toEqual(plain.query);
  });

  test('may be repeated: memory stays as it is', () => {
    const few: AttentionInputs & { gradient: Float32Array } = {
      ...{ query: numbers(8), key: numbers(8), value: numbers(8), gradient: numbers(8) },
      shape: { heads: 1, queries: 2, headDim: 4 },
      encoding: posenc.encoding('t5', { heads: 1, table: new Float32Array(32) }),
    };
    const { return: _return, out: _out, ...again } = few;
    for (let i = 0; i < 100; i++) posenc.attentionBackward({ ...again, gradient: few.gradient });
    const before = posenc.info.memoryBytes;
    for (let i = 0; i < 10_000; i++) posenc.attentionBackward({ ...again, gradient: few.gradient });
    expect(posenc.info.memoryBytes).toBe(before);
  });

  test('queries stand where attention put them', () => {
    const right = attentionGradients({ ...sizes, ...data, ...positions, causal: true }, gradient);
    const listed = Array.from({ length: queries }, (_, m) => at(m));
    for (const queryPositions of [undefined, at(0), listed]) {
      const places = queryPositions === undefined ? {} : { queryPositions };
      const { query } = posenc.attentionBackward({ ...inputs, ...places, causal: true, gradient });
      expectGradient(query, right.query);
    }
  });
});

/** Numbers of other implementations, through the public API, in both builds. */
import { readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { load } from 'posenc';
import type { AttentionInputs, Posenc, RopeOptions, SinusoidalOptions, Tap } from 'posenc';
import { describe, expect, test } from 'vitest';
import {
  golden,
  tensor,
  waitingCases,
  type GoldenCase,
  type GoldenTensor,
} from './golden-tables.js';
import { expectNear, posenc as simd } from './posenc.js';

const groups = [
  'alibi',
  'attention_extra',
  'cope',
  'deberta',
  'dynamic_position_bias',
  'fire',
  'kerple',
  'mrope',
  'onnx_attention',
  'onnx_rotary',
  'rope2d',
  'rope_apply',
  'rope_float32',
  'sandwich',
  'sdpa',
  'shaw',
  'sinusoidal',
  'swin',
  't5_bias',
  'transformer_xl',
  'xpos',
];

// Node 20 hides relaxed SIMD behind a flag; newer ones have it, and no such flag.
if (Number.parseInt(process.versions.node) < 21) {
  setFlagsFromString('--experimental-wasm-relaxed-simd');
}
const builds: [string, Posenc][] = [
  ['simd', simd],
  ['relaxed', await load({ variant: 'relaxed' })],
];

const floats = ({ values }: GoldenTensor): Float32Array => Float32Array.from(values);
const integers = ({ values }: GoldenTensor): Int32Array => Int32Array.from(values);

describe('the tables', () => {
  test('hold every case of their source, used or waiting', () => {
    const files = readdirSync(new URL('../golden/', import.meta.url));
    expect(files.filter((file) => file.endsWith('.bin')).sort()).toEqual(
      groups.map((group) => `${group}.bin`),
    );
    for (const group of groups) {
      const { sourceCases, cases } = golden(group);
      const used = new Set(cases.map(({ name }) => name.split('/')[0]));
      const waiting = waitingCases().filter((one) => one.group === group);
      expect(used.size + waiting.length, group).toBe(sourceCases);
      for (const { name, reason } of waiting) {
        expect(used, name).not.toContain(name);
        expect(reason, name).not.toBe('');
      }
    }
  });

  test('say where each case is from', () => {
    for (const { name, origin, label } of groups.flatMap((group) => golden(group).cases)) {
      expect(origin, name).not.toBe('');
      expect(label, name).toMatch(/^(reference-run|transcription)$/);
    }
  });
});

describe.each(builds)('%s: sinusoidal', (_, posenc) => {
  // Places of images: golden-encodings.test.ts.
  const lines = golden('sinusoidal').cases.filter((c) => c.tensors.positions?.shape.length === 1);
  test.each(lines)('$name', (given) => {
    const { layout, denominator, order } = given.words;
    const options = { width: given.numbers.width, layout, denominator, order } as SinusoidalOptions;
    const rows = posenc.encoding('sinusoidal', options).embed(integers(tensor(given, 'positions')));
    expectNear(rows, tensor(given, 'rows').values);
  });
});

describe.each(builds)('%s: rope_apply', (_, posenc) => {
  test.each(golden('rope_apply').cases)('$name', (given) => {
    const x = tensor(given, 'x');
    const { rotary_dim: rotaryDim, base } = given.numbers;
    const { layout } = given.words;
    const options = { headDim: x.shape[3], rotaryDim, base, layout } as RopeOptions;
    const rope = posenc.encoding('rope', options);
    const positions = integers(tensor(given, 'positions'));
    const turned = rope.rotate(floats(x), { shape: x.shape, positions });
    expectNear(turned, tensor(given, 'rotated').values);
    const back = rope.rotate(turned, { shape: x.shape, positions, inverse: true });
    expectNear(back, x.values);
  });
});

describe.each(builds)('%s: alibi', (_, posenc) => {
  const cases = golden('alibi').cases;

  test.each(cases.filter(({ tensors }) => 'slopes' in tensors))('$name', (given) => {
    const slopes = tensor(given, 'slopes').values;
    let start = 0;
    for (let heads = 1; heads <= 128; start += heads++) {
      const one = { queryPositions: [0], keyPositions: [1] };
      const bias = posenc.encoding('alibi', { heads }).bias(one);
      expectNear(
        bias.map((x) => -x),
        slopes.slice(start, start + heads),
      );
    }
    expect(start).toBe(slopes.length);
  });

  test.each(cases.filter(({ tensors }) => !('slopes' in tensors)))('$name', (given) => {
    const { heads = 0, tokens = 0 } = given.numbers;
    const alibi = posenc.encoding('alibi', { heads });
    const bias = alibi.bias({ queries: tokens, keys: tokens });
    if (given.tensors.symmetric) expectNear(bias, given.tensors.symmetric.values);
    // The published rows leave out what a row has in common: the bias of its first key.
    const last = alibi.bias({ queries: 1, keys: tokens });
    const rows = last.map((x, i) => x - last[i - (i % tokens)]!);
    expectNear(rows, tensor(given, 'keys_only').values);
  });
});

/** What a case needs that the API cannot say yet; null when it can run. */
function missing({ tensors }: GoldenCase): string | null {
  if (tensors.bias) return 'a bias of any form';
  if (tensors.mask) return 'a mask of any form';
  if (tensors.key?.shape[2] === 0) return 'a call without keys';
  return null;
}

const taps = ['scores', 'capped', 'logits', 'weights'] as const;

function inputsOf(given: GoldenCase, wanted: readonly Tap[]): AttentionInputs {
  const [query, key, value] = ['query', 'key', 'value'].map((name) => tensor(given, name));
  const [batch = 1, heads = 1, queries = 1, headDim = 1] = query!.shape;
  const [, kvHeads = 1, keys = 1] = key!.shape;
  const { causal, window = 0, softcap = 0, scale = 1 } = given.numbers;
  const { query_positions: positions, key_mask: padding } = given.tensors;
  return {
    query: floats(query!),
    key: floats(key!),
    value: floats(value!),
    shape: { batch, heads, kvHeads, queries, keys, headDim, valueDim: value!.shape[3]! },
    causal: causal === 1,
    scale,
    queryPositions: positions ? integers(positions) : 0,
    return: wanted,
    ...(window > 0 && { window }),
    ...(softcap > 0 && { softcap }),
    ...(padding && { keyMask: Uint8Array.from(padding.values) }),
  };
}

/** A NaN that the source gives means: not specified. */
function expectGolden(actual: Float32Array, { values }: GoldenTensor): void {
  expect(actual.some(Number.isNaN)).toBe(false);
  expectNear(
    actual,
    values.map((x, i) => (Number.isNaN(x) ? actual[i]! : x)),
  );
}

function check(posenc: Posenc, given: GoldenCase): void {
  const wanted = taps.filter((tap) => tap in given.tensors);
  const result = posenc.attention(inputsOf(given, wanted));
  expectGolden(result.output as Float32Array, tensor(given, 'output'));
  for (const tap of wanted) expectGolden(result[tap]!, tensor(given, tap));
}

describe.each(builds)('%s: attention', (_, posenc) => {
  describe.each(['sdpa', 'onnx_attention'])('%s', (group) => {
    const runnable = golden(group).cases.filter((given) => missing(given) === null);
    test.each(runnable)('$name', (given) => check(posenc, given));
  });
});

test('attention cases that wait for the API are known', () => {
  const counts: Record<string, number> = {};
  for (const given of ['sdpa', 'onnx_attention'].flatMap((group) => golden(group).cases)) {
    const reason = missing(given) ?? 'nothing';
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  expect(counts).toEqual({
    'a bias of any form': 25,
    'a mask of any form': 8,
    'a call without keys': 1,
    nothing: 43,
  });
});

test('onnx_rotary cases wait for tables of cosines and sines from outside', () => {
  for (const given of golden('onnx_rotary').cases) {
    expect(Object.keys(given.tensors)).toEqual(['x', 'cos', 'sin', 'rotated']);
  }
});

/** Numbers of other implementations, through the public API, in both builds. */
import { readdirSync } from 'node:fs';
import type { RopeOptions, SinusoidalOptions } from 'posenc';
import { describe, expect, test } from 'vitest';
import { builds } from './builds.js';
import { golden, tensor, waitingCases, type GoldenTensor } from './golden-tables.js';
import { expectNear } from './posenc.js';

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
  'onnx_attention_node',
  'onnx_flex_attention',
  'onnx_linear_attention',
  'onnx_rotary',
  'onnx_rotary_node',
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

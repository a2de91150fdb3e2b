/** Every family of checkpoints against references in float64. */
import { readSafetensors, writeSafetensors, type LanguageModel } from 'posenc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builds } from './builds.js';
import {
  configOf,
  expectModel,
  families,
  filesOf,
  loadFamily,
  sequencesOf,
  unpack,
} from './model-golden.js';
import { posenc } from './posenc.js';

describe.each(builds)('%s', (_, build) => {
  describe.each(families)('%s', (family) => {
    let model: LanguageModel;
    beforeAll(async () => {
      model = await loadFamily(build, family);
    });
    afterAll(() => model.dispose());

    it.each(sequencesOf(family).map((sequence, i) => [i, sequence] as const))(
      'text %i: logits and losses, all at once, in chunks and token by token',
      (_, { ids, decoder, encoder, logits, losses, perplexity }) => {
        const tokens = (decoder ?? ids)!;
        const source = encoder === undefined ? {} : { encoder };
        const chunks = model.spec.decoder === undefined ? [128] : [128, 5, 1];
        for (const chunk of chunks) {
          expectModel(model.logits(tokens, { ...source, chunk }), unpack(logits));
        }
        if (losses === undefined) return;
        const foreseen = model.perplexity(tokens, { ...source, chunk: 7 });
        expectModel(foreseen.losses, Float32Array.from(losses));
        expect(foreseen.perplexity / perplexity!).toBeCloseTo(1, 4);
      },
    );
  });
});

describe('the inside of a layer', () => {
  it('is what the reference has', async () => {
    const model = await loadFamily(posenc, 'llama');
    const { ids, layer } = sequencesOf('llama').find((one) => one.layer !== undefined)!;
    const traced = model.trace(ids!).layers[layer!.index]!;
    for (const [name, numbers] of [
      [layer!.normed, traced.normed],
      [layer!.query, traced.query],
      [layer!.key, traced.key],
      [layer!.rotated_query, traced.turnedQuery],
      [layer!.rotated_key, traced.turnedKey],
      [layer!.weights, traced.weights],
    ] as const) {
      expectModel(numbers, unpack(name!));
    }
    model.dispose();
  });

  it('adds up: what goes in, what attention and MLP add, what the next layer gets', async () => {
    for (const family of families.filter((name) => !name.startsWith('t5'))) {
      const model = await loadFamily(posenc, family);
      const { ids } = sequencesOf(family)[0]!;
      const { layers, logits } = model.trace(ids!);
      expectModel(logits, model.logits(ids!));
      if (model.spec.decoder?.normPlacement === 'pre') {
        const [first, second] = layers;
        const sum = first!.input.map((x, i) => x + first!.attention[i]! + first!.mlp[i]!);
        expectModel(second!.input, sum);
      }
      for (const { weights, logits: masked } of layers) {
        expect(masked.some(Number.isNaN)).toBe(false);
        const tokens = ids!.length;
        for (let row = 0; row < weights.length / tokens; row++) {
          const sum = weights.subarray(row * tokens, (row + 1) * tokens).reduce((a, b) => a + b, 0);
          expect(sum).toBeCloseTo(1, 5);
        }
      }
      model.dispose();
    }
  });
});

describe('weights in fewer bits', () => {
  const rounded = {
    f16: (row: Float32Array) => row,
    // What a row of int8 with a scale can hold.
    int8: (row: Float32Array) => {
      const scale = Math.fround(row.reduce((most, x) => Math.max(most, Math.abs(x)), 0) / 127);
      return row.map((x) =>
        scale === 0 ? 0 : Math.fround(roundEven(Math.fround(x / scale)) * scale),
      );
    },
  };

  it.each(['f16', 'int8'] as const)('%s computes with the rounded numbers', async (dtype) => {
    for (const family of ['llama', 'gpt2', 'bert']) {
      const weights = await readSafetensors(filesOf(family));
      const tensors: Record<string, { shape: readonly number[]; data: Float32Array }> = {};
      for (const [name, { shape, dtype: held }] of weights.tensors) {
        if (held !== 'F32') continue;
        const data = await weights.read(name);
        const matrix = shape.length === 2 && !/norm|wpe|position|token_type/.test(name);
        // Rows of GPT-2's matrices are columns of the engine's.
        const turned = matrix && /c_attn|c_proj|c_fc/.test(name);
        tensors[name] = { shape, data: matrix ? byRow(data, shape, turned, rounded[dtype]) : data };
      }
      const format = dtype === 'f16' ? 'f16' : 'f32';
      const exact = await posenc.loadModel({
        config: configOf(family),
        weights: await readSafetensors(
          writeSafetensors(
            Object.fromEntries(
              Object.entries(tensors).filter(
                ([, { shape }]) => dtype !== 'f16' || shape.length === 2,
              ),
            ),
            { dtype: format },
          ),
        ).then((halves) =>
          dtype !== 'f16'
            ? halves
            : {
                ...halves,
                tensors: weights.tensors,
                // Vectors and tables of positions stay as they are.
                read: (name: string) =>
                  halves.tensors.has(name) && !/norm|wpe|position|token_type/.test(name)
                    ? halves.read(name)
                    : weights.read(name),
              },
        ),
      });
      const model = await loadFamily(posenc, family, { dtype });
      expect(model.bytes).toBeLessThan(exact.bytes);
      for (const { ids } of sequencesOf(family)) {
        for (const chunk of family === 'bert' ? [128] : [128, 2, 1]) {
          expectModel(model.logits(ids!, { chunk }), exact.logits(ids!, { chunk }));
        }
      }
      model.dispose();
      exact.dispose();
    }
  });
});

/** Rounds each row of the engine's matrix. */
function byRow(
  data: Float32Array,
  [rows, columns]: readonly number[],
  turned: boolean,
  round: (row: Float32Array) => Float32Array,
): Float32Array {
  const out = new Float32Array(data.length);
  const count = turned ? columns! : rows!;
  const width = turned ? rows! : columns!;
  const at = (row: number, i: number) => (turned ? i * columns! + row : row * columns! + i);
  for (let row = 0; row < count; row++) {
    const numbers = round(Float32Array.from({ length: width }, (_, i) => data[at(row, i)]!));
    for (let i = 0; i < width; i++) out[at(row, i)] = numbers[i]!;
  }
  return out;
}

function roundEven(x: number): number {
  const floor = Math.floor(x);
  if (x - floor !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** Models of images: patches, windows, rotation by row and column; facts from their classes in transformers. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inspect } from 'posenc';
import type { LayerGroup, Plan } from 'posenc';
import { golden as tables } from './golden-tables.js';

const { efficientloftr, tolerance } = JSON.parse(
  readFileSync(new URL('../golden/families.json', import.meta.url), 'utf8'),
) as {
  tolerance: { rtol: number };
  efficientloftr: { row: number; column: number; angles: number[] };
};

const only = (plan: Plan): LayerGroup => {
  expect(plan.layerGroups).toHaveLength(1);
  return plan.layerGroups[0]!;
};

describe('images', () => {
  it('Pixtral: rows turn the first half of the pairs, columns the second, as transformers does', () => {
    const test = tables('rope2d').cases.find(({ name }) => name === 'pixtral_4x4')!;
    const [x, positions, rotated] = ['x', 'positions', 'rotated'].map(
      (name) => test.tensors[name]!.values,
    ) as [readonly number[], readonly number[], readonly number[]];
    const config = { model_type: 'pixtral', hidden_size: 32, num_attention_heads: 2, head_dim: 16 };
    const group = only(inspect(config));
    expect(group).toMatchObject({ encoding: 'rope', layout: 'half', rotaryDim: 16, options: null });
    const { axes, sizes } = group.sections!;
    expect(sizes).toEqual([0, 4, 4]);
    for (let row = 0; row < 32; row++) {
      for (let pair = 0; pair < 8; pair++) {
        const token = row % 16;
        const coordinate = positions[2 * token + axes[pair]! - 1]!;
        const angle = coordinate * group.inverseFrequencies[pair]!;
        const [a, b] = [x[16 * row + pair]!, x[16 * row + pair + 8]!];
        const turned = a * Math.cos(angle) - b * Math.sin(angle);
        expect(Math.abs(turned - rotated[16 * row + pair]!)).toBeLessThan(2e-5);
      }
    }
  });

  it('EfficientLoFTR turns the whole width before it is cut into heads', () => {
    const group = only(inspect({ model_type: 'efficientloftr', partial_rotary_factor: 4.0 }));
    const { row, column, angles } = efficientloftr;
    const { axes } = group.sections!;
    const made = group.inverseFrequencies.map((f, pair) => f * (axes[pair] === 1 ? row : column));
    expect(made).toHaveLength(angles.length);
    made.forEach((angle, pair) => {
      expect(Math.abs(angle / angles[pair]! - 1)).toBeLessThanOrEqual(tolerance.rtol);
    });
    expect(group).toMatchObject({ layout: 'interleaved', rotaryDim: 256, layers: [0, 1, 2, 3] });
    expect(group.softmaxScale).toBeCloseTo(1 / Math.sqrt(32), 15);
  });

  it.each([
    ['vit', {}, 197, 768],
    ['vit', { image_size: 384, patch_size: 16 }, 577, 768],
    ['deit', {}, 198, 768],
    ['dinov2', {}, 257, 768],
    ['clip_vision_model', {}, 50, 768],
    ['siglip_vision_model', {}, 196, 768],
    ['clip_text_model', {}, 77, 512],
    ['siglip_text_model', {}, 64, 768],
    ['clip', { text_config: { hidden_size: 768, num_attention_heads: 12 } }, 77, 768],
  ])('%s %j: %i positions of width %i', (model_type, sizes, positions, width) => {
    const plan = inspect({ model_type, ...sizes });
    expect(only(plan)).toMatchObject({
      encoding: 'learned',
      table: { positions, width, offset: 0 },
    });
  });

  it('Swin: a window of 7 × 7 has 169 offsets; the last stage is one window and does not move', () => {
    const plan = inspect({ model_type: 'swin' });
    expect(plan).toMatchObject({ layers: 12, hiddenSize: 768, headDim: 32 });
    expect(plan.layerGroups.map(({ layers }) => layers.length)).toEqual([2, 2, 6, 2]);
    expect(plan.layerGroups.map(({ patchWindow }) => patchWindow!.heads)).toEqual([3, 6, 12, 24]);
    expect(plan.layerGroups.map(({ patchWindow }) => patchWindow!.shift)).toEqual([3, 3, 3, 0]);
    for (const { patchWindow, softmaxScale } of plan.layerGroups) {
      expect(patchWindow).toMatchObject({ side: 7, offsets: 169, biases: 'table' });
      expect(softmaxScale).toBeCloseTo(1 / Math.sqrt(32), 15);
    }
  });

  it('Swin v2: a network of the log offsets, divided by the window of pre-training', () => {
    const config = { model_type: 'swinv2', image_size: 256, window_size: 16 };
    const plan = inspect({ ...config, pretrained_window_sizes: [12, 12, 12, 6] });
    expect(plan.layerGroups.map(({ patchWindow }) => patchWindow!.side)).toEqual([16, 16, 16, 8]);
    expect(plan.layerGroups.map(({ patchWindow }) => patchWindow!.pretrainedSide)).toEqual([
      ...[12, 12, 12, 6],
    ]);
    for (const { patchWindow, softmaxScale } of plan.layerGroups) {
      expect(patchWindow!.biases).toBe('network');
      expect(softmaxScale).toBeNull(); // cosine attention, with a learned scale
    }
  });

  it.each([
    [
      { depths: [2, 2], num_heads: [3] },
      /^num_heads is an array of length 1, needs one entry for each/,
    ],
    [{ depths: [2, 0.5, 2, 2] }, /^depths\[1\] is 0\.5, needs an integer from 1 to 4096/],
    [{ embed_dim: 97 }, /^embed_dim is 97, needs a multiple of num_heads\[0\] \(3\)/],
    [{ window_size: 'seven' }, /^window_size is "seven", needs an integer/],
  ])('Swin %j is refused', (change, message) => {
    expect(() => inspect({ model_type: 'swin', ...change })).toThrow(message);
  });
});

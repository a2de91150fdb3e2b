import type { ScalingOptions } from '../scaling/types.js';
import type { Context } from './context.js';
import type { LayerGroup, Sections } from './plan.js';
import type { RopeSettings } from './rope.js';
import { unscaled } from './sinusoid.js';

/**
 * Frequencies that no option of the encoding `rope` makes: pairs of images by row and column (Pixtral,
 * EfficientLoFTR), exponents over an odd width (GLM's MoE with the head size left out).
 */
export function oddTable(
  context: Context,
  settings: RopeSettings,
  rule: ScalingOptions,
): Partial<LayerGroup> {
  const { family, notes } = context;
  const { container, scaling, exponentDim, headDim } = settings;
  const type = String(family.type);
  if (rule.type !== 'none') {
    const names = container === null ? [] : [container.at('rope_type')];
    if (family.grid !== null) notes.add('grid-rule', names, { rule: scaling.type, type });
    else
      notes.add('rotary-dim-invalid', names, {
        rotaryDim: exponentDim ?? 0,
        headDim: headDim ?? 0,
      });
    return {};
  }
  const table = frequencies(context, settings);
  if (table === null) return {};
  return { ...table, computed: true, ...unscaled(table.inverseFrequencies), attentionFactor: 1 };
}

function frequencies(
  { fields, family, notes }: Context,
  { base, rotaryDim, exponentDim }: RopeSettings,
): { inverseFrequencies: number[]; sections?: Sections } | null {
  if (base === null || rotaryDim === null || exponentDim === null) return null;
  const pairs = rotaryDim / 2;
  const frequency = (i: number): number => base ** ((-2 * i) / exponentDim);
  const all = Array.from({ length: pairs }, (_, pair) => pair);
  const type = String(family.type);
  if (family.grid === null) return { inverseFrequencies: all.map(frequency) };
  if (family.grid === 'mixed') {
    if (2 * exponentDim !== rotaryDim || exponentDim % 2 === 1) {
      const names = [fields.at('partial_rotary_factor')];
      notes.add('grid-width', names, { needed: rotaryDim / 2, made: exponentDim });
      return null;
    }
    notes.add('grid-mixed', [], { type });
    return {
      inverseFrequencies: all.map((pair) => frequency(Math.floor(pair / 2))),
      sections: gridSections(pairs, 'interleaved'),
    };
  }
  if (pairs % 2 === 1) {
    notes.add('rotary-dim-invalid', [fields.at('head_dim')], { rotaryDim, headDim: rotaryDim });
    return null;
  }
  notes.add('grid-halves', [], { type });
  const half = pairs / 2;
  return {
    inverseFrequencies: all.map((pair) =>
      frequency(pair < half ? 2 * pair : 2 * (pair - half) + 1),
    ),
    sections: gridSections(pairs, 'chunked'),
  };
}

/** No pair for time, as many for rows as for columns. */
const gridSections = (pairs: number, order: Sections['order']): Sections => ({
  sizes: [0, pairs / 2, pairs / 2],
  order,
  axes: Array.from({ length: pairs }, (_, pair) =>
    order === 'chunked' ? (pair < pairs / 2 ? 1 : 2) : 1 + (pair % 2),
  ),
});

import { PosencError } from '../../error.js';
import type { ScaledRopeOptions } from '../../encodings.js';
import type { LayerGroup, Plan } from '../../inspect/plan.js';
import type { EncodingSpec, LayerSpec } from '../spec.js';
import { unsupported } from './read.js';
import type { Reading } from './types.js';

/**
 * What positions do in each of `count` layers from the plan's layer `first` on. `special` makes the
 * encodings that need more than the plan: T5's and DeBERTa's tables.
 */
export function readLayers(
  { plan }: Reading,
  count: number,
  first = 0,
  special: (group: LayerGroup, layer: number) => EncodingSpec[] | null = () => null,
): LayerSpec[] {
  return Array.from({ length: count }, (_, layer) => {
    const group = groupOf(plan, first + layer);
    refuse(group);
    const encodings = special(group, layer) ?? usual(group, plan);
    return group.window === null ? { encodings } : { encodings, window: group.window };
  });
}

/** What q·k is multiplied by, which must be the same in all layers. */
export function readScale({ plan }: Reading): number {
  const scales = plan.layerGroups.map(({ softmaxScale }) => softmaxScale);
  const [scale = null] = scales;
  if (scale !== null && scales.every((each) => each === scale)) return scale;
  const differing = 'scale_attn_by_inverse_layer_idx';
  throw scale === null
    ? uncomputed(plan, 'the scale of attention')
    : unsupported(differing, true, 'the same scale of attention in all layers');
}

function groupOf(plan: Plan, layer: number): LayerGroup {
  const group = plan.layerGroups.find(({ layers }) => layers.includes(layer));
  if (group === undefined) throw uncomputed(plan, `layer ${layer}`);
  if (!group.computed) throw uncomputed(plan, `the encoding of layer ${layer}`);
  return group;
}

/** The error for what `inspect` could not tell, with its reasons. */
function uncomputed(plan: Plan, what: string): PosencError {
  const reasons = plan.warnings.map(({ en }) => en).join(' ');
  const message = `config does not tell ${what} exactly${reasons === '' ? '' : `: ${reasons}`}`;
  return new PosencError('unsupported', message.slice(0, 1000), {
    argument: plan.warnings[0]?.fields[0] ?? 'config',
    allowed: 'a config that inspect() computes',
  });
}

/** What the plan knows and models do not run yet. */
function refuse({ chunk, sinks, temperature, latent, sections, patchWindow }: LayerGroup): void {
  if (chunk !== null) throw unsupported('attention_chunk_size', chunk, 'none');
  if (sinks) throw unsupported('sinks', true, 'a softmax without learned sinks');
  if (temperature !== null) throw unsupported('attn_temperature_tuning', true, 'none');
  if (latent !== null) throw unsupported('kv_lora_rank', 'latent attention', 'none');
  if (sections !== null) throw unsupported('mrope_section', sections.sizes, 'one axis');
  if (patchWindow !== null) throw unsupported('window_size', patchWindow.side, 'none');
}

function usual(group: LayerGroup, plan: Plan): EncodingSpec[] {
  const { encoding, options } = group;
  switch (encoding) {
    case 'nope':
    case 'learned': // added to the input, from `embedding.position.weight`
      return [];
    case 'alibi':
      if (options !== null) return [{ name: 'alibi', options: { ...options } }];
      break;
    case 'rope':
      return [{ name: 'rope', options: ropeOptions(group, plan) }];
    default:
      break;
  }
  throw unsupported('position encoding', encoding, 'rope, alibi, a learned table or none');
}

/** Without `length`: rules that follow the length of a sequence follow that of the cache. */
function ropeOptions(group: LayerGroup, { headDim }: Plan): Record<string, unknown> {
  if (group.options !== null) {
    const { length: _, ...options } = group.options as ScaledRopeOptions;
    return options;
  }
  // Frequencies that are no powers of the base by the width that turns.
  const { inverseFrequencies, attentionFactor, layout, rotaryDim } = group;
  const factor = attentionFactor === null ? {} : { attentionFactor };
  return { headDim, rotaryDim, layout, frequencies: inverseFrequencies, ...factor };
}

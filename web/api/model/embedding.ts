import type { ResolvedBlock } from '../block.js';
import { wrong } from '../check.js';
import { ConfiguredEncoding } from '../encoding.js';
import type { Encoding } from '../types.js';

/** The block of an encoding whose rows are added to a model's input. */
export function embeddingBlock(
  embedding: Encoding | undefined,
  width: number,
): ResolvedBlock | undefined {
  if (embedding === undefined) return undefined;
  const block = ConfiguredEncoding.block(embedding, 'embedding');
  if (!embedding.hooks.includes('embed')) {
    throw wrong('unsupported', 'embedding', embedding.name, 'an encoding with the hook embed');
  }
  const { width: own } = embedding.options as { width?: number };
  if (own !== width) {
    throw wrong('shape', 'embedding.options.width', own, `the width of the model, ${width}`);
  }
  return block;
}

import type { RandomStream } from '../random.js';
import type { PlannedTensor } from './match.js';
import type { ModelSpec } from './spec.js';
import type { ModelTensor } from './stream.js';

/**
 * First weights of a model that learns from nothing. Rows of matrices are normal of variance
 * 1 / columns, so that what they make of normalised inputs has variance 1; matrices that write into the
 * residual stream are smaller by √(sublayers), which keeps its variance from growing with depth
 * (Radford et al. 2019, section 2.3). Norms begin as 1, biases and tables of distances as 0.
 */
export function* initialTensors(
  planned: readonly PlannedTensor[],
  { decoder, encoder }: ModelSpec,
  random: RandomStream,
): Generator<ModelTensor, void, undefined> {
  const sublayers = 2 * Math.max(decoder?.layers.length ?? 0, encoder?.layers.length ?? 0);
  for (const { name, shape } of planned) {
    const count = shape.reduce((product, n) => product * n, 1);
    yield { name, shape, data: numbers(name, count, shape.at(-1)!, sublayers, random) };
  }
}

function numbers(
  name: string,
  count: number,
  columns: number,
  sublayers: number,
  random: RandomStream,
): Float32Array {
  if (/norm\.weight$/.test(name)) return new Float32Array(count).fill(1);
  if (/\.bias$/.test(name) || /\.relative\.weight$/.test(name)) return new Float32Array(count);
  const writes = /(attention|cross)\.output\.weight$|mlp\.down\.weight$/.test(name);
  const deviation = 1 / Math.sqrt(columns * (writes ? sublayers : 1));
  return random.normal(count).map((x) => x * deviation);
}

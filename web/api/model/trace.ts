import { checkOptions, choices } from '../check.js';
import type { TraceCall } from '../kernels.js';
import { Context } from './context.js';
import { contextKeys, contextOptions } from './context-options.js';
import type { LoadedModel } from './loaded.js';
import type { LayerTrace, Trace, Traced, TraceOptions } from './types.js';

/** What the kernels write; turned queries and keys are made of it. */
const written = [
  ...(['input', 'normed', 'query', 'key', 'value', 'scores', 'biased', 'logits'] as const),
  ...(['weights', 'heads', 'attention', 'mlp'] as const),
] as const;
const turned = { turnedQuery: 'query', turnedKey: 'key' } as const;
const all = [...written, 'turnedQuery', 'turnedKey'] as const satisfies readonly Traced[];

const isTurned = (name: Traced): name is keyof typeof turned => name in turned;

/** What happens inside; see `LanguageModel.trace`. */
export function trace<Name extends Traced>(
  model: LoadedModel,
  ids: Int32Array,
  options?: TraceOptions<Name>,
): Trace<Name> {
  const given = checkOptions(options, [...contextKeys, 'return'], 'trace') as TraceOptions<Name>;
  const wanted: readonly Traced[] = given.return === undefined ? all : choices(given.return, 'return', all);
  const part = model.spec.decoder === undefined ? 'encoder' : 'decoder';
  const needed = new Set<keyof TraceCall>(
    wanted.map((name) => (isTurned(name) ? turned[name] : name)),
  );
  const size = { batch: 1, tokens: ids.length, whole: true };
  const context = new Context(model, part, size, contextOptions(given));
  try {
    const { layers, logits } = context.step({
      ids,
      tokens: ids.length,
      wanted: Array.from(ids.keys()),
      results: 'logits',
      trace: [...needed],
    });
    const complete = layers.map((layer, number) => {
      const pick = (name: Traced): Float32Array =>
        isTurned(name)
          ? turn(context, number, layer[turned[name]]!, turned[name], ids.length)
          : layer[name]!;
      return Object.fromEntries(wanted.map((name) => [name, pick(name)]));
    });
    return { ids, layers: complete as unknown as Pick<LayerTrace, Name>[], logits };
  } finally {
    context.dispose();
  }
}

/** Queries or keys of a layer as its encoding turns them. */
function turn(
  context: Context,
  layer: number,
  x: Float32Array,
  side: 'query' | 'key',
  tokens: number,
): Float32Array {
  const rotation = context.rotationOf(layer, tokens);
  if (rotation === undefined) return x;
  const { headDim } = rotation.options as unknown as { headDim: number };
  const shape = [1, x.length / (tokens * headDim), tokens, headDim];
  return rotation.rotate(x, { shape, positions: 0, side });
}

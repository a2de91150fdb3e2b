import type { ResolvedBlock } from './block.js';
import { checkOptions } from './check.js';
import type { Engine } from './engine.js';
import type { Frame, Result } from './frame.js';
import type { Data } from './types.js';

/** Where the gradients by the trained options of an encoding go. */
export interface PlacedGradients<Output extends Data> {
  /** Address of the list that the module reads: an address per trained option, 0 = not given. */
  readonly pointer: number;
  readonly deliver: () => Record<string, Output>;
}

/**
 * Makes zeros of the shape of each trained option that was given, for a call to add to: in `out` by
 * their names, else in new arrays. `path` stands before the names of options in errors: `out.`
 */
export function placeGradients<Output extends Data>(
  frame: Frame,
  engine: Engine,
  block: ResolvedBlock,
  out: Readonly<Record<string, Output>> | undefined,
  path = '',
): PlacedGradients<Output> {
  const { name: owner, parameters } = engine.encodings[block.values[0]!]!;
  const trained = parameters.flatMap(({ kind }, i) => (kind === 'tensor' ? [i] : []));
  const given = trained.map((parameter) => block.arrays.find(({ index }) => index === parameter));
  const names = given.flatMap((option) => (option === undefined ? [] : [option.name]));
  const places = checkOptions(out, names, `the gradients of ${owner}`, path.slice(0, -1));
  const results = given.map((option): [string, Result<Output>] | undefined => {
    if (option === undefined) return undefined;
    const { name, count } = option;
    const result = frame.output(places[name], path + name, [count], [name]);
    engine.memory.clear(result.pointer, count);
    return [name, result];
  });
  const pointer = frame.bytes(4 * results.length, 'the addresses of gradients');
  const addresses = results.map((result) => result?.[1].pointer ?? 0);
  engine.kernels.HEAP32.set(addresses, pointer >>> 2);
  const made = results.filter((result) => result !== undefined);
  const deliver = (): Record<string, Output> =>
    Object.fromEntries(made.map(([name, result]) => [name, result.deliver()]));
  return { pointer, deliver };
}

import { PosencError, show } from '../error.js';
import { readable, unreadableType } from './weights/dtype.js';
import type { Cut, ModelFamily, TensorRule } from './families/types.js';
import type { TensorName } from './spec.js';
import type { WeightInfo } from './weights/types.js';

/** One tensor of the engine, and how it is made. */
export interface PlannedTensor {
  /** Its name in the engine. */
  readonly name: TensorName;
  readonly shape: readonly number[];
  /** Its name in the checkpoint. */
  readonly source: string;
  /** What is done to that. */
  readonly cut: Cut;
}

/** How many names of a kind an error lists. */
const mostListed = 8;

/** Names of a checkpoint without what a family's names may begin with, and what rules make of them. */
export function matchTensors(family: ModelFamily, tensors: ReadonlyMap<string, WeightInfo>) {
  const names = new Map<string, string>();
  const prefixes = [...family.prefixes].sort((a, b) => b.length - a.length);
  for (const name of tensors.keys()) {
    const prefix = prefixes.find((each) => name.startsWith(each)) ?? '';
    const bare = name.slice(prefix.length);
    const other = names.get(bare);
    if (other !== undefined) {
      const message = `tensors ${show(other)} and ${show(name)} are the same one of the model`;
      throw new PosencError('config', message, { argument: name, received: show(other) });
    }
    names.set(bare, name);
  }
  const shapeOf = (name: string): readonly number[] | undefined =>
    tensors.get(names.get(name) ?? '')?.shape;

  /** Finds the tensors that rules ask for. */
  const match = (rules: readonly TensorRule[], unused: readonly string[]): PlannedTensor[] => {
    const used = new Set(unused);
    const missing: string[] = [];
    const problems: string[] = [];
    const planned: PlannedTensor[] = [];
    for (const { name, shape, from, whole = shape, cut = {} } of rules) {
      const bare = from.find((each) => names.has(each));
      const source = bare === undefined ? undefined : names.get(bare);
      if (bare === undefined || source === undefined) {
        missing.push(from[0]!);
        continue;
      }
      used.add(bare);
      const info = tensors.get(source)!;
      if (!readable(info.dtype)) throw unreadableType(source, info.dtype);
      if (!same(info.shape, whole)) {
        problems.push(
          `${quote(source)} has the shape [${info.shape.join(', ')}], needs [${whole.join(', ')}]`,
        );
      }
      planned.push({ name, shape, source, cut });
    }
    const unknown = [...names].filter(([bare]) => !used.has(bare) && !family.ignored.test(bare));
    const faults = [
      ...sentence('lacks', [...new Set(missing)]),
      ...sentence(
        'has unknown',
        unknown.map(([, name]) => name),
      ),
      ...[...new Set(problems)].slice(0, mostListed),
    ];
    if (faults.length > 0) throw mismatch(faults);
    return planned;
  };
  return { match, shapeOf };
}

const same = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((dimension, i) => dimension === b[i]);

/** Names of tensors are longer than what `show` quotes. */
const quote = (name: string): string => JSON.stringify(name.slice(0, 200));

function sentence(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const listed = names.slice(0, mostListed).map(quote).join(', ');
  const rest = names.length - mostListed;
  return [`it ${what} ${listed}${rest > 0 ? ` and ${rest} more` : ''}`];
}

function mismatch(faults: readonly string[]): PosencError {
  const text = faults.join('; ');
  return new PosencError('config', `the checkpoint does not fit the config: ${text}`, {
    argument: 'weights',
    received: text,
    allowed: 'the tensors that the config calls for, and no others',
  });
}

import { checkOptions, wrong } from '../check.js';
import { ConfiguredEncoding } from '../encoding.js';
import type { Engine } from '../engine.js';
import { PosencError } from '../error.js';
import type { Encoding } from '../types.js';
import { encodingOptions, type EncodingNumbers } from './encoding-options.js';
import type { EncodingSpec, LayerSpec, StackSpec } from './spec.js';
import type { ContextOptions } from './types.js';

/** Layers whose positions act alike. */
export interface LayerKind {
  readonly encodings: readonly Encoding[];
  /** 0 = none. */
  readonly window: number;
  /** What scores are multiplied by; `undefined` = what the encodings say. */
  readonly scale: number | undefined;
  /** Their numbers in the stack. */
  readonly layers: number[];
}

/** The kinds of layers of a stack, as its spec has them or as `options` swap their positions. */
export function layerKinds(
  engine: Engine,
  stack: StackSpec,
  numbers: EncodingNumbers,
  options: Pick<ContextOptions, 'scaling' | 'encoding' | 'window'> = {},
): LayerKind[] {
  const kinds = new Map<string, LayerKind>();
  const given = new Map<unknown, number>();
  const numberOf = (value: unknown): number => {
    if (!given.has(value)) given.set(value, given.size);
    return given.get(value)!;
  };
  for (const [layer, spec] of stack.layers.entries()) {
    const window = options.window ?? spec.window ?? 0;
    const swapped = options.encoding?.(layer);
    const key = JSON.stringify([
      window,
      swapped === undefined ? keyOf(spec) : keyOfGiven(swapped, numberOf),
    ]);
    const kind = kinds.get(key);
    if (kind !== undefined) {
      kind.layers.push(layer);
      continue;
    }
    kinds.set(key, {
      encodings:
        swapped === undefined ? ownEncodings(engine, spec, numbers, options) : listOf(swapped),
      window,
      scale:
        swapped === undefined && options.scaling === undefined ? stack.attentionScale : undefined,
      layers: [layer],
    });
  }
  return [...kinds.values()];
}

const listOf = (given: Encoding | readonly Encoding[]): readonly Encoding[] =>
  Array.isArray(given) ? (given as readonly Encoding[]) : [given as Encoding];

const keyOf = ({ encodings }: LayerSpec): unknown => encodings;

const keyOfGiven = (
  given: Encoding | readonly Encoding[],
  numberOf: (value: unknown) => number,
): unknown => ({ given: listOf(given).map(numberOf) });

/** The encodings of the model's own spec, with another rule that stretches its RoPE if one is asked for. */
function ownEncodings(
  engine: Engine,
  { encodings }: LayerSpec,
  numbers: EncodingNumbers,
  { scaling }: Pick<ContextOptions, 'scaling'>,
): Encoding[] {
  return encodings.map((spec) => {
    const options = encodingOptions(spec, numbers);
    const stretched = scaling === undefined ? options : withScaling(spec, options, scaling);
    return new ConfiguredEncoding(engine, spec.name, stretched);
  });
}

function withScaling(
  { name }: EncodingSpec,
  options: Record<string, unknown>,
  scaling: object,
): Record<string, unknown> {
  if (name !== 'rope') return options;
  checkOptions(scaling, Object.keys(scaling), 'scaling', 'scaling');
  if (options.frequencies === undefined) return { ...options, scaling };
  const message = 'scaling is not possible: the model gives its frequencies one by one';
  throw new PosencError('unsupported', message, {
    argument: 'scaling',
    allowed: 'a model whose frequencies are powers of a base',
  });
}

/** Throws where a rule would change nothing. */
export function expectRope(stack: StackSpec, scaling: unknown): void {
  const turns = stack.layers.some(({ encodings }) => encodings.some(({ name }) => name === 'rope'));
  if (turns) return;
  throw wrong('unsupported', 'scaling', scaling, 'a model with RoPE');
}

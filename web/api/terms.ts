import { wrong } from './check.js';
import { ConfiguredEncoding } from './encoding.js';
import { PosencError } from './error.js';
import type { Frame } from './frame.js';
import type { FullShape } from './shape.js';
import type { Encoding, Hook } from './types.js';

/**
 * The blocks of the encodings of an attention call. Throws unless each acts inside attention, no two
 * fill the same hook, and their sizes fit the shape.
 */
export function termBlocks(encoding: unknown, shape: FullShape): Float64Array[] {
  if (encoding === undefined) return [];
  const several = Array.isArray(encoding);
  const terms = (several ? encoding : [encoding]) as readonly Encoding[];
  const nameOf = (i: number): string => (several ? `encoding[${i}]` : 'encoding');
  const blocks: Float64Array[] = [];
  for (const [i, term] of terms.entries()) {
    blocks.push(ConfiguredEncoding.block(term, nameOf(i)));
    checkFit(term, nameOf(i), shape);
    for (const hook of term.hooks) {
      const first = terms.findIndex((other) => other.hooks.includes(hook));
      if (first < i) throw filledTwice(terms, first, i, hook);
    }
  }
  return blocks;
}

/** Writes the blocks and their addresses into the module's memory; 0 when there are none. */
export function placeBlocks(frame: Frame, blocks: readonly Float64Array[]): number {
  if (blocks.length === 0) return 0;
  const addresses = blocks.map((block) => frame.doubles(block, 'encoding'));
  const pointer = frame.bytes(4 * addresses.length, 'encoding');
  frame.memory.kernels.HEAP32.set(addresses, pointer >>> 2);
  return pointer;
}

function checkFit(term: Encoding, argument: string, shape: FullShape): void {
  const { name, hooks } = term;
  if (hooks.length > 0 && hooks.every((hook) => hook === 'embed')) {
    throw new PosencError(
      'unsupported',
      `${argument} is ${name}, which does not act inside attention: add the rows of embed() to the input instead`,
      { argument, received: name, allowed: 'an encoding with a hook other than embed' },
    );
  }
  const options = term.options as Partial<Record<'headDim' | 'heads', number>>;
  for (const dimension of ['headDim', 'heads'] as const) {
    const configured = options[dimension];
    if (configured === undefined || configured === shape[dimension]) continue;
    const allowed = `that of the attention call, ${shape[dimension]}`;
    throw wrong('shape', `${argument}.options.${dimension}`, configured, allowed);
  }
}

function filledTwice(
  terms: readonly Encoding[],
  first: number,
  second: number,
  hook: Hook,
): PosencError {
  const [filler, term] = [terms[first]!, terms[second]!];
  const argument = `encoding[${second}]`;
  const filled = `fills the hook ${hook}, which encoding[${first}] (${filler.name}) fills already`;
  return new PosencError('argument', `${argument} (${term.name}) ${filled}`, {
    argument,
    received: term.name,
    allowed: `an encoding that leaves ${hook} free`,
  });
}

import { placeBlock, type ResolvedBlock } from './block.js';
import { wrong } from './check.js';
import { ConfiguredEncoding } from './encoding.js';
import { PosencError } from './error.js';
import type { Frame } from './frame.js';
import type { Kernels } from './kernels.js';
import type { FullShape } from './shape.js';
import type { Encoding, EncodingName, Hook } from './types.js';

/** An encoding of an attention call: what it is called in errors, and what the module reads. */
export interface Term {
  readonly encoding: Encoding;
  readonly argument: string;
  readonly block: ResolvedBlock;
}

/** What terms must fit: all dimensions of an attention call, or those that are known. */
type KnownShape = Partial<FullShape> & Pick<FullShape, 'headDim' | 'valueDim'>;

/**
 * The encodings of an attention call. Throws unless each acts inside attention, no two fill the same
 * hook, and their sizes fit the shape.
 */
export function attentionTerms(given: unknown, shape: FullShape): Term[] {
  const terms = readTerms(given);
  checkTerms(terms, shape);
  return terms;
}

/** One encoding or several as terms; throws unless they are encodings. */
export function readTerms(given: unknown): Term[] {
  if (given === undefined) return [];
  const several = Array.isArray(given);
  const encodings = (several ? given : [given]) as readonly Encoding[];
  return Array.from(encodings, (encoding, i) => {
    const argument = several ? `encoding[${i}]` : 'encoding';
    return { encoding, argument, block: ConfiguredEncoding.block(encoding, argument) };
  });
}

/** Throws unless each acts inside attention, no two fill the same hook, and their sizes fit the shape. */
export function checkTerms(terms: readonly Term[], shape: KnownShape): void {
  for (const [i, { encoding, argument }] of terms.entries()) {
    checkFit(encoding, argument, shape);
    checkValues(encoding, argument, shape);
    for (const hook of encoding.hooks) {
      const first = terms.slice(0, i).find((term) => term.encoding.hooks.includes(hook));
      if (first !== undefined) throw filledTwice(first, encoding, argument, hook);
    }
  }
  checkWidths(terms);
}

/** Whether an encoding acts in `embed` and nowhere else: its rows are part of the input. */
export const embedsOnly = ({ hooks }: Encoding): boolean =>
  hooks.length > 0 && hooks.every((hook) => hook === 'embed');

/** A term whose block is in the module's memory. */
export interface PlacedTerm extends Term {
  readonly pointer: number;
}

/** Writes the blocks into the module's memory. */
export const placeTerms = (frame: Frame, terms: readonly Term[]): PlacedTerm[] =>
  terms.map((term) => ({
    ...term,
    pointer: placeBlock(frame, term.block, `${term.argument}.options.`),
  }));

/** Writes the addresses of the blocks; 0 when there are none. */
export function placeAddresses(frame: Frame, terms: readonly PlacedTerm[]): number {
  if (terms.length === 0) return 0;
  const pointer = frame.bytes(4 * terms.length, 'encoding');
  const addresses = terms.map((term) => term.pointer);
  frame.memory.kernels.HEAP32.set(addresses, pointer >>> 2);
  return pointer;
}

/**
 * What raw scores are multiplied by when the caller does not say: 1/√headDim, unless one encoding has
 * a scale of its own (T5) or a factor of it (YaRN of DeepSeek). Throws when two have different ones.
 */
export function scoreScale(
  kernels: Kernels,
  terms: readonly PlacedTerm[],
  headDim: number,
): number {
  const usual = 1 / Math.sqrt(headDim);
  const own = terms
    .map((term) => ({
      ...term,
      scale: kernels.scoreScale(term.pointer, headDim) * term.encoding.softmaxFactor,
    }))
    .filter(({ scale }) => scale !== usual);
  const failed = own.find(({ scale }) => Number.isNaN(scale));
  if (failed !== undefined) {
    const { argument } = failed;
    throw new PosencError('memory', `no memory for ${argument}`, { argument });
  }
  const [first, ...others] = own;
  if (first === undefined) return usual;
  const other = others.find(({ scale }) => scale !== first.scale);
  if (other === undefined) return first.scale;
  const wants = ({ argument, encoding, scale }: typeof first) =>
    `${argument} (${encoding.name}) multiplies scores by ${scale}`;
  throw wrong('argument', 'scale', undefined, `a number, since ${wants(first)}, ${wants(other)}`);
}

/** Encodings whose vectors meet values: Shaw's, and RoPE that turns values with the keys. */
function checkValues(
  { options }: Encoding,
  argument: string,
  { headDim, valueDim }: KnownShape,
): void {
  const given = options as { values?: unknown; valueDim?: number; turnsOutputBack?: boolean };
  if (given.values !== undefined && given.valueDim !== valueDim) {
    const allowed = `that of the attention call, ${valueDim}`;
    throw wrong('shape', `${argument}.options.valueDim`, given.valueDim, allowed);
  }
  if (given.turnsOutputBack === true && valueDim !== headDim) {
    const allowed = `headDim (${headDim}), since ${argument} turns values like keys`;
    throw wrong('shape', 'shape.valueDim', valueDim, allowed);
  }
}

/** PoPE widens queries and keys, which vectors of distances would have to match. */
function checkWidths(terms: readonly Term[]): void {
  const wide = terms.find(({ encoding }) => encoding.name === 'pope');
  const content = terms.find(
    ({ encoding }) => encoding.hooks.includes('content') && 'headDim' in encoding.options,
  );
  if (wide === undefined || content === undefined) return;
  const { argument, encoding } = content;
  const why = `meets queries as wide as headDim, but ${wide.argument} (pope) widens them`;
  throw new PosencError('unsupported', `${argument} (${encoding.name}) ${why}`, {
    argument,
    received: encoding.name,
    allowed: 'an encoding without the hook content beside pope',
  });
}

type Dimension = 'headDim' | 'heads' | 'kvHeads';

/**
 * Encodings with tables that all heads may share, which `heads` then says by the number `shared`;
 * else it must equal these dimensions of the call.
 */
const perHead: {
  readonly [Name in EncodingName]?: { shared: number; dimensions: readonly Dimension[] };
} = {
  rope_nd: { shared: 1, dimensions: ['heads', 'kvHeads'] },
  selective_rope: { shared: 1, dimensions: ['heads', 'kvHeads'] },
  fope: { shared: 1, dimensions: ['heads'] },
  pope: { shared: 1, dimensions: ['kvHeads'] },
  shaw: { shared: 0, dimensions: ['heads'] },
  cope: { shared: 0, dimensions: ['heads'] },
};

function checkFit(term: Encoding, argument: string, shape: KnownShape): void {
  const { name } = term;
  if (embedsOnly(term)) {
    throw new PosencError(
      'unsupported',
      `${argument} is ${name}, which does not act inside attention: add the rows of embed() to the input instead`,
      { argument, received: name, allowed: 'an encoding with a hook other than embed' },
    );
  }
  const options = term.options as Partial<Record<Dimension, number>>;
  const tables = perHead[name];
  const checks: [
    option: Dimension,
    dimensions: readonly Dimension[],
    shared: number | undefined,
  ][] = [
    ['headDim', ['headDim'], undefined],
    ['heads', tables?.dimensions ?? ['heads'], tables?.shared],
    ['kvHeads', ['kvHeads'], tables?.shared],
  ];
  for (const [option, dimensions, shared] of checks) {
    const configured = options[option];
    if (configured === undefined || configured === shared) continue;
    for (const dimension of dimensions) {
      if (shape[dimension] === undefined || configured === shape[dimension]) continue;
      const whose = dimension === option ? 'that' : `the ${dimension}`;
      const allowed = `${whose} of the attention call, ${shape[dimension]}`;
      throw wrong('shape', `${argument}.options.${option}`, configured, allowed);
    }
  }
}

function filledTwice(first: Term, encoding: Encoding, argument: string, hook: Hook): PosencError {
  const filler = `${first.argument} (${first.encoding.name})`;
  const filled = `fills the hook ${hook}, which ${filler} fills already`;
  return new PosencError('argument', `${argument} (${encoding.name}) ${filled}`, {
    argument,
    received: encoding.name,
    allowed: `an encoding that leaves ${hook} free`,
  });
}

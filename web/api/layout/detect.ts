import { checkAttached, checkLength, typedArrayName } from '../array.js';
import { checkOptions, integer, positive, wrong } from '../check.js';
import { maxPosition } from '../positions/limits.js';
import { headOf, layouts, pairOf, type PairLayout } from './permute.js';

type Numbers = readonly number[] | Float32Array | Float64Array;
type Integers = readonly number[] | Int32Array;

interface RotationOptions {
  /** Width of one head. 2 … 4096 */
  headDim: number;
  /** Leading dimensions that turn, even, at most `headDim`. Default: all (one less when odd). */
  rotaryDim?: number;
  /** Default 10000. */
  base?: number;
  /** Radians per position, one per pair, instead of those made from `base`. */
  inverseFrequencies?: readonly number[] | Float64Array;
  /** What cosines and sines are multiplied by (YaRN). Default 1. */
  attentionFactor?: number;
  /** How far numbers may be off, relative to the largest one of the data. Default 1e-3. */
  tolerance?: number;
}

/** Vectors before and after another program turned them. */
export interface DetectRotation extends RotationOptions {
  /** `[tokens, headDim]`, not turned. */
  x: Numbers;
  /** `[tokens, headDim]`, turned. */
  rotated: Numbers;
  /** `[tokens]` */
  positions: Integers;
}

/** Vectors before another program turned them, and its scores. */
export interface DetectScores extends RotationOptions {
  /** `[queries, headDim]`, not turned. */
  query: Numbers;
  /** `[keys, headDim]`, not turned. */
  key: Numbers;
  /** `[queries, keys]`, not masked, before softmax. */
  scores: Numbers;
  /** `[queries]` */
  queryPositions: Integers;
  /** `[keys]` */
  keyPositions: Integers;
  /** What q·k was multiplied by. Default 1. */
  scale?: number;
}

/** What {@link detectLayout} found. */
export interface DetectedLayout {
  /**
   * The layout that explains the data; `both` where the data cannot tell (all distances 0, one pair),
   * `neither` where something else is wrong: frequencies, positions, or rows of the wrong heads.
   */
  readonly layout: PairLayout | 'both' | 'neither';
  /** Largest difference for each layout, relative to the largest number of the data. */
  readonly errors: Readonly<Record<PairLayout, number>>;
}

const rotationKeys = [
  'headDim',
  'rotaryDim',
  'base',
  'inverseFrequencies',
  'attentionFactor',
  'tolerance',
];

/**
 * Which layout another program turns by, from its own numbers: both layouts are computed in float64 and
 * compared. Takes either turned vectors or scores.
 */
export function detectLayout(options: DetectRotation | DetectScores): DetectedLayout {
  const fromScores = typeof options === 'object' && options !== null && 'scores' in options;
  return fromScores ? detectByScores(options) : detectByVectors(options);
}

function detectByVectors(options: DetectRotation): DetectedLayout {
  const given = checkOptions(
    options,
    ['x', 'rotated', 'positions', ...rotationKeys],
    'detectLayout',
  );
  const rotation = checkRotation(given);
  const positions = integers(given.positions, 'positions');
  const shape = [positions.length, rotation.headDim];
  const x = finite(given.x, 'x', shape, ['tokens', 'headDim']);
  const rotated = finite(given.rotated, 'rotated', shape, ['tokens', 'headDim']);
  return judge(rotated, given.tolerance, (layout) => turn(x, positions, layout, rotation));
}

function detectByScores(options: DetectScores): DetectedLayout {
  const keys = ['query', 'key', 'scores', 'queryPositions', 'keyPositions', 'scale'];
  const given = checkOptions(options, [...keys, ...rotationKeys], 'detectLayout');
  const rotation = checkRotation(given);
  const queryPositions = integers(given.queryPositions, 'queryPositions');
  const keyPositions = integers(given.keyPositions, 'keyPositions');
  const [queries, columns] = [queryPositions.length, keyPositions.length];
  const { headDim } = rotation;
  const query = finite(given.query, 'query', [queries, headDim], ['queries', 'headDim']);
  const key = finite(given.key, 'key', [columns, headDim], ['keys', 'headDim']);
  const scores = finite(given.scores, 'scores', [queries, columns], ['queries', 'keys']);
  const scale = positive(given.scale ?? 1, 'scale');
  return judge(scores, given.tolerance, (layout) => {
    const q = turn(query, queryPositions, layout, rotation);
    const k = turn(key, keyPositions, layout, rotation);
    return scores.map((_, i) => {
      const [m, n] = [Math.floor(i / columns) * headDim, (i % columns) * headDim];
      let sum = 0;
      for (let d = 0; d < headDim; d++) sum += q[m + d]! * k[n + d]!;
      return scale * sum;
    });
  });
}

/** Compares the data with what each layout would make. */
function judge(
  data: readonly number[],
  tolerance: unknown,
  expect: (layout: PairLayout) => readonly number[],
): DetectedLayout {
  const most = positive(tolerance ?? 1e-3, 'tolerance');
  const largest = data.reduce((max, value) => Math.max(max, Math.abs(value)), Number.MIN_VALUE);
  const errorOf = (layout: PairLayout): number => {
    const expected = expect(layout);
    const off = data.reduce((max, x, i) => Math.max(max, Math.abs(x - expected[i]!)), 0);
    return off / largest;
  };
  const errors = { half: errorOf('half'), interleaved: errorOf('interleaved') };
  const [first, second] = layouts.filter((layout) => errors[layout] <= most);
  const layout = second === undefined ? (first ?? 'neither') : 'both';
  return { layout, errors };
}

interface Rotation {
  readonly headDim: number;
  readonly frequencies: readonly number[];
  readonly factor: number;
}

function checkRotation(given: Partial<RotationOptions>): Rotation {
  const { headDim, rotaryDim } = headOf(given);
  const base = positive(given.base ?? 10000, 'base');
  const factor = positive(given.attentionFactor ?? 1, 'attentionFactor');
  const pairs = Array.from({ length: rotaryDim / 2 }, (_, i) => i);
  const names = ['pairs'];
  const frequencies =
    given.inverseFrequencies === undefined
      ? pairs.map((i) => base ** ((-2 * i) / rotaryDim))
      : finite(given.inverseFrequencies, 'inverseFrequencies', [pairs.length], names);
  return { headDim, frequencies, factor };
}

/** Turns rows of vectors by their positions. */
function turn(
  x: readonly number[],
  positions: readonly number[],
  layout: PairLayout,
  { headDim, frequencies, factor }: Rotation,
): number[] {
  const out = [...x];
  for (const [token, position] of positions.entries()) {
    for (const [i, frequency] of frequencies.entries()) {
      const pair = pairOf(layout, i, 2 * frequencies.length);
      const [a, b] = pair.map((d) => token * headDim + d) as [number, number];
      const cos = factor * Math.cos(position * frequency);
      const sin = factor * Math.sin(position * frequency);
      out[a] = x[a]! * cos - x[b]! * sin;
      out[b] = x[a]! * sin + x[b]! * cos;
    }
  }
  return out;
}

/** Checks that a value is a list of one of the kinds. */
function listOf(value: unknown, argument: string, kinds: readonly string[]): ArrayLike<unknown> {
  if (!Array.isArray(value) && !kinds.includes(typedArrayName(value) ?? '')) {
    throw wrong('argument', argument, value, `an array of numbers or a ${kinds.join(' or ')}`);
  }
  if (!Array.isArray(value)) checkAttached((value as Float32Array).buffer, argument);
  return value as ArrayLike<unknown>;
}

/** Checks and copies positions. */
function integers(value: unknown, argument: string): number[] {
  const list = listOf(value, argument, ['Int32Array']);
  if (list.length === 0) throw wrong('shape', argument, value, 'at least one position');
  return Array.from(list, (x, i) => integer(x, `${argument}[${i}]`, -maxPosition, maxPosition));
}

/** Checks and copies finite numbers of a shape. */
function finite(
  value: unknown,
  argument: string,
  shape: readonly number[],
  names: readonly string[],
): number[] {
  const list = listOf(value, argument, ['Float32Array', 'Float64Array']);
  checkLength(list.length, argument, shape, names);
  return Array.from(list, (x, i) => {
    if (typeof x === 'number' && Number.isFinite(x)) return x;
    const code = typeof x === 'number' ? 'range' : 'argument';
    throw wrong(code, `${argument}[${i}]`, x, 'a finite number');
  });
}

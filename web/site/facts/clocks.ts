import type { Posenc, SinusoidalOptions } from 'posenc';
import {
  cosine,
  rowOf,
  shiftError,
  similarities,
  wallOf,
  type Wall,
} from '../../figures/clocks-model.js';
import type { FactTable } from './types.js';

/** The base of the paper. */
const base = 10000;

/** Facts of “A wall of clocks”; every `width` is even. */
export const clocksFacts: FactTable = {
  /** Cosine similarity of positions 0 and `distance`. */
  similarity: (pe, width: number, distance: number) => {
    const rows = pe.encoding('sinusoidal', { width }).embed([0, distance]);
    return cosine(rows.subarray(0, width), rows.subarray(width));
  },

  /** Mean cosine similarity of neighbours among the first `positions` rows. */
  adjacentSimilarity: (pe, width: number, positions: number) => {
    const wall = wallOf(pe, positions, width, base);
    let sum = 0;
    for (let m = 1; m < positions; m++) sum += cosine(rowOf(wall, m - 1), rowOf(wall, m));
    return sum / (positions - 1);
  },

  /** How many of the first `steps` steps away from position 0 raise the similarity to it. */
  risingSteps: (pe, width: number, steps: number) => {
    const curve = similarities(wallOf(pe, steps + 1, width, base), 0);
    return curve.filter((value, m) => m > 0 && value > (curve[m - 1] ?? 0)).length;
  },

  /** The first distance below `positions` whose similarity is negative. */
  firstNegative: (pe, width: number, positions: number) =>
    similarities(wallOf(pe, positions, width, base), 0).findIndex((value) => value < 0),

  /** Positions per radian of the slowest clock: its wavelength is 2π times this. */
  slowestScale: (pe, width: number) => 1 / slowest(wallOf(pe, 1, width, base)),

  /** The same with the denominator d/2 − 1. */
  slowestScaleOther: (pe, width: number) =>
    1 / (pe.encoding('sinusoidal', { width, denominator: 'd/2-1' }).inverseFrequencies.at(-1) ?? 0),

  /** Largest error of PE(m + k) = M_k·PE(m) over all m < `positions`. */
  shiftMiss: (pe, width: number, k: number, positions: number) =>
    shiftError(pe, { width }, positions, k),

  /** What is left of PE(m + k), relative to its length, after the best mix of PE(m) and PE(k). */
  combinationMiss: (pe, width: number, m: number, k: number) => {
    const rows = pe.encoding('sinusoidal', { width }).embed([m + k, m, k]);
    const [sum, a, b] = [0, 1, 2].map((i) => rows.subarray(i * width, (i + 1) * width));
    return leftOver(sum!, a!, b!);
  },

  /** Length of a row. */
  rowLength: (pe, width: number) => lengthOf(row(pe, { width }, 1)),

  /** Length of a random embedding with standard deviation 1/√width. */
  embeddingLength: (pe, width: number) => lengthOf(pe.random(1).normal(width)) / Math.sqrt(width),

  /** Cosine similarity of the interleaved and the halves row of one position. */
  layoutSimilarity: (pe, width: number, position: number) =>
    cosine(row(pe, { width }, position), row(pe, { width, layout: 'halves' }, position)),
};

function row(pe: Posenc, options: SinusoidalOptions, position: number): Float32Array {
  return pe.encoding('sinusoidal', options).embed(position, { tokens: 1 });
}

function slowest(wall: Wall): number {
  return wall.speeds.at(-1) ?? 0;
}

function lengthOf(vector: Float32Array): number {
  return Math.sqrt(dot(vector, vector));
}

/** Relative residual of the least-squares fit of `target` by `a` and `b` (normal equations). */
function leftOver(target: Float32Array, a: Float32Array, b: Float32Array): number {
  const [aa, ab, bb] = [dot(a, a), dot(a, b), dot(b, b)];
  const [at, bt, tt] = [dot(a, target), dot(b, target), dot(target, target)];
  const determinant = aa * bb - ab * ab;
  const x = (at * bb - bt * ab) / determinant;
  const y = (bt * aa - at * ab) / determinant;
  return Math.sqrt((tt - x * at - y * bt) / tt);
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

/** The numbers of “A wall of clocks”: the sinusoidal table and what can be read off it. No DOM. */
import type { Posenc, SinusoidalOptions } from 'posenc';

/** The sinusoidal table of the first positions, and its clocks. */
export interface Wall {
  /** `[positions, width]`, sin and cos of a pair side by side. */
  readonly table: Float32Array;
  readonly positions: number;
  readonly width: number;
  /** Radians a clock's hand turns per position, fastest first; one per pair. */
  readonly speeds: Float64Array;
}

/** The table of positions 0 … positions − 1 for an even `width`. */
export function wallOf(pe: Posenc, positions: number, width: number, base: number): Wall {
  const encoding = pe.encoding('sinusoidal', { width, base });
  return {
    table: encoding.embed(0, { tokens: positions }),
    positions,
    width,
    speeds: encoding.inverseFrequencies,
  };
}

/** One row of a table. */
export function rowOf({ table, width }: Wall, position: number): Float32Array {
  return table.subarray(position * width, (position + 1) * width);
}

/** Cosine similarity of row `position` with each row, `[positions]`. */
export function similarities(wall: Wall, position: number): number[] {
  const here = rowOf(wall, position);
  return Array.from({ length: wall.positions }, (_, other) => cosine(here, rowOf(wall, other)));
}

/** Cosine of the angle between two vectors. */
export function cosine(a: Float32Array, b: Float32Array): number {
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

/** The binary counter: bit `column` of `position`, the coarse cousin of a clock. */
export function bit(position: number, column: number): 0 | 1 {
  return Math.floor(position / 2 ** column) % 2 === 1 ? 1 : 0;
}

/** How many of the lowest `digits` binary digits differ. */
export function flips(a: number, b: number, digits: number): number {
  return Array.from({ length: digits }, (_, i) => bit(a, i) !== bit(b, i)).filter(Boolean).length;
}

/** Cosine similarity of two positions written as `digits` binary digits of −1 and 1. */
export function bitSimilarity(a: number, b: number, digits: number): number {
  return 1 - (2 * flips(a, b, digits)) / digits;
}

/** Whole and part turns a hand has made at `position`. */
export function turns(speed: number, position: number): number {
  return (speed * position) / (2 * Math.PI);
}

/**
 * How far PE(m + k) is from M·PE(m), where M is fitted to one place only: the 2×2 block of each pair
 * is read off PE(k), and holds for every m. Largest error over all m < `positions` and all columns.
 */
export function shiftError(
  pe: Posenc,
  options: SinusoidalOptions,
  positions: number,
  k: number,
): number {
  const encoding = pe.encoding('sinusoidal', options);
  const { width } = options;
  const from = encoding.embed(0, { tokens: positions });
  const to = encoding.embed(k, { tokens: positions });
  const shift = encoding.embed(k, { tokens: 1 });
  let worst = 0;
  for (let i = 0; i + 1 < from.length; i += 2) {
    const [sinK = 0, cosK = 0] = shift.subarray(i % width, (i % width) + 2);
    const [sinM = 0, cosM = 0] = from.subarray(i, i + 2);
    const [sin = 0, cos = 0] = to.subarray(i, i + 2);
    worst = Math.max(worst, Math.abs(cosK * sinM + sinK * cosM - sin));
    worst = Math.max(worst, Math.abs(cosK * cosM - sinK * sinM - cos));
  }
  return worst;
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

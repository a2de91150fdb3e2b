import type { Frame } from './frame.js';
import { maxPosition } from './positions/limits.js';

/** Which positions an encoding knows. */
export interface Domain {
  /** Lowest and highest coordinate. */
  readonly low: number;
  readonly high: number;
  /** Coordinates per position that it reads. */
  readonly axes: number;
  /** A single coordinate may stand for all (text among images). */
  readonly oneForAll: boolean;
}

/** What calls without an encoding know: every position. */
const everywhere: Domain = { low: -maxPosition, high: maxPosition, axes: 1, oneForAll: true };

/** The positions that all of several encodings know. */
export const commonDomain = (domains: readonly Domain[]): Domain =>
  domains.reduce(
    (one, other) => ({
      low: Math.max(one.low, other.low),
      high: Math.min(one.high, other.high),
      axes: Math.max(one.axes, other.axes),
      oneForAll: [one, other].every(({ axes, oneForAll }) => axes === 1 || oneForAll),
    }),
    everywhere,
  );

/** Asks the module which positions the encoding of a block knows; returns the status too. */
export function readDomain(frame: Frame, block: number): { status: number; domain: Domain } {
  const { kernels } = frame.memory;
  const pointer = frame.bytes(8 * 4, 'the encoding');
  const status = kernels.domain(block, pointer);
  const start = pointer >>> 3;
  const [low = 0, high = 0, axes = 1, oneForAll] = kernels.HEAPF64.subarray(start, start + 4);
  return { status, domain: { low, high, axes, oneForAll: oneForAll === 1 } };
}

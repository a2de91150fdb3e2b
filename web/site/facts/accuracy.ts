import type { FactTable } from './types.js';

/** Facts about how exact the kernels are. */
export const accuracyFacts: FactTable = {
  /** Largest error of RoPE's cosines and sines at 1025 positions from 0 to 2^bits, against float64. */
  angleError: (pe, bits: number) => {
    const rope = pe.encoding('rope', { headDim: 128 });
    const positions = Array.from({ length: 1025 }, (_, i) => Math.floor((i / 1024) * 2 ** bits));
    const { cos, sin } = rope.table(positions);
    const speeds = rope.inverseFrequencies;
    return cos.reduce((worst, value, i) => {
      const position = positions[Math.floor(i / speeds.length)] ?? NaN;
      const angle = position * (speeds[i % speeds.length] ?? NaN);
      const errors = [value - Math.cos(angle), (sin[i] ?? NaN) - Math.sin(angle)];
      return Math.max(worst, ...errors.map(Math.abs));
    }, 0);
  },
};

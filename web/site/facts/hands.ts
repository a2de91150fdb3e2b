import type { Posenc } from 'posenc';
import { placements, spread, turnHands } from '../../figures/two-hands-model.js';
import type { FactTable } from './types.js';

/** A row of four numbers that shows which dimensions form a pair. */
const EXAMPLE = Float32Array.of(1, 2, 3, 4);
const LAYOUTS = ['half', 'interleaved'] as const;

const norm = (x: ArrayLike<number>) => Math.hypot(...Array.from(x));

/** The example after one position in a layout (0 half, 1 interleaved). */
function turnedExample(pe: Posenc, layout: number): Float32Array {
  const rope = pe.encoding('rope', { headDim: 4, layout: LAYOUTS[layout] ?? 'half' });
  return rope.rotate(EXAMPLE, { shape: [1, 4], positions: 1 });
}

/** Facts of “Two hands”. */
export const handsFacts: FactTable = {
  /** Score of the figure's q and k (contents alike) in a pair of dimensions. */
  handScore: (pe, pair: number, m: number, n: number) =>
    turnHands(pe, pair, 'alike').at(m, n).score,

  /** Score with the content of k across (0) or opposite (1). */
  handScoreOther: (pe, content: number, m: number, n: number) =>
    turnHands(pe, 1, content === 0 ? 'across' : 'opposite').at(m, n).score,

  /** Largest difference of the score over all places of a distance. */
  handSpread: (pe, pair: number, distance: number) =>
    spread(placements(turnHands(pe, pair, 'alike'), distance)),

  /** Places of a distance on the ruler. */
  handPlaces: (pe, distance: number) => placements(turnHands(pe, 1, 'alike'), distance).length,

  /** Largest change of any number when the figure's q is turned by position 0. */
  turnAtZero: (pe) => {
    const [x, y] = turnHands(pe, 0, 'alike').at(0, 0).query;
    return Math.max(Math.abs(x - Math.fround(0.6)), Math.abs(y - Math.fround(0.8)));
  },

  /** Radians per position of a pair. */
  ropeFrequency: (pe, headDim: number, base: number, pair: number) =>
    pe.encoding('rope', { headDim, base }).inverseFrequencies[pair] ?? NaN,

  /** Positions per full turn of a pair. */
  ropeWavelength: (pe, headDim: number, base: number, pair: number) =>
    (2 * Math.PI) / (pe.encoding('rope', { headDim, base }).inverseFrequencies[pair] ?? NaN),

  /** A component of [1, 2, 3, 4] after one position; layout 0 half, 1 interleaved. */
  turnedExample: (pe, layout: number, component: number) =>
    turnedExample(pe, layout)[component] ?? NaN,

  /** Length of [1, 2, 3, 4] before any turn. */
  exampleLength: () => norm(EXAMPLE),

  /** Length after a true turn; layout 0 half, 1 interleaved. */
  turnedLength: (pe, layout: number) => norm(turnedExample(pe, layout)),

  /** Length when cos and sin repeat for interleaved pairs but `rotate_half` swaps halves. */
  mixedLength: (pe) => {
    const { cos, sin } = pe.encoding('rope', { headDim: 4 }).table(1, { tokens: 1 });
    const swapped = [-EXAMPLE[2]!, -EXAMPLE[3]!, EXAMPLE[0]!, EXAMPLE[1]!];
    const pairOf = (i: number) => Math.floor(i / 2);
    return norm(EXAMPLE.map((x, i) => x * cos[pairOf(i)]! + swapped[i]! * sin[pairOf(i)]!));
  },

  /** Score of two unit vectors of equal content in the fastest pair, `distance` positions apart. */
  fastScore: (pe, distance: number) => {
    const rope = pe.encoding('rope', { headDim: 2 });
    const unit = Float32Array.of(1, 0);
    const [x = NaN] = rope.rotate(unit, { shape: [1, 2], positions: distance });
    return x;
  },

  /** Of the first `steps` steps apart, how many raise the score of equal q and k (all ones). */
  risingRopeSteps: (pe, headDim: number, steps: number) => {
    const rope = pe.encoding('rope', { headDim });
    const ones = new Float32Array(headDim * (steps + 1)).fill(1);
    const rows = rope.rotate(ones, { shape: [steps + 1, headDim] });
    const score = (m: number) => {
      const row = rows.subarray(m * headDim, (m + 1) * headDim);
      return row.reduce((sum, x, i) => sum + x * rows[i]!, 0);
    };
    const scores = Array.from({ length: steps + 1 }, (_, m) => score(m));
    return scores.filter((value, m) => m > 0 && value > scores[m - 1]!).length;
  },
};

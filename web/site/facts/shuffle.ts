import type { Posenc } from 'posenc';
import { exampleOf, lastTokenAfter, shuffle, width } from '../../figures/shuffle-model.js';
import type { FactTable } from './types.js';

/** Languages of the example sentences as the markup counts them. */
const languages = ['zh', 'en'] as const;

function measured(pe: Posenc, language: number, causal: number, sinusoidal: number) {
  const { tokens, order } = exampleOf(languages[language] ?? 'zh');
  return shuffle(pe, tokens, order, { causal: causal === 1, sinusoidal: sinusoidal === 1 });
}

/** Facts of “Shuffle the sentence”, about the example sentences of its figure. */
export const shuffleFacts: FactTable = {
  /** max |P·A(x) − A(P·x)| of the example in `language`. */
  shuffleDifference: (pe, language: number, causal: number, sinusoidal: number) =>
    measured(pe, language, causal, sinusoidal).difference,

  /** How far row `row` of the output itself moves, without position and mask. */
  rowChange: (pe, language: number, row: number) => {
    const { original, shuffled } = measured(pe, language, 0, 0);
    return largestDifference(rowOf(original.output, row), rowOf(shuffled.output, row));
  },

  /** How far the mean over all rows moves, without position and mask; the larger of both examples. */
  pooledChange: (pe) =>
    Math.max(
      ...languages.map((_, language) => {
        const { original, shuffled } = measured(pe, language, 0, 0);
        return largestDifference(meanRow(original.output), meanRow(shuffled.output));
      }),
    ),

  /** How far the last token's output moves when all tokens before it are reversed. */
  lastTokenDifference: (pe, language: number, layers: number) => {
    const { tokens } = exampleOf(languages[language] ?? 'zh');
    const turned = [...tokens.slice(0, -1).reverse(), ...tokens.slice(-1)];
    return largestDifference(
      lastTokenAfter(pe, tokens, layers),
      lastTokenAfter(pe, turned, layers),
    );
  },

  /** How far the outputs of the two “the” of the English example are apart. */
  twinDifference: (pe, causal: number, sinusoidal: number) => {
    const { original } = measured(pe, 1, causal, sinusoidal);
    const { tokens } = exampleOf('en');
    const [first, second] = [tokens.indexOf('the'), tokens.lastIndexOf('the')];
    return largestDifference(rowOf(original.output, first), rowOf(original.output, second));
  },
};

function rowOf(output: Float32Array, row: number): Float32Array {
  return output.subarray(row * width, (row + 1) * width);
}

function meanRow(output: Float32Array): Float32Array {
  const rows = output.length / width;
  return Float32Array.from({ length: width }, (_, column) => {
    let sum = 0;
    for (let row = 0; row < rows; row++) sum += output[row * width + column] ?? 0;
    return sum / rows;
  });
}

function largestDifference(a: Float32Array, b: Float32Array): number {
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] ?? 0))), 0);
}

import type { SinusoidalOptions } from '../types.js';
import type { LayerGroup } from './plan.js';

/** Which sinusoids: the paper's exponents or tensor2tensor's, and how the functions are laid out. */
export type Sinusoid = Pick<SinusoidalOptions, 'layout' | 'denominator' | 'offset' | 'zeroPadding'>;

/** Radians per position, base 10000: exponent i / (width/2), or i / (width/2 − 1) (tensor2tensor). */
export function sinusoidFrequencies(width: number, denominator: 'd/2' | 'd/2-1'): number[] {
  const half = Math.floor(width / 2);
  const steps = denominator === 'd/2' ? width / 2 : Math.max(half - 1, 1);
  return Array.from({ length: half }, (_, i) => 10000 ** (-i / steps));
}

/** What frequencies have in a plan. */
export const unscaled = (
  inverseFrequencies: readonly number[],
): Pick<LayerGroup, 'inverseFrequencies' | 'wavelengths' | 'divisors'> => ({
  inverseFrequencies,
  wavelengths: inverseFrequencies.map((frequency) => (2 * Math.PI) / frequency),
  divisors: inverseFrequencies.map(() => 1),
});

/** What a table of sinusoids has in a plan. */
export function sinusoidal(
  width: number,
  { layout = 'interleaved', denominator = 'd/2', ...rest }: Sinusoid,
): Pick<LayerGroup, 'encoding' | 'options'> & ReturnType<typeof unscaled> {
  return {
    encoding: 'sinusoidal',
    options: { width, layout, denominator, ...rest },
    ...unscaled(sinusoidFrequencies(width, denominator)),
  };
}

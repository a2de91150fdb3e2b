/** The numbers of a group of layers, pair by pair, as the page shows and copies them. */
import type { BandKind, PairCoverage, ScalingBand } from 'posenc';
import { pairCoverage, scalingBands, type LayerGroup, type Plan } from 'posenc/inspect';

/** One rotary pair. */
export interface PairNumbers {
  readonly pair: number;
  /** Radians per position; 0 = it does not turn. */
  readonly frequency: number;
  /** Positions per turn without and with the rule; `null` = it does not turn. */
  readonly before: number | null;
  readonly after: number | null;
  readonly divisor: number | null;
  readonly band: BandKind;
  /** `null` where the trained length is not known, or the pair does not turn. */
  readonly coverage: PairCoverage | null;
}

/** What the rule does to which pairs; one band of kept pairs without a rule. */
export function bandsOf(group: LayerGroup, { length }: Plan): ScalingBand[] {
  const { base, rotaryDim, options, rule } = group;
  if (base === null || rotaryDim === null || !group.computed) return [];
  const applied = options !== null && 'scaling' in options ? options.scaling : rule;
  const rotation = { base, rotaryDim, ...(length === null ? {} : { length }) };
  return scalingBands(rotation, applied ?? { type: 'none' });
}

/** Longest distance that training showed these layers. */
export const reachOf = ({ trainedLength, window }: LayerGroup): number | null =>
  trainedLength === null && window === null
    ? null
    : Math.min(trainedLength ?? Infinity, window ?? Infinity);

/** Longest distance at the asked length. */
export const askedOf = ({ window, chunk }: LayerGroup, { length }: Plan): number | null =>
  length === null ? null : Math.min(length, window ?? Infinity, chunk ?? Infinity);

/** `null` where the lengths to compare are not known. */
export function coverageOf(group: LayerGroup, plan: Plan): PairCoverage[] | null {
  const reach = reachOf(group);
  const asked = askedOf(group, plan);
  if (reach === null || asked === null || group.wavelengths.length === 0) return null;
  return pairCoverage(group, reach, asked);
}

export function pairNumbers(
  group: LayerGroup,
  bands: readonly ScalingBand[],
  coverage: readonly PairCoverage[] | null,
): PairNumbers[] {
  return group.inverseFrequencies.map((frequency, pair) => {
    const after = group.wavelengths[pair] ?? null;
    const divisor = group.divisors[pair] ?? null;
    return {
      pair,
      frequency,
      before: after === null || divisor === null ? null : after / divisor,
      after,
      divisor,
      band: bands.find(({ last }) => pair <= last)?.kind ?? 'kept',
      coverage: coverage?.[pair] ?? null,
    };
  });
}

/** The pairs as CSV, in full precision. */
export function pairsCsv(rows: readonly PairNumbers[]): string {
  const head =
    'pair,inverse_frequency,wavelength_before,wavelength,divisor,band,covered,turns,in_distribution';
  const lines = rows.map(({ pair, frequency, before, after, divisor, band, coverage }) => {
    const { covered, turns, inDistribution } = coverage ?? {};
    return [pair, frequency, before, after, divisor, band, covered, turns, inDistribution].join(
      ',',
    );
  });
  return [head, ...lines, ''].join('\n');
}

/** ALiBi's slopes as CSV. */
export const slopesCsv = (slopes: readonly number[]): string =>
  ['head,slope', ...slopes.map((slope, head) => `${head},${slope}`), ''].join('\n');

/** The group of another plan that is most like this one: of the same type, else as wide a view, else its place. */
export function partnerOf(group: LayerGroup, plan: Plan, other: Plan): LayerGroup | null {
  const groups = other.layerGroups;
  const place = plan.layerGroups.indexOf(group);
  return (
    groups.find(({ layerType }) => layerType !== null && layerType === group.layerType) ??
    groups.find(({ window }) => (window === null) === (group.window === null)) ??
    groups[place] ??
    groups[0] ??
    null
  );
}

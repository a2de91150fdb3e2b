/** How the page Small model writes numbers and tokens. */

/** A token in a line: blanks and breaks become visible. */
export const visible = (text: string): string =>
  text.replaceAll('\n', '↵').replaceAll('\t', '⇥').replace(/^ | $/g, '␣');

/** Two digits after the point, with a real minus. */
export const fixed = (value: number, digits = 2): string =>
  Number.isFinite(value)
    ? value
        .toFixed(digits)
        .replace(/^-(?=.*[1-9])/, '−')
        .replace('-', '')
    : '−∞';

/** A share as per cent, never parted from its sign. */
export const percent = (share: number): string =>
  `${share < 0.1 ? Number((100 * share).toPrecision(2)) : (100 * share).toFixed(0)}\u00a0%`;

/** A perplexity: e to the mean loss, three digits. */
export function perplexity(meanLoss: number): string {
  const value = Math.exp(meanLoss);
  if (!Number.isFinite(value)) return '–';
  return value >= 1e4
    ? value.toExponential(1).replace('e+', 'e')
    : String(Number(value.toPrecision(3)));
}

/** Bytes with their unit. */
export const bytesText = (bytes: number): string =>
  bytes < 2 ** 20
    ? `${Math.ceil(bytes / 1024)} KiB`
    : `${Number((bytes / 2 ** 20).toPrecision(3))} MiB`;

/** Scales and an axis: value → pixel and back. */
import { color } from './frame-color.js';
import { el, short, type ElementNode } from './frame-picture.js';

export interface Scale {
  (value: number): number;
  invert(pixel: number): number;
  /** About `count` round values inside the domain. */
  ticks(count: number): number[];
}

type Pair = readonly [number, number];

/** Straight: equal steps of the value are equal steps on the screen. */
export function scaleLinear([d0, d1]: Pair, [r0, r1]: Pair): Scale {
  const scale = (value: number) => r0 + ((value - d0) / (d1 - d0)) * (r1 - r0);
  const invert = (pixel: number) => d0 + ((pixel - r0) / (r1 - r0)) * (d1 - d0);
  const ticks = (count: number) => linearTicks(Math.min(d0, d1), Math.max(d0, d1), count);
  return Object.assign(scale, { invert, ticks });
}

/** Logarithmic: equal factors are equal steps. The domain is positive. */
export function scaleLog([d0, d1]: Pair, range: Pair): Scale {
  const inner = scaleLinear([Math.log(d0), Math.log(d1)], range);
  const scale = (value: number) => inner(Math.log(value));
  const invert = (pixel: number) => Math.exp(inner.invert(pixel));
  const ticks = (count: number) => {
    const low = Math.ceil(Math.log10(Math.min(d0, d1)) - 1e-9);
    const high = Math.floor(Math.log10(Math.max(d0, d1)) + 1e-9);
    const every = Math.max(1, Math.ceil((high - low + 1) / Math.max(1, count)));
    const powers = [];
    for (let power = low; power <= high; power += every) powers.push(10 ** power);
    return powers;
  };
  return Object.assign(scale, { invert, ticks });
}

function linearTicks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough * 0.999) ?? 10);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++)
    ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

/** A horizontal axis with ticks and numbers below it. */
export function axisBottom(
  scale: Scale,
  options: {
    y: number;
    from: number;
    to: number;
    ticks: readonly number[];
    format?: (value: number) => string;
    label?: string;
  },
): ElementNode {
  const { y, from, to, ticks, format = String, label } = options;
  return el(
    'g',
    { class: 'px-axis' },
    el('line', { x1: from, x2: to, y1: y, y2: y, stroke: color.line }),
    ticks.map((tick) => {
      const x = short(scale(tick));
      return [
        el('line', { x1: x, x2: x, y1: y, y2: y + 5, stroke: color.line }),
        el('text', { x, y: y + 19, class: 'px-small', 'text-anchor': 'middle' }, format(tick)),
      ];
    }),
    label && el('text', { x: to, y: y + 36, class: 'px-small', 'text-anchor': 'end' }, label),
  );
}

/** What the parts of the picture of “Shuffle the sentence” share. */
import { color, el, type DrawContext, type PictureNode } from './frame.js';
import { fitText } from './shuffle-chips.js';
import type { Shuffle } from './shuffle-model.js';

/** A part of the picture and the height it takes. */
export interface Part {
  readonly nodes: readonly PictureNode[];
  readonly height: number;
}

/** What every part shows. */
export interface Scene {
  readonly tokens: readonly string[];
  /** Place i of the reordered sentence holds token `order[i]`. */
  readonly order: readonly number[];
  readonly result: Shuffle;
  /** A token sees itself and what stands before it. */
  readonly causal: boolean;
}

/** The colour of a token, by its place in the original sentence. */
export const seriesOf = (from: number): string => color.series[from % 8] ?? color.ink;

/** A small number below the line: the place in the original sentence, from 1. */
export function placeMark(from: number): string {
  return [...String(from + 1)].map((digit) => '₀₁₂₃₄₅₆₇₈₉'[Number(digit)]).join('');
}

/** A token with its original place, cut to `room` pixels. */
export function tokenLabel(
  token: string,
  from: number,
  { x, y, room, anchor }: { x: number; y: number; room: number; anchor: 'start' | 'end' },
): PictureNode {
  const mark = placeMark(from);
  return el(
    'text',
    { x, y, class: 'px-small', 'text-anchor': anchor, fill: color.ink },
    fitText(token, 12, room - mark.length * 7),
    el('tspan', { fill: color.muted }, mark),
  );
}

/** A heading inside the picture. */
export function heading(text: string, x: number, y: number): PictureNode {
  return el('text', { x, y, class: 'px-small', fill: color.muted }, text);
}

/** A difference, as a power of ten when it is small: `6.0 × 10⁻⁸`. */
export function scientific(value: number, { number }: Pick<DrawContext, 'number'>): string {
  if (value === 0 || value >= 0.001) return number(value, value === 0 ? 0 : 3);
  const [factor, power = ''] = value.toExponential(1).split('e-');
  const digits = [...power].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('');
  return `${factor} × 10⁻${digits}`;
}

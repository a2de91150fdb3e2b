/** Token chips of “Shuffle the sentence”: how wide they are, where they stand, where one is dropped. */
import { graphemes, type Point } from './frame.js';

/** Height of a chip. */
export const chipHeight = 36;
/** Distance between the tops of two lines of chips: a full touch target. */
export const linePitch = 44;
const gap = 6;

/** Where a chip stands. */
export interface Chip {
  readonly token: string;
  /** The token's place in the original sentence, from 0. */
  readonly from: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** Chips in reading order, and the height they need. */
export interface ChipLines {
  readonly chips: readonly Chip[];
  readonly height: number;
  readonly lines: number;
  readonly top: number;
}

/** Estimated width of a text of `size` pixels: wide characters are square, others about half as wide. */
export function textWidth(text: string, size: number): number {
  const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u;
  return graphemes(text).reduce(
    (sum, part) =>
      sum + size * (wide.test(part) || /\p{Emoji_Presentation}/u.test(part) ? 1 : 0.58),
    0,
  );
}

/** `text` cut to `width` pixels, with an ellipsis when something is missing. */
export function fitText(text: string, size: number, width: number): string {
  if (textWidth(text, size) <= width) return text;
  const parts = graphemes(text);
  while (parts.length > 1 && textWidth(`${parts.join('')}…`, size) > width) parts.pop();
  return `${parts.join('')}…`;
}

/** Sets chips in lines of `width` pixels, from `top` downwards. */
export function layChips(
  tokens: readonly string[],
  order: readonly number[],
  width: number,
  top: number,
): ChipLines {
  let x = 0;
  let line = 0;
  const chips = order.map((from): Chip => {
    const token = tokens[from] ?? '';
    const index = textWidth(String(from + 1), 12);
    const chipWidth = Math.min(width, Math.max(44, textWidth(token, 16) + index + 26));
    if (x > 0 && x + chipWidth > width) {
      x = 0;
      line += 1;
    }
    const chip = { token, from, x, y: top + line * linePitch, width: chipWidth };
    x += chipWidth + gap;
    return chip;
  });
  return { chips, height: (line + 1) * linePitch, lines: line + 1, top };
}

/**
 * The place where a chip is dropped whose centre is at `point`: behind every other chip that lies
 * before it in reading order. The others are laid out without it, so that the answer does not
 * depend on where it came from.
 */
export function dropPlace(others: readonly Chip[], point: Point): number {
  return others.filter((chip) => {
    const below = point.y > chip.y + linePitch - (linePitch - chipHeight) / 2;
    const above = point.y < chip.y - (linePitch - chipHeight) / 2;
    return below || (!above && chip.x + chip.width / 2 < point.x);
  }).length;
}

/** `order` with the token at `place` moved to place `to`. */
export function moveTo(order: readonly number[], place: number, to: number): number[] {
  const rest = order.filter((_, i) => i !== place);
  return [...rest.slice(0, to), order[place] ?? 0, ...rest.slice(to)];
}

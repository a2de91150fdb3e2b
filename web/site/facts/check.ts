/**
 * Reads the fact markup of Markdown, `[printed]{fact=name(arg,arg)}`, and decides whether a printed
 * number is the computed one, rounded as printed. Pure: the build and the tests share it.
 */

import type { Posenc } from 'posenc';
import type { FactTable } from './types.js';

/** One fact as it stands in the text. */
export interface FactMark {
  /** The number as the reader sees it. */
  readonly printed: string;
  readonly name: string;
  readonly args: readonly number[];
  /** Length of the whole mark in characters. */
  readonly length: number;
}

const markPattern = /\[([^\][\n]+)\]\{fact=([A-Za-z][A-Za-z0-9]*)(?:\(([^()\n]*)\))?\}/y;

/** Whatever looks like a fact begins so; one that {@link readMark} refuses is a mistake of the author. */
export const looksLikeMark = /\[[^\][\n]*\]\{\s*fact\b/y;

/** The mark that starts at `offset` of `text`, or null. Throws when an argument is not a number. */
export function readMark(text: string, offset: number): FactMark | null {
  markPattern.lastIndex = offset;
  const match = markPattern.exec(text);
  if (!match) return null;
  const [whole, printed = '', name = '', list] = match;
  const args = list ? list.split(',').map(Number) : [];
  if (!args.every(Number.isFinite))
    throw new Error(`fact ${name}: "${list}" is not a list of numbers`);
  return { printed, name, args, length: whole.length };
}

/** `similarity(128, 1)`: the mark's function call, for messages. */
export function callOf(mark: FactMark): string {
  return `${mark.name}(${mark.args.join(', ')})`;
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Plain spelling of a printed number: ASCII minus, no thousands separators, `e` for powers of ten. */
function plain(printed: string): string {
  return printed
    .replace(
      /(?:([\d.]+)\s*[×·]\s*)?10([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)/u,
      (_, factor: string, power: string) => {
        const digits = [...power].map((c) =>
          c === '⁻' ? '-' : c === '⁺' ? '' : superscripts.indexOf(c),
        );
        return `${factor ?? 1}e${digits.join('')}`;
      },
    )
    .replace(/[−–]/g, '-')
    .replace(/(?<=\d)[,\u00a0\u2009\u202f ](?=\d{3}(?!\d))/g, '')
    .trim();
}

const numberPattern = /^([<>≤≥]?)\s*(-?)(\d*)(?:\.(\d+))?(?:e(-?\d+))?\s*(%?)$/;

const comparisons: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  '<': (value, bound) => value < bound,
  '>': (value, bound) => value > bound,
  '≤': (value, bound) => value <= bound,
  '≥': (value, bound) => value >= bound,
};

/**
 * What is wrong with printing `printed` for `value`; null when it is right: equal to `value` rounded
 * to the printed digits, or, behind `<`, `>`, `≤` or `≥`, a true bound.
 */
export function faultOf(printed: string, value: number): string | null {
  if (!Number.isFinite(value)) return `the fact computes ${value}`;
  const match = numberPattern.exec(plain(printed));
  if (!match || !(match[3] || match[4])) return `"${printed}" is not a number`;
  const [, sign, minus, whole, fraction = '', exponent = '0', percent] = match;
  const power = Number(exponent) - (percent ? 2 : 0);
  const read = Number(`${minus}${whole || '0'}.${fraction || '0'}e${power}`);
  if (sign) {
    return comparisons[sign]?.(value, read) ? null : `${value} is not ${sign} ${read}`;
  }
  // half a unit of the last printed digit, and a hair for the division in binary
  const half = 0.5 * 10 ** (power - fraction.length);
  return Math.abs(value - read) <= half * (1 + 1e-9) ? null : `the kernels compute ${value}`;
}

/**
 * What is wrong with a mark: an unknown fact, another count of numbers than the fact takes, or a
 * printed number that the kernels do not compute. `value` is what they compute.
 */
export function judge(
  mark: FactMark,
  table: FactTable,
  pe: Posenc,
): { readonly fault: string | null; readonly value: number } {
  const fact = Object.hasOwn(table, mark.name) ? table[mark.name] : undefined;
  if (!fact) return { fault: `there is no fact "${mark.name}"`, value: NaN };
  const takes = Math.max(0, fact.length - 1); // the module comes first
  if (mark.args.length !== takes) {
    return { fault: `${callOf(mark)}: "${mark.name}" takes ${takes} numbers`, value: NaN };
  }
  const value = fact(pe, ...mark.args);
  const fault = faultOf(mark.printed, value);
  return { fault: fault && `${callOf(mark)}: ${fault}, printed is ${mark.printed}`, value };
}

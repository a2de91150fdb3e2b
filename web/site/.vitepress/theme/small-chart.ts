/** Curves of losses over a text as paths, with their ticks. */
import { scaleLinear, scaleLog } from '../../../figures/frame-scale.js';
import { smoothed } from '../../small/stages.js';

/** A curve. */
export interface Line {
  readonly name: string;
  readonly color: string;
  /** Of the stroke; empty = solid. */
  readonly dash: string;
  /** −ln p of token 1, 2, … */
  readonly losses: ArrayLike<number>;
}

/** Height of the picture, and the room around its curves. */
export const frame = { height: 240, left: 46, right: 12, top: 14, bottom: 34 } as const;

/** Perplexities that ticks stand at. */
const roundNumbers = [1, 2, 5];

/** Everything that is drawn. */
export interface ChartPicture {
  readonly paths: readonly string[];
  readonly xTicks: readonly { readonly x: number; readonly text: string }[];
  readonly yTicks: readonly { readonly y: number; readonly text: string }[];
  readonly markX: number | null;
}

/** Draws curves into a width; `mark` is a position with a line of its own. */
export function chartPicture(
  lines: readonly Line[],
  width: number,
  mark: number | null,
): ChartPicture {
  const tokens = Math.max(2, ...lines.map(({ losses }) => losses.length));
  const reach = Math.max(1, Math.round(tokens / 48));
  const curves = lines.map(({ losses }) => smoothed(losses, reach).map(Math.exp));
  const finite = curves.flatMap((curve) => [...curve]).filter(Number.isFinite);
  const low = Math.max(1, Math.min(...finite) * 0.9);
  const high = Math.max(low * 2, Math.max(...finite) * 1.1);
  const x = scaleLinear([0, tokens], [frame.left, width - frame.right]);
  const y = scaleLog([low, high], [frame.height - frame.bottom, frame.top]);
  const pixel = (value: number): number => Math.round(10 * value) / 10;
  return {
    paths: curves.map((curve) =>
      Array.from(curve, (value, i) => {
        const end = Number.isFinite(value) ? value : high;
        return `${i === 0 ? 'M' : 'L'}${pixel(x(i + 1))} ${pixel(y(end))}`;
      }).join(''),
    ),
    xTicks: x.ticks(Math.max(3, Math.floor(width / 110))).map((tick) => ({
      x: pixel(x(tick)),
      text: String(tick),
    })),
    yTicks: yNumbers(low, high).map((tick) => ({ y: pixel(y(tick)), text: String(tick) })),
    markX: mark !== null && mark < tokens ? pixel(x(mark)) : null,
  };
}

function yNumbers(low: number, high: number): number[] {
  const powers = Array.from({ length: 12 }, (_, power) => 10 ** power);
  const few = high / low < 200;
  const all = powers.flatMap((power) => (few ? roundNumbers.map((n) => n * power) : [power]));
  return all.filter((tick) => tick >= low && tick <= high);
}

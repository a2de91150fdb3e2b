/** Colours: names that follow the theme, and two 256-entry maps made from a few control points. */

/** CSS variables; their values for light and dark stand in `frame.css`. */
export const color = {
  ink: 'var(--px-ink)',
  muted: 'var(--px-muted)',
  line: 'var(--px-line)',
  grid: 'var(--px-grid)',
  paper: 'var(--px-paper)',
  panel: 'var(--px-panel)',
  accent: 'var(--px-accent)',
  accentSoft: 'var(--px-accent-soft)',
  /** Query, key, value, score: the same everywhere on the site. */
  q: 'var(--px-q)',
  k: 'var(--px-k)',
  v: 'var(--px-v)',
  score: 'var(--px-score)',
  good: 'var(--px-good)',
  bad: 'var(--px-bad)',
  /** Categories, told apart with any colour vision (after Okabe and Ito, adjusted to both papers). */
  series: Array.from({ length: 8 }, (_, i) => `var(--px-series-${i})`),
} as const;

/** `diverging`: cold – paper – warm, zero in the middle. `sequential`: paper – deep. */
export type MapName = 'diverging' | 'sequential';
export type Theme = 'light' | 'dark';

// Control points in Oklab (lightness, green–red, blue–yellow), evenly spaced. Cold is blue and warm
// is orange, the pair that every common colour vision keeps apart; lightness changes steadily.
type Oklab = readonly [number, number, number];
const CONTROL_POINTS: Record<Theme, Record<MapName, readonly Oklab[]>> = {
  light: {
    diverging: [
      [0.36, -0.02, -0.14],
      [0.62, -0.05, -0.11],
      [0.97, 0.0, 0.008],
      [0.72, 0.08, 0.12],
      [0.45, 0.12, 0.085],
    ],
    sequential: [
      [0.97, 0.0, 0.008],
      [0.82, -0.055, -0.015],
      [0.62, -0.06, -0.075],
      [0.42, -0.015, -0.125],
      [0.26, 0.03, -0.1],
    ],
  },
  dark: {
    diverging: [
      [0.82, -0.06, -0.1],
      [0.55, -0.04, -0.13],
      [0.24, 0.0, -0.012],
      [0.58, 0.11, 0.1],
      [0.85, 0.06, 0.12],
    ],
    sequential: [
      [0.24, 0.0, -0.012],
      [0.4, -0.01, -0.11],
      [0.58, -0.055, -0.1],
      [0.76, -0.07, -0.03],
      [0.93, -0.02, 0.07],
    ],
  },
};

const tables = new Map<string, Uint8Array>();

/** `[256, 3]` bytes of red, green, blue. */
export function colorTable(map: MapName, theme: Theme): Uint8Array {
  const name = `${map} ${theme}`;
  let table = tables.get(name);
  if (!table) {
    const points = CONTROL_POINTS[theme][map];
    table = new Uint8Array(256 * 3);
    for (let i = 0; i < 256; i++) {
      const t = (i / 255) * (points.length - 1);
      const left = Math.min(Math.floor(t), points.length - 2);
      const [a, b] = [points[left]!, points[left + 1]!];
      table.set(
        oklabToBytes(a.map((x, c) => x + (b[c]! - x) * (t - left)) as unknown as Oklab),
        i * 3,
      );
    }
    tables.set(name, table);
  }
  return table;
}

/** Entry of the colour table for a value; 0 … 255. */
export function colorIndex(value: number, low: number, high: number): number {
  return Math.round(Math.min(1, Math.max(0, (value - low) / (high - low))) * 255);
}

/** The colour of `t` in 0 … 1, for legends and single cells. The renderers resolve it per theme. */
export const mapColor = (map: MapName, t: number): string => `map(${map},${colorIndex(t, 0, 1)})`;

/** Ink that can be read on `mapColor(map, t)`: contrast at least 4.5. */
export const mapInk = (map: MapName, t: number): string => `ink(${map},${colorIndex(t, 0, 1)})`;

/** Turns `mapColor` and `mapInk` into CSS colours; other attribute values stay as they are. */
export function resolveColor(value: string, theme: Theme): string {
  const found = /^(map|ink)\((\w+),(\d+)\)$/.exec(value);
  if (!found) return value;
  const [r, g, b] = colorTable(found[2] as MapName, theme).subarray(Number(found[3]) * 3);
  if (found[1] === 'map') return `rgb(${r},${g},${b})`;
  return luminance([r!, g!, b!]) > 0.179 ? '#000' : '#fff';
}

/** Relative luminance (WCAG 2.2) of red, green, blue in 0 … 255. */
export function luminance(rgb: readonly number[]): number {
  const [r, g, b] = rgb.map((byte) => {
    const c = byte / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

// Björn Ottosson, “A perceptual color space for image processing” (2020).
function oklabToBytes([L, a, b]: Oklab): number[] {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return linear.map((x) => {
    const clipped = Math.min(1, Math.max(0, x));
    const encoded = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055;
    return Math.round(encoded * 255);
  });
}

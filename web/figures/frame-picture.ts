/** A picture as plain data: `draw` returns it, `frame-dom` puts it on the page, `frame-svg` writes it as text. */
import type { MapName } from './frame-color.js';
import type { Words } from './frame-types.js';

export type Attribute = string | number | boolean | null | undefined;

/** An SVG element. */
export interface ElementNode {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly children: readonly PictureNode[];
}

/** A grid of coloured cells, drawn below everything else. */
export interface HeatmapNode {
  readonly tag: 'heatmap';
  readonly key: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly rows: number;
  readonly columns: number;
  /** `[rows, columns]`; NaN and −∞ are drawn as empty cells. */
  readonly values: ArrayLike<number>;
  readonly low: number;
  readonly high: number;
  readonly map: MapName;
  /** What is shown at the pointer. */
  readonly cell?: (row: number, column: number) => string;
}

export type PictureNode = ElementNode | HeatmapNode | string;

/** A point of the picture in CSS pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

// Patches are checked by the schema of the figure when they are applied.
type Patch = Readonly<Record<string, unknown>>;

/** Something that can be dragged: `role=slider` with the full keyboard. */
export interface HandleNode {
  readonly tag: 'handle';
  readonly key: string;
  readonly label: Words;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  /** Arrow keys. Default 1. */
  readonly step?: number;
  /** PageUp and PageDown. Default a tenth of the range, at least `step`. */
  readonly page?: number;
  /** The value in words. */
  readonly text: Words;
  /** Centre of the 44 × 44 px target; not used with `area`. */
  readonly x?: number;
  readonly y?: number;
  /** A larger target: pressing anywhere in it jumps there. */
  readonly area?: Box;
  /** Which way it moves; `x` leaves vertical scrolling to touch. Default `x`. */
  readonly axis?: 'x' | 'y' | 'both';
  /** Key `ArrowUp` increases (default) or, in pictures whose rows grow downwards, decreases. */
  readonly up?: 'more' | 'less';
  /** Keyboard: a value in `min … max` → change of state. */
  readonly move: (value: number) => Patch;
  /** Drag: a point → change of state. Without it the handle only answers keys. */
  readonly at?: (point: Point) => Patch;
  readonly nodes: readonly PictureNode[];
}

/** Something that can be pressed: `role=button`. */
export interface ButtonNode extends Box {
  readonly tag: 'button';
  readonly key: string;
  readonly label: Words;
  readonly pressed?: boolean;
  readonly press: () => Patch;
  readonly nodes: readonly PictureNode[];
}

export type Pressable = HandleNode | ButtonNode;

export const isHeatmap = (node: PictureNode): node is HeatmapNode =>
  typeof node !== 'string' && node.tag === 'heatmap';

type Child = PictureNode | number | null | undefined | false | readonly Child[];

/** An SVG element; nested arrays are flattened, empty children dropped. */
export function el(
  tag: string,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly Child[]
): ElementNode {
  return { tag, attributes, children: children.flatMap(flatten) };
}

function flatten(child: Child): PictureNode[] {
  if (child === null || child === undefined || child === false) return [];
  if (Array.isArray(child)) return (child as readonly Child[]).flatMap(flatten);
  return [typeof child === 'number' ? String(child) : (child as PictureNode)];
}

/** A heat map; see `HeatmapNode`. */
export const heatmap = (node: Omit<HeatmapNode, 'tag'>): HeatmapNode => ({
  tag: 'heatmap',
  ...node,
});

/** A handle; see `HandleNode`. */
export const handle = (node: Omit<HandleNode, 'tag'>): HandleNode => ({ tag: 'handle', ...node });

/** A button inside the picture; see `ButtonNode`. */
export const button = (node: Omit<ButtonNode, 'tag'>): ButtonNode => ({ tag: 'button', ...node });

/** Path data of a polyline; points that are not finite interrupt it. */
export function path(points: Iterable<Point>): string {
  let data = '';
  let pen = 'M';
  for (const { x, y } of points) {
    if (!Number.isFinite(x) || !Number.isFinite(y)) {
      pen = 'M';
      continue;
    }
    data += `${pen}${short(x)},${short(y)}`;
    pen = 'L';
  }
  return data;
}

/** Coordinates with two decimals: finer than any screen, and short in the exported file. */
export const short = (value: number): number => Math.round(value * 100) / 100;

/** Writes a picture as SVG text: the static picture of a page, the SVG export, and (through an image) the PNG. */
import { colorTable, resolveColor, colorIndex, type Theme } from './frame-color.js';
import { escapeText } from './frame-html.js';
import { isHeatmap, short, type HeatmapNode, type PictureNode } from './frame-picture.js';
import { encodePng } from './frame-png.js';
import type { Drawing } from './frame-types.js';

export interface SvgTextOptions {
  readonly width: number;
  readonly title: string;
  /** One theme (export), or both: then `light-dark()` and CSS classes choose on the page. */
  readonly theme: Theme | 'both';
  /** Extra attributes of the root element. */
  readonly attributes?: string;
  /** Written inside the root before the picture: styles and a background. */
  readonly before?: string;
  /** Empty space on all sides. */
  readonly margin?: number;
}

/** The whole drawing, handles included, as one SVG element. */
export function svgText(drawing: Drawing, options: SvgTextOptions): string {
  const { width, title, theme, attributes = '', before = '', margin = 0 } = options;
  const maps = drawing.nodes.filter(isHeatmap).map((map) => heatmapText(map, theme));
  const others = [...drawing.nodes, ...(drawing.handles ?? []).flatMap((node) => node.nodes)];
  const body = others.map((node) => nodeText(node, theme)).join('');
  const [outerWidth, outerHeight] = [width + 2 * margin, drawing.height + 2 * margin];
  const size =
    `viewBox="${-margin} ${-margin} ${outerWidth} ${outerHeight}" ` +
    `width="${outerWidth}" height="${outerHeight}"`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escapeText(title)}"` +
    `${attributes && ' '}${attributes}>${before}${maps.join('')}${body}</svg>`
  );
}

function nodeText(node: PictureNode, theme: Theme | 'both'): string {
  if (typeof node === 'string') return escapeText(node);
  if (isHeatmap(node)) return '';
  const { tag, attributes, children } = node;
  const written = Object.entries(attributes)
    .filter(
      ([name, value]) =>
        value !== undefined && value !== null && value !== false && name !== 'data-key',
    )
    .map(([name, value]) => ` ${name}="${escapeText(attributeText(value, theme))}"`);
  return `<${tag}${written.join('')}>${children.map((child) => nodeText(child, theme)).join('')}</${tag}>`;
}

function attributeText(value: unknown, theme: Theme | 'both'): string {
  if (typeof value === 'number') return String(short(value));
  const text = String(value);
  if (theme !== 'both') return resolveColor(text, theme);
  const [light, dark] = [resolveColor(text, 'light'), resolveColor(text, 'dark')];
  return light === dark ? light : `light-dark(${light},${dark})`;
}

function heatmapText(map: HeatmapNode, theme: Theme | 'both'): string {
  if (theme === 'both')
    return (
      `<g class="px-only-light">${heatmapText(map, 'light')}</g>` +
      `<g class="px-only-dark">${heatmapText(map, 'dark')}</g>`
    );
  const cells = Uint8Array.from({ length: map.rows * map.columns }, (_, i) => {
    const value = map.values[i]!;
    // Entry 255 of the colours is shared with “empty” in no map: index 0 … 254 are colours, 255 is empty.
    return Number.isFinite(value) ? Math.min(254, colorIndex(value, map.low, map.high)) : 255;
  });
  const png = encodePng(map.columns, map.rows, cells, colorTable(map.map, theme));
  return (
    `<image x="${map.x}" y="${map.y}" width="${map.width}" height="${map.height}" ` +
    `preserveAspectRatio="none" style="image-rendering:pixelated" href="data:image/png;base64,${base64(png)}"/>`
  );
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

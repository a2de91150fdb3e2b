/** Puts a picture on the page and keeps its nodes alive across redraws, so that focus and drags survive. */
import { colorIndex, colorTable, resolveColor, type Theme } from './frame-color.js';
import { bindButton, bindHandle, type Press } from './frame-press.js';
import { isHeatmap } from './frame-picture.js';
import type { ElementNode, HeatmapNode, PictureNode, Pressable } from './frame-picture.js';

const SVG = 'http://www.w3.org/2000/svg';

/** Makes `parent` hold exactly `nodes`: reuses elements by `key`, else by place and tag. */
export function patchNodes(parent: Element, nodes: readonly PictureNode[], theme: Theme): void {
  const keyed = new Map<string, Element>();
  for (const child of parent.children) {
    const key = child.getAttribute('data-key');
    if (key) keyed.set(key, child);
  }
  let place = parent.firstChild;
  for (const node of nodes) {
    if (typeof node !== 'string' && isHeatmap(node)) continue;
    const kept = reuse(place, node, keyed);
    const target = kept ?? create(node);
    if (target !== place) parent.insertBefore(target, place);
    else place = place.nextSibling;
    if (typeof node === 'string') target.textContent = node;
    else patchElement(target as Element, node, theme);
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

function reuse(
  place: ChildNode | null,
  node: ElementNode | string,
  keyed: Map<string, Element>,
): ChildNode | undefined {
  if (typeof node === 'string') return place?.nodeType === Node.TEXT_NODE ? place : undefined;
  const key = node.attributes['data-key'];
  if (key) return keyed.get(String(key));
  const fits =
    place instanceof Element && place.tagName === node.tag && !place.hasAttribute('data-key');
  return fits ? place : undefined;
}

const create = (node: ElementNode | string) =>
  typeof node === 'string'
    ? document.createTextNode(node)
    : document.createElementNS(SVG, node.tag);

function patchElement(element: Element, node: ElementNode, theme: Theme): void {
  const wanted = node.attributes;
  for (const name of element.getAttributeNames())
    if (!isPresent(wanted[name])) element.removeAttribute(name);
  for (const [name, value] of Object.entries(wanted)) {
    if (!isPresent(value)) continue;
    const written = typeof value === 'string' ? resolveColor(value, theme) : String(value);
    if (element.getAttribute(name) !== written) element.setAttribute(name, written);
  }
  patchNodes(element, node.children, theme);
}

const isPresent = (value: unknown) => value !== undefined && value !== null && value !== false;

/** Makes `parent` hold exactly these handles and buttons, in this order. */
export function patchPressables(
  parent: SVGGElement,
  pressables: readonly Pressable[],
  theme: Theme,
  press: Press,
): void {
  const kept = new Map<string, SVGGElement>();
  for (const child of parent.children)
    kept.set(child.getAttribute('data-press')!, child as SVGGElement);
  const wanted = pressables.map((node) => {
    const element = kept.get(node.key) ?? document.createElementNS(SVG, 'g');
    kept.delete(node.key);
    element.setAttribute('data-press', node.key);
    const drawn = element.querySelector(':scope > .px-drawn') ?? document.createElementNS(SVG, 'g');
    drawn.setAttribute('class', 'px-drawn');
    drawn.setAttribute('aria-hidden', 'true');
    if (!drawn.parentNode) element.append(drawn);
    if (node.tag === 'handle') bindHandle(element, node, press);
    else bindButton(element, node, press);
    patchNodes(drawn, node.nodes, theme);
    return element;
  });
  for (const gone of kept.values()) gone.remove();
  arrange(parent, wanted);
}

/**
 * Puts elements in order without ever moving the focused one: a moved element loses its focus and
 * the pointer that drags it.
 */
function arrange(parent: SVGGElement, wanted: readonly SVGGElement[]): void {
  if (wanted.every((element, i) => parent.children[i] === element)) return;
  const still = wanted.find((element) => element === document.activeElement);
  const place = still ? wanted.indexOf(still) : 0;
  for (const element of wanted.slice(0, place)) parent.insertBefore(element, still!);
  for (const element of wanted.slice(still ? place + 1 : 0)) parent.append(element);
}

/** Draws the heat maps of a picture on canvases that lie below the SVG. */
export function patchHeatmaps(
  stage: HTMLElement,
  nodes: readonly PictureNode[],
  theme: Theme,
  size: { width: number; height: number },
): HeatmapNode[] {
  const maps = nodes.filter(isHeatmap);
  const kept = new Map<string, HTMLCanvasElement>();
  for (const canvas of stage.querySelectorAll('canvas')) kept.set(canvas.dataset.key!, canvas);
  for (const map of maps) {
    const canvas = kept.get(map.key) ?? document.createElement('canvas');
    kept.delete(map.key);
    canvas.dataset.key = map.key;
    canvas.className = 'px-heatmap';
    canvas.setAttribute('aria-hidden', 'true');
    // In shares of the stage, because full screen enlarges the picture.
    Object.assign(canvas.style, {
      left: `${(100 * map.x) / size.width}%`,
      top: `${(100 * map.y) / size.height}%`,
      width: `${(100 * map.width) / size.width}%`,
      height: `${(100 * map.height) / size.height}%`,
    });
    if (!canvas.parentNode) stage.prepend(canvas);
    paint(canvas, map, theme);
  }
  for (const gone of kept.values()) gone.remove();
  return maps;
}

function paint(canvas: HTMLCanvasElement, map: HeatmapNode, theme: Theme): void {
  if (canvas.width !== map.columns) canvas.width = map.columns;
  if (canvas.height !== map.rows) canvas.height = map.rows;
  const context = canvas.getContext('2d');
  if (!context) return;
  const image = context.createImageData(map.columns, map.rows);
  const table = colorTable(map.map, theme);
  for (let i = 0; i < map.rows * map.columns; i++) {
    const value = map.values[i]!;
    if (!Number.isFinite(value)) continue;
    image.data.set(table.subarray(colorIndex(value, map.low, map.high) * 3).subarray(0, 3), i * 4);
    image.data[i * 4 + 3] = 255;
  }
  context.putImageData(image, 0, 0);
}

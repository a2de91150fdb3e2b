/** Pointer and keyboard for handles (`role=slider`) and buttons inside a picture. */
import type { ButtonNode, HandleNode, Point } from './frame-picture.js';
import type { Words } from './frame-types.js';

/** What a picture tells its figure. */
export interface Press {
  readonly pick: (words: Words) => string;
  readonly change: (patch: Readonly<Record<string, unknown>>) => void;
}

const SVG = 'http://www.w3.org/2000/svg';
/** WCAG 2.2 target size (enhanced), in CSS pixels. */
const TARGET = 44;

// The listeners are bound once; they read the newest node of their element from here.
const current = new WeakMap<SVGGElement, { node: HandleNode | ButtonNode; press: Press }>();

/** Makes `element` a slider: name, range, value, target area, drag and keys. */
export function bindHandle(element: SVGGElement, node: HandleNode, press: Press): void {
  const isNew = !current.has(element);
  current.set(element, { node, press });
  const axis = node.axis ?? 'x';
  setAll(element, {
    class: `px-handle px-axis-${axis}`,
    role: 'slider',
    tabindex: 0,
    'aria-label': press.pick(node.label),
    'aria-orientation': axis === 'y' ? 'vertical' : 'horizontal',
    'aria-valuemin': node.min,
    'aria-valuemax': node.max,
    'aria-valuenow': node.value,
    'aria-valuetext': press.pick(node.text),
  });
  const { x = 0, y = 0, area } = node;
  target(element, area ?? { x: x - TARGET / 2, y: y - TARGET / 2, width: TARGET, height: TARGET });
  if (!isNew) return;
  element.addEventListener('keydown', onHandleKey);
  element.addEventListener('pointerdown', onHandleDown);
}

/** Makes `element` a button. */
export function bindButton(element: SVGGElement, node: ButtonNode, press: Press): void {
  const isNew = !current.has(element);
  current.set(element, { node, press });
  setAll(element, {
    class: 'px-press',
    role: 'button',
    tabindex: 0,
    'aria-label': press.pick(node.label),
    'aria-pressed': node.pressed,
  });
  target(element, node);
  if (!isNew) return;
  const fire = () => {
    const now = current.get(element)!;
    if (now.node.tag === 'button') now.press.change(now.node.press());
  };
  element.addEventListener('click', fire);
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    fire();
  });
}

/** The value after a key on a slider, or undefined when the key means nothing to it. */
export function keyValue(
  key: string,
  slider: { value: number; min: number; max: number; step: number; page: number; up?: string },
): number | undefined {
  const { value, min, max, step, page } = slider;
  const up = slider.up === 'less' ? -1 : 1;
  const moves: Record<string, number> = {
    ArrowRight: value + step,
    ArrowLeft: value - step,
    ArrowUp: value + step * up,
    ArrowDown: value - step * up,
    PageUp: value + page * up,
    PageDown: value - page * up,
    Home: min,
    End: max,
  };
  const moved = moves[key];
  return moved === undefined ? undefined : Math.min(max, Math.max(min, moved));
}

function onHandleKey(this: SVGGElement, event: KeyboardEvent): void {
  const { node, press } = current.get(this)!;
  if (node.tag !== 'handle' || event.altKey || event.ctrlKey || event.metaKey) return;
  const step = node.step ?? 1;
  const page = node.page ?? Math.max(step, Math.round((node.max - node.min) / 10));
  const value = keyValue(event.key, { ...node, step, page });
  if (value === undefined) return;
  event.preventDefault();
  if (value !== node.value) press.change(node.move(value));
}

function onHandleDown(this: SVGGElement, event: PointerEvent): void {
  const first = current.get(this)!;
  if (event.button !== 0 || first.node.tag !== 'handle' || !first.node.at) return;
  const svg = this.ownerSVGElement!;
  const start = pointIn(svg, event);
  // A small target keeps the distance between finger and centre; a large area jumps to the finger.
  const { x, y, area } = first.node;
  const grab = area ? { x: 0, y: 0 } : { x: start.x - (x ?? 0), y: start.y - (y ?? 0) };
  const follow = (moved: PointerEvent) => {
    const { node, press } = current.get(this)!;
    if (node.tag !== 'handle' || !node.at) return;
    const point = pointIn(svg, moved);
    press.change(node.at({ x: point.x - grab.x, y: point.y - grab.y }));
  };
  const stop = () => {
    this.removeEventListener('pointermove', follow);
    this.removeEventListener('pointerup', stop);
    this.removeEventListener('pointercancel', stop);
    this.classList.remove('px-dragging');
  };
  this.setPointerCapture(event.pointerId);
  this.classList.add('px-dragging');
  this.addEventListener('pointermove', follow);
  this.addEventListener('pointerup', stop);
  this.addEventListener('pointercancel', stop);
  this.focus({ preventScroll: true });
  if (area) follow(event);
}

/** A pointer's place in the picture's own pixels. */
export function pointIn(svg: SVGSVGElement, event: MouseEvent): Point {
  const box = svg.getBoundingClientRect();
  const view = svg.viewBox.baseVal;
  return {
    x: ((event.clientX - box.left) / box.width) * view.width,
    y: ((event.clientY - box.top) / box.height) * view.height,
  };
}

function target(
  element: SVGGElement,
  box: { x: number; y: number; width: number; height: number },
) {
  const found = element.querySelector(':scope > .px-target');
  const rect = found ?? document.createElementNS(SVG, 'rect');
  setAll(rect, {
    class: 'px-target',
    x: box.x,
    y: box.y,
    width: box.width,
    height: box.height,
    rx: 8,
  });
  if (!found) element.prepend(rect);
}

function setAll(
  element: Element,
  attributes: Record<string, string | number | boolean | undefined>,
) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value))
      element.setAttribute(name, String(value));
  }
}

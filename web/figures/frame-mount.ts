/** The life of a figure on a page: load, build, draw on every change, clean up. */
import type { Posenc } from 'posenc';
import { actionBar, type ActionBar } from './frame-actions.js';
import type { Theme } from './frame-color.js';
import { drawContext } from './frame-context.js';
import { html, mountControl } from './frame-controls.js';
import { patchHeatmaps, patchNodes, patchPressables } from './frame-dom.js';
import { failureBox, headHtml, languageTag, legendHtml, skeleton } from './frame-html.js';
import { explainFailure, loadPosenc } from './frame-load.js';
import { pointIn } from './frame-press.js';
import type { HeatmapNode } from './frame-picture.js';
import { patchState, type Schema, type State } from './frame-state.js';
import { tableElement } from './frame-table.js';
import type { Drawing, Figure, MountedFigure, MountOptions } from './frame-types.js';
import { pickWords } from './frame-words.js';

const [MIN_WIDTH, MAX_WIDTH] = [280, 760];
/** How long the result must stand still before it is announced, in milliseconds. */
const ANNOUNCE_AFTER = 600;

/** Mounts a figure into `element`. A static picture inside stays until the live one is drawn. */
export function mountFigure<T extends Schema>(
  figure: Figure<T>,
  element: HTMLElement,
  options: MountOptions<T>,
): MountedFigure<T> {
  let live: LiveFigure<T> | undefined;
  let state = patchState(figure.state, figure.initial, options.state ?? {});
  let destroyed = false;

  const start = async () => {
    if (!element.firstChild) element.replaceChildren(skeleton(figure, options.lang));
    try {
      const posenc = options.posenc ?? (await loadPosenc(figure.variant ?? 'simd'));
      if (destroyed) return;
      live = new LiveFigure(figure, element, options, posenc, state);
    } catch (error) {
      if (destroyed) return;
      element.querySelector('.px-failure')?.remove();
      const retry = () => void start();
      element.prepend(failureBox(explainFailure(error), options.lang, retry));
      element.querySelector('.px-loading')?.remove();
    }
  };
  void start();

  return {
    update(patch) {
      if (live) live.update(patch);
      else state = patchState(figure.state, state, patch);
    },
    destroy() {
      destroyed = true;
      live?.destroy();
      element.replaceChildren();
    },
  };
}

class LiveFigure<T extends Schema> {
  private readonly figure: Figure<T>;
  private readonly options: MountOptions<T>;
  private readonly posenc: Posenc;
  private state: State<T>;
  private readonly pick;
  private readonly svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  private readonly picture = document.createElementNS('http://www.w3.org/2000/svg', 'g');
  private readonly handles = document.createElementNS('http://www.w3.org/2000/svg', 'g');
  private readonly stage = html('div', { class: 'px-stage' });
  private readonly tip = html('div', { class: 'px-tip', 'aria-hidden': 'true', hidden: '' });
  private readonly legend = html('ul', { class: 'px-legend' });
  private readonly sentence = html('p', { class: 'px-sentence', 'aria-hidden': 'true' });
  private readonly announced = html('p', { class: 'px-sr', 'aria-live': 'polite' });
  private readonly tableBox = html('div', { class: 'px-table', hidden: '' });
  private readonly root: HTMLElement;
  private readonly controls;
  private readonly bar: ActionBar;
  private readonly cleanup: (() => void)[] = [];
  private maps: HeatmapNode[] = [];
  private drawing!: Drawing;
  private width = MAX_WIDTH;
  private frame = 0;
  private announceTimer = 0;

  constructor(
    figure: Figure<T>,
    element: HTMLElement,
    options: MountOptions<T>,
    posenc: Posenc,
    state: State<T>,
  ) {
    this.figure = figure;
    this.options = options;
    this.posenc = posenc;
    this.state = state;
    const { lang } = options;
    this.pick = (words: Parameters<typeof pickWords>[0]) => pickWords(words, lang);
    this.svg.setAttribute('role', 'group');
    this.svg.setAttribute('aria-label', this.pick(figure.title));
    this.picture.setAttribute('aria-hidden', 'true');
    this.svg.append(this.picture, this.handles);
    this.stage.append(this.svg, this.tip);
    this.controls = figure.controls.map((control) =>
      mountControl(control as Parameters<typeof mountControl>[0], {
        key: figure.key,
        lang,
        schema: figure.state,
        pick: this.pick,
        number: this.context().number,
        state: () => this.state,
        change: (patch) => this.change(patch as Partial<State<T>>),
      }),
    );
    this.root = html(
      'figure',
      { class: 'px-figure', 'aria-labelledby': `${figure.key}-title`, lang: languageTag(lang) },
      this.stage,
      this.legend,
      html('div', { class: 'px-controls' }, ...this.controls.map((control) => control.element)),
      this.sentence,
      this.announced,
    );
    this.root.insertAdjacentHTML('afterbegin', headHtml(figure, lang));
    this.bar = actionBar(
      {
        figure: figure as unknown as Figure,
        lang,
        root: this.root,
        state: () => this.state,
        drawing: () => this.drawing,
        width: () => this.width,
        theme: () => this.theme(),
        showTable: (shown) => this.showTable(shown),
      },
      () => this.change(figure.initial),
    );
    this.root.append(this.bar.element, this.tableBox);
    if (this.controls.length === 0) this.root.querySelector('.px-controls')!.remove();

    // The first drawing happens before anything on the page changes: an error leaves the page as it was.
    this.width = clampWidth(element.clientWidth);
    this.draw();
    element.replaceChildren(this.root);
    this.measure();
    this.watch();
  }

  update(patch: Partial<State<T>>): void {
    this.state = patchState(this.figure.state, this.state, patch);
    this.schedule();
  }

  destroy(): void {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.announceTimer);
    for (const undo of this.cleanup) undo();
  }

  private change(patch: Partial<State<T>>): void {
    this.update(patch);
    this.options.onState?.(this.state);
  }

  private schedule(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  private theme(): Theme {
    return document.documentElement.classList.contains('dark') ? 'dark' : 'light';
  }

  private context() {
    const { posenc, width } = this;
    return drawContext({ posenc, lang: this.options.lang, width });
  }

  private draw(): void {
    const { svg, width } = this;
    const theme = this.theme();
    this.drawing = this.figure.draw(this.state, this.context());
    const { height, nodes, handles = [], legend = [], sentence } = this.drawing;
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.stage.style.setProperty('--px-aspect', String(width / height));
    patchNodes(this.picture, nodes, theme);
    const change = (patch: object) => this.change(patch);
    patchPressables(this.handles, handles, theme, { pick: this.pick, change });
    this.maps = patchHeatmaps(this.stage, nodes, theme, { width, height });
    const items = legend.map((item) => legendHtml(item, this.pick)).join('');
    if (this.legend.innerHTML !== items) this.legend.innerHTML = items;
    this.legend.hidden = legend.length === 0;
    for (const control of this.controls) control.show();
    this.sentence.textContent = this.pick(sentence);
    this.bar.show();
    if (!this.tableBox.hidden) this.showTable(true);
    clearTimeout(this.announceTimer);
    this.announceTimer = window.setTimeout(() => {
      this.announced.textContent = this.sentence.textContent;
    }, ANNOUNCE_AFTER);
  }

  private showTable(shown: boolean): void {
    this.tableBox.hidden = !shown;
    const { figure, options, drawing } = this;
    this.tableBox.replaceChildren(
      ...(shown ? [tableElement(drawing.table, this.pick(figure.title), options.lang)] : []),
    );
  }

  private measure(): void {
    const width = clampWidth(this.stage.clientWidth);
    if (width === this.width) return;
    this.width = width;
    this.draw();
  }

  private watch(): void {
    const resize = new ResizeObserver(() => this.measure());
    resize.observe(this.stage);
    const theme = new MutationObserver(() => this.schedule());
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ['class'] });
    // Printing may have changed the theme, and does not wait for the next frame.
    const print = () => this.draw();
    addEventListener('beforeprint', print);
    const point = (event: PointerEvent) => this.point(event);
    const leave = () => (this.tip.hidden = true);
    this.stage.addEventListener('pointermove', point);
    this.stage.addEventListener('pointerdown', point);
    this.stage.addEventListener('pointerleave', leave);
    this.cleanup.push(
      () => resize.disconnect(),
      () => theme.disconnect(),
      () => removeEventListener('beforeprint', print),
    );
  }

  /** Shows the value of the heat map's cell under the pointer. */
  private point(event: PointerEvent): void {
    const { x, y } = pointIn(this.svg, event);
    const map = this.maps.find(
      (m) => m.cell && x >= m.x && x < m.x + m.width && y >= m.y && y < m.y + m.height,
    );
    this.tip.hidden = !map;
    if (!map) return;
    const row = Math.floor(((y - map.y) / map.height) * map.rows);
    const column = Math.floor(((x - map.x) / map.width) * map.columns);
    this.tip.textContent = map.cell!(row, column);
    this.tip.style.left = `${(x / this.width) * 100}%`;
    this.tip.style.top = `${(y / this.drawing.height) * 100}%`;
    this.tip.classList.toggle('px-tip-left', x > this.width / 2);
  }
}

const clampWidth = (width: number) =>
  Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, Math.round(width || MAX_WIDTH)));

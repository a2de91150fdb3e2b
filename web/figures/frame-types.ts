/** What a figure is made of: its text, state, controls, and the picture it draws. */
import type { Posenc } from 'posenc';
import type { PictureNode, Pressable } from './frame-picture.js';
import type { Schema, State } from './frame-state.js';

/** The two languages of the project. */
export type Language = 'zh' | 'en';

/** A text in both languages, or one string when both are the same (a formula, a number). */
export type Words = string | Readonly<Record<Language, string>>;

/** Formats with fixed decimals and a true minus sign. */
export type FormatNumber = (value: number, digits?: number) => string;

/** Where and for whom a picture is drawn. */
export interface DrawContext {
  /** The loaded module, build `simd`: the same bits on every machine. */
  readonly posenc: Posenc;
  readonly lang: Language;
  /** Width of the picture in CSS pixels, 296 … 760. */
  readonly width: number;
  /** True below 520 px. */
  readonly narrow: boolean;
  readonly number: FormatNumber;
  /** The words of this language. */
  readonly pick: (words: Words) => string;
}

/** The numbers of a picture: shown by the table button, written by the CSV export. */
export interface Table {
  readonly columns: readonly Words[];
  readonly rows: readonly (readonly (Words | number)[])[];
  /** Decimals on screen; the CSV keeps all digits. Default 4. */
  readonly digits?: number;
}

/** One line of the legend; `sym` lights the marks and formula symbols of that name. */
export interface LegendItem {
  readonly label: Words;
  readonly color: string;
  readonly mark: 'line' | 'dash' | 'dot' | 'box';
  readonly sym?: string;
}

/** What `draw` returns. */
export interface Drawing {
  /** Height in CSS pixels. */
  readonly height: number;
  /** The picture. Hidden from assistive technology: say it in `sentence`, `table` and `handles`. */
  readonly nodes: readonly PictureNode[];
  /** What can be dragged or pressed, drawn on top. */
  readonly handles?: readonly Pressable[];
  /** The result in words; announced politely. */
  readonly sentence: Words;
  readonly table: Table;
  readonly legend?: readonly LegendItem[];
}

interface ControlBase<Name extends string> {
  readonly name: Name;
  readonly label: Words;
}

/** A control below the picture, bound to the state value of the same name. */
export type Control<S = Record<string, unknown>> =
  | (ControlBase<string> & {
      readonly kind: 'slider';
      readonly log: boolean;
      readonly step: number;
      readonly page: number;
      readonly format?: (value: number, number: FormatNumber) => string;
    })
  | (ControlBase<string> & { readonly kind: 'toggle' })
  | (ControlBase<string> & {
      readonly kind: 'segmented';
      readonly choices: Readonly<Record<string, Words>>;
    })
  | (ControlBase<string> & { readonly kind: 'text'; readonly placeholder: Words })
  | (ControlBase<string> & {
      readonly kind: 'action';
      readonly run: (state: S, lang: Language) => Partial<S>;
    });

/** The part of a figure that its author writes. */
export interface FigureDefinition<T extends Schema> {
  /** File name, and the id in `<Figure id="…" />`. */
  readonly id: string;
  /** Name of the figure in the URL hash, `f10`; also the id of its element. */
  readonly key: string;
  /** The claim. */
  readonly title: Words;
  /** The point in one sentence; true before anything is touched. */
  readonly caption: Words;
  /** The build that holds the figure's encodings, `simd` unless told; `lite` loads faster. */
  readonly variant?: 'lite';
  readonly state: T;
  /** At most three, and at most one action besides. */
  readonly controls: readonly Control<State<T>>[];
  /** A pure function: it also runs in Node, where it makes the static picture. */
  draw(state: State<T>, context: DrawContext): Drawing;
}

/** Options of `mount`. */
export interface MountOptions<T extends Schema> {
  lang: Language;
  /** Values that differ from the initial ones. */
  state?: Partial<State<T>>;
  /** Told after every change that the reader makes. */
  onState?: (state: State<T>) => void;
  /** A loaded module; by default the page's own, loaded on first use. */
  posenc?: Posenc;
}

/** A mounted figure. */
export interface MountedFigure<T extends Schema> {
  update(state: Partial<State<T>>): void;
  destroy(): void;
}

/** A figure that can be mounted, drawn without a page, and written into a link. */
export interface Figure<T extends Schema = Schema> extends FigureDefinition<T> {
  readonly initial: State<T>;
  /** `m:7,lock:1` → state. Never throws: unknown keys are ignored, bad values clamped or left initial. */
  parse(text: string): State<T>;
  /** State → `m:7,lock:1`; values that equal the initial ones are left out. */
  serialize(state: State<T>): string;
  mount(element: HTMLElement, options: MountOptions<T>): MountedFigure<T>;
}

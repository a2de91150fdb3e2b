/** The controls below a picture: native inputs, so that keyboard and screen readers work as everywhere else. */
import type { Control, FormatNumber, Language, Words } from './frame-types.js';
import type { Schema } from './frame-state.js';

/** What a control needs to know of its figure. */
export interface ControlHost {
  readonly key: string;
  readonly lang: Language;
  readonly schema: Schema;
  readonly pick: (words: Words) => string;
  readonly number: FormatNumber;
  readonly state: () => Readonly<Record<string, unknown>>;
  readonly change: (patch: Readonly<Record<string, unknown>>) => void;
}

/** A control on the page; `show` brings it in line with the state. */
export interface MountedControl {
  readonly element: HTMLElement;
  show(): void;
}

type Kind<K extends Control['kind']> = Extract<Control, { kind: K }>;

/** Steps of a slider whose scale is logarithmic. */
const LOG_STEPS = 200;

/** A slider bound to a number of the state. `log`: equal factors are equal steps. */
export const slider = (
  name: string,
  label: Words,
  options: { log?: boolean; step?: number; page?: number; format?: Kind<'slider'>['format'] } = {},
): Kind<'slider'> => ({
  kind: 'slider',
  name,
  label,
  log: options.log ?? false,
  step: options.step ?? 1,
  page: options.page ?? 0,
  ...(options.format && { format: options.format }),
});

/** A switch bound to a flag of the state. */
export const toggle = (name: string, label: Words): Kind<'toggle'> => ({
  kind: 'toggle',
  name,
  label,
});

/** A choice between few names, all visible. */
export const segmented = (
  name: string,
  label: Words,
  choices: Readonly<Record<string, Words>>,
): Kind<'segmented'> => ({ kind: 'segmented', name, label, choices });

/** A line of text. */
export const textInput = (
  name: string,
  label: Words,
  options: { placeholder?: Words } = {},
): Kind<'text'> => ({ kind: 'text', name, label, placeholder: options.placeholder ?? '' });

/** A button that changes the state. */
export const action = <S>(
  name: string,
  label: Words,
  run: (state: S, lang: Language) => Partial<S>,
): Extract<Control<S>, { kind: 'action' }> => ({ kind: 'action', name, label, run });

/** Puts a control on the page. */
export function mountControl(control: Control, host: ControlHost): MountedControl {
  switch (control.kind) {
    case 'slider':
      return mountSlider(control, host);
    case 'toggle':
      return mountToggle(control, host);
    case 'segmented':
      return mountSegmented(control, host);
    case 'text':
      return mountText(control, host);
    case 'action':
      return mountAction(control, host);
  }
}

function mountSlider(control: Kind<'slider'>, host: ControlHost): MountedControl {
  const { name, log, step, page } = control;
  const { low = 0, high = 1 } = host.schema[name]!;
  const ratio = Math.log(high / low);
  const toInput = (value: number) => (log ? (Math.log(value / low) / ratio) * LOG_STEPS : value);
  const fromInput = (raw: number) => (log ? low * Math.exp((raw / LOG_STEPS) * ratio) : raw);
  const input = html('input', {
    type: 'range',
    id: `${host.key}-${name}`,
    min: String(log ? 0 : low),
    max: String(log ? LOG_STEPS : high),
    step: String(log ? 1 : step),
  });
  const output = html('output', { for: input.id, class: 'px-control-value' });
  const label = html('label', { for: input.id }, host.pick(control.label));
  input.addEventListener('input', () => host.change({ [name]: fromInput(Number(input.value)) }));
  input.addEventListener('keydown', (event) => {
    const sign = event.key === 'PageUp' ? 1 : event.key === 'PageDown' ? -1 : 0;
    if (!sign || !page) return;
    event.preventDefault();
    host.change({ [name]: fromInput(Number(input.value) + sign * page) });
  });
  return {
    element: html('div', { class: 'px-control px-control-slider' }, label, output, input),
    show() {
      const value = host.state()[name] as number;
      const written = control.format ? control.format(value, host.number) : String(value);
      input.value = String(toInput(value));
      input.style.setProperty(
        '--px-fill',
        `${(100 * (Number(input.value) - Number(input.min))) / (Number(input.max) - Number(input.min))}%`,
      );
      input.setAttribute('aria-valuetext', written);
      output.textContent = written;
    },
  };
}

function mountToggle({ name, label }: Kind<'toggle'>, host: ControlHost): MountedControl {
  const button = html(
    'button',
    { type: 'button', role: 'switch', class: 'px-switch' },
    html('span', { class: 'px-switch-track', 'aria-hidden': 'true' }),
    html('span', {}, host.pick(label)),
  );
  button.addEventListener('click', () => host.change({ [name]: !host.state()[name] }));
  return {
    element: html('div', { class: 'px-control' }, button),
    show: () => button.setAttribute('aria-checked', String(host.state()[name])),
  };
}

function mountSegmented(control: Kind<'segmented'>, host: ControlHost): MountedControl {
  const { name, choices } = control;
  const inputs = Object.entries(choices).map(([value, words]) => {
    const input = html('input', { type: 'radio', name: `${host.key}-${name}`, value });
    input.addEventListener('change', () => host.change({ [name]: value }));
    return { input, label: html('label', {}, input, html('span', {}, host.pick(words))) };
  });
  return {
    element: html(
      'fieldset',
      { class: 'px-control px-segmented' },
      html('legend', {}, host.pick(control.label)),
      html('div', { class: 'px-segments' }, ...inputs.map(({ label }) => label)),
    ),
    show: () => inputs.forEach(({ input }) => (input.checked = input.value === host.state()[name])),
  };
}

function mountText(control: Kind<'text'>, host: ControlHost): MountedControl {
  const { name } = control;
  const input = html('input', {
    type: 'text',
    id: `${host.key}-${name}`,
    placeholder: host.pick(control.placeholder),
    autocomplete: 'off',
    spellcheck: 'false',
  });
  // While an input method composes (Chinese), the text in the field is not yet the reader's.
  let composing = false;
  const send = () => !composing && host.change({ [name]: input.value });
  input.addEventListener('compositionstart', () => (composing = true));
  input.addEventListener('compositionend', () => {
    composing = false;
    send();
  });
  input.addEventListener('input', send);
  return {
    element: html(
      'div',
      { class: 'px-control px-control-text' },
      html('label', { for: input.id }, host.pick(control.label)),
      input,
    ),
    show() {
      const value = host.state()[name] as string;
      if (!composing && input.value !== value) input.value = value;
    },
  };
}

function mountAction(control: Kind<'action'>, host: ControlHost): MountedControl {
  const button = html(
    'button',
    { type: 'button', class: 'px-button px-action' },
    host.pick(control.label),
  );
  button.addEventListener('click', () => host.change(control.run(host.state(), host.lang)));
  return { element: html('div', { class: 'px-control' }, button), show() {} };
}

/** An HTML element. */
export function html<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

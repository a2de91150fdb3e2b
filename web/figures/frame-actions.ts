/** The row of buttons under every figure. */
import type { Theme } from './frame-color.js';
import { html } from './frame-controls.js';
import { exportFigure } from './frame-export.js';
import type { Drawing, Figure, Language, Words } from './frame-types.js';
import { FRAME_WORDS } from './frame-words.js';

/** What the buttons need to know of their figure. */
export interface ActionHost {
  readonly figure: Figure;
  readonly lang: Language;
  readonly root: HTMLElement;
  readonly state: () => Readonly<Record<string, unknown>>;
  readonly drawing: () => Drawing;
  readonly width: () => number;
  readonly theme: () => Theme;
  readonly showTable: (shown: boolean) => void;
}

export interface ActionBar {
  readonly element: HTMLElement;
  /** Brings the buttons in line with the state. */
  show(): void;
}

/** Icons on a 16 × 16 grid, drawn with a line. */
const ICONS = {
  reset: 'M3.5 8a4.5 4.5 0 1 0 1.6-3.4M3.2 2.6v2.6h2.6',
  link: 'M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2-2a2.6 2.6 0 0 0-3.7-3.7l-.8.8M9.2 6.8a2.6 2.6 0 0 0-3.7 0l-2 2a2.6 2.6 0 0 0 3.7 3.7l.8-.8',
  table: 'M2.5 3h11v10h-11zM2.5 6.3h11M2.5 9.6h11M6.5 3v10',
  save: 'M8 2.5v7M5 6.8l3 3 3-3M3 13h10',
  full: 'M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3',
};

/** How long “Link copied” stays, in milliseconds. */
const NOTICE_FOR = 2500;

/** Reset, link, table, exports, full screen. */
export function actionBar(host: ActionHost, onReset: () => void): ActionBar {
  const { figure, lang, root } = host;
  const notice = html('span', { class: 'px-notice', role: 'status' });
  let noticeTimer = 0;
  const say = (words: Words) => {
    notice.textContent = typeof words === 'string' ? words : words[lang];
    clearTimeout(noticeTimer);
    noticeTimer = window.setTimeout(() => (notice.textContent = ''), NOTICE_FOR);
  };

  const reset = iconButton('reset', FRAME_WORDS.reset[lang], onReset);
  const copyLink = async () => {
    const url = figureLink(figure, host.state());
    history.replaceState(history.state, '', url);
    try {
      await navigator.clipboard.writeText(url);
      say(FRAME_WORDS.copied);
    } catch {
      say(FRAME_WORDS.notCopied);
    }
  };
  const link = iconButton('link', FRAME_WORDS.copyLink[lang], () => void copyLink());
  const table = iconButton('table', FRAME_WORDS.table[lang], () => {
    const shown = table.getAttribute('aria-expanded') !== 'true';
    table.setAttribute('aria-expanded', String(shown));
    host.showTable(shown);
  });
  table.setAttribute('aria-expanded', 'false');

  const save = async (kind: 'png' | 'svg' | 'csv') => {
    try {
      await exportFigure(kind, host);
    } catch {
      say(FRAME_WORDS.exportFailed);
    }
  };
  const exports = (['png', 'svg', 'csv'] as const).map((kind) =>
    iconButton(
      'save',
      kind.toUpperCase(),
      () => void save(kind),
      `${FRAME_WORDS.exportAs[lang]} ${kind.toUpperCase()}`,
    ),
  );
  const buttons = [reset, link, table, ...exports];
  if (document.fullscreenEnabled) {
    const toggleFull = () =>
      document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen();
    buttons.push(iconButton('full', FRAME_WORDS.fullScreen[lang], () => void toggleFull()));
  }
  return {
    element: html('div', { class: 'px-actions' }, ...buttons, notice),
    show: () => reset.toggleAttribute('disabled', figure.serialize(host.state()) === ''),
  };
}

/** A link that opens the page at this figure in this state. */
export function figureLink(figure: Figure, state: Readonly<Record<string, unknown>>): string {
  const written = figure.serialize(state);
  const hash = written ? `${figure.key}=${written}` : figure.key;
  return `${location.href.split('#')[0]}#${hash}`;
}

function iconButton(
  icon: keyof typeof ICONS,
  label: string,
  press: () => void,
  name = label,
): HTMLButtonElement {
  const button = html(
    'button',
    { type: 'button', class: `px-button px-icon-${icon}` },
    html('span', {}, label),
  );
  button.insertAdjacentHTML(
    'afterbegin',
    `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[icon]}"/></svg>`,
  );
  if (name !== label) button.setAttribute('aria-label', name);
  button.addEventListener('click', press);
  return button;
}

/** The numbers of a picture as an accessible table and as CSV. */
import { html } from './frame-controls.js';
import type { Language, Table } from './frame-types.js';
import { FRAME_WORDS, formatNumber, pickWords } from './frame-words.js';

/** A table that scrolls inside its own box and can be reached with the keyboard. */
export function tableElement(table: Table, title: string, lang: Language): HTMLElement {
  const { columns, rows, digits = 4 } = table;
  const cell = (value: Table['rows'][number][number], place: number) => {
    const written =
      typeof value !== 'number'
        ? pickWords(value, lang)
        : formatNumber(value, Number.isInteger(value) ? 0 : digits);
    return place === 0 ? html('th', { scope: 'row' }, written) : html('td', {}, written);
  };
  const head = columns.map((column) => html('th', { scope: 'col' }, pickWords(column, lang)));
  return html(
    'div',
    {
      class: 'px-table-scroll',
      role: 'region',
      tabindex: '0',
      'aria-label': `${title} · ${FRAME_WORDS.scrollTable[lang]}`,
    },
    html(
      'table',
      {},
      html('thead', {}, html('tr', {}, ...head)),
      html('tbody', {}, ...rows.map((row) => html('tr', {}, ...row.map(cell)))),
    ),
  );
}

/** RFC 4180, all digits of every number. */
export function tableCsv({ columns, rows }: Table, lang: Language): string {
  const field = (value: Table['rows'][number][number]) => {
    const written = typeof value === 'number' ? String(value) : pickWords(value, lang);
    return /[",\r\n]/.test(written) ? `"${written.replaceAll('"', '""')}"` : written;
  };
  return [columns, ...rows].map((row) => row.map(field).join(',')).join('\r\n') + '\r\n';
}

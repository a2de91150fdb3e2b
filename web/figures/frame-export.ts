/** Files made from a figure: SVG, PNG, CSV. */
import type { ActionHost } from './frame-actions.js';
import { svgText } from './frame-svg.js';
import { tableCsv } from './frame-table.js';
import type { Figure } from './frame-types.js';

/** What is known of a picture that is saved. */
export type ExportHost = Pick<ActionHost, 'lang' | 'root' | 'drawing' | 'width' | 'theme'> & {
  readonly figure: Pick<Figure, 'id' | 'title'>;
};

/** PNG pixels per CSS pixel. */
const PNG_SCALE = 2;
const MARGIN = 16;

/** Saves what is drawn now. */
export async function exportFigure(kind: 'png' | 'svg' | 'csv', host: ExportHost): Promise<void> {
  const name = `posenc-${host.figure.id}.${kind}`;
  if (kind === 'csv') {
    // The byte order mark lets spreadsheet programs see that this is UTF-8.
    const csv = `\ufeff${tableCsv(host.drawing().table, host.lang)}`;
    return saveFile(new Blob([csv], { type: 'text/csv;charset=utf-8' }), name);
  }
  const svg = exportSvg(host);
  if (kind === 'svg') return saveFile(new Blob([svg.text], { type: 'image/svg+xml' }), name);
  saveFile(await rasterize(svg), name);
}

interface SvgFile {
  readonly text: string;
  readonly width: number;
  readonly height: number;
}

/** The picture as a file of its own: no variables, no style sheet outside. */
function exportSvg(host: ExportHost): SvgFile {
  const { figure, lang, root, theme } = host;
  const drawing = host.drawing();
  const width = host.width() + 2 * MARGIN;
  const height = drawing.height + 2 * MARGIN;
  const tokens = getComputedStyle(root);
  const value = (name: string) => tokens.getPropertyValue(name).trim();
  const title = typeof figure.title === 'string' ? figure.title : figure.title[lang];
  const style = `<style>${pictureRules()}</style>`;
  const background =
    `<rect x="${-MARGIN}" y="${-MARGIN}" width="${width}" height="${height}" ` +
    `fill="${value('--px-panel')}"/>`;
  const text = svgText(drawing, {
    width: host.width(),
    title,
    theme: theme(),
    before: style + background,
    margin: MARGIN,
  }).replace(/var\((--[\w-]+)\)/g, (_, token: string) => value(token) || 'currentColor');
  return { text, width, height };
}

/** The rules of `frame.css` for what is inside a picture, without their prefix. */
function pictureRules(): string {
  const prefix = /\.px-stage (?=svg)/g;
  const found = [];
  for (const sheet of document.styleSheets)
    for (const rule of sheet.cssRules)
      if (rule instanceof CSSStyleRule && rule.selectorText.startsWith('.px-stage svg'))
        found.push(rule.cssText.replace(prefix, ''));
  return found.join('');
}

async function rasterize({ text, width, height }: SvgFile): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = width * PNG_SCALE;
    canvas.height = height * PNG_SCALE;
    canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no PNG encoder')))),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Offers bytes as a download. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download starts after this task; the address must live that long.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

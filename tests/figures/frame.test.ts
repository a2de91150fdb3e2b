/** The parts of the frame that need no browser. */
import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { colorIndex, colorTable, luminance, resolveColor } from '../../web/figures/frame-color.js';
import { explainFailure } from '../../web/figures/frame-load.js';
import { parseHash, writeHash } from '../../web/figures/frame-page.js';
import { keyValue } from '../../web/figures/frame-press.js';
import { encodePng } from '../../web/figures/frame-png.js';
import { svgText } from '../../web/figures/frame-svg.js';
import { tableCsv } from '../../web/figures/frame-table.js';
import { formatNumber } from '../../web/figures/frame-words.js';
import {
  defineFigure,
  el,
  heatmap,
  mapColor,
  mapInk,
  path,
  scaleLinear,
  scaleLog,
  toggle,
} from '../../web/figures/frame.js';
import { figures } from '../../web/figures/index.js';

const contrast = (a: number, b: number) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);

describe('tokens', () => {
  const css = readFileSync(new URL('../../web/figures/frame-tokens.css', import.meta.url), 'utf8');
  const rules = { light: /:root \{(.*?)\}/s, dark: /:root\.dark \{(.*?)\}/s };
  it.each(['light', 'dark'] as const)('are readable on paper and panel (%s)', (theme) => {
    const tokens = new Map<string, number>();
    for (const [, name, hex] of rules[theme].exec(css)![1]!.matchAll(/--px-([\w-]+): #(\w{6});/g))
      tokens.set(name!, luminance([0, 2, 4].map((i) => parseInt(hex!.slice(i, i + 2), 16))));
    const inks = [...tokens.keys()].filter((name) => !/paper|panel|line|grid|soft/.test(name));
    expect(inks.length).toBeGreaterThan(15);
    for (const ink of inks)
      for (const ground of ['paper', 'panel', 'accent-soft'])
        expect({ ink, ok: contrast(tokens.get(ink)!, tokens.get(ground)!) >= 4.5 }).toEqual({
          ink,
          ok: true,
        });
  });
});

describe('maps', () => {
  it.each(['light', 'dark'] as const)('change steadily in lightness (%s)', (theme) => {
    const lightness = (name: 'sequential' | 'diverging', i: number) =>
      luminance([...colorTable(name, theme).subarray(i * 3, i * 3 + 3)]);
    const rises = theme === 'dark';
    for (let i = 1; i < 256; i++) {
      const step = lightness('sequential', i) - lightness('sequential', i - 1);
      expect(rises ? step : -step).toBeGreaterThan(-2e-3);
    }
    const ends = [lightness('sequential', 0), lightness('sequential', 255)] as const;
    expect(ends[1] > ends[0]).toBe(rises);
    // Zero stands out from both ends in lightness alone.
    for (const end of [0, 255])
      expect(contrast(lightness('diverging', 127), lightness('diverging', end))).toBeGreaterThan(
        4.5,
      );
  });

  it('has readable ink on every colour', () => {
    for (const theme of ['light', 'dark'] as const)
      for (let t = 0; t <= 1; t += 1 / 64) {
        const ground = /\d+,\d+,\d+/.exec(resolveColor(mapColor('diverging', t), theme))![0];
        const ink = resolveColor(mapInk('diverging', t), theme) === '#000' ? 0 : 1;
        expect(contrast(luminance(ground.split(',').map(Number)), ink)).toBeGreaterThanOrEqual(4.5);
      }
  });

  it('clamps values and leaves other colours alone', () => {
    expect(colorIndex(-9, -1, 1)).toBe(0);
    expect(colorIndex(9, -1, 1)).toBe(255);
    expect(resolveColor('var(--px-q)', 'dark')).toBe('var(--px-q)');
  });
});

describe('pictures', () => {
  it('become PNG data that inflates to the pixels', () => {
    const png = encodePng(
      3,
      2,
      Uint8Array.of(0, 1, 2, 3, 4, 255),
      colorTable('diverging', 'light'),
    );
    const at = Buffer.from(png).indexOf('IDAT');
    const length = new DataView(png.buffer).getUint32(at - 4);
    const rows = inflateSync(png.subarray(at + 4, at + 4 + length));
    expect([...rows]).toEqual([0, 0, 1, 2, 0, 3, 4, 255]);
  });

  it('of many pixels use several blocks', () => {
    const png = encodePng(
      300,
      300,
      new Uint8Array(90_000).fill(7),
      colorTable('diverging', 'light'),
    );
    const at = Buffer.from(png).indexOf('IDAT');
    const length = new DataView(png.buffer).getUint32(at - 4);
    expect(inflateSync(png.subarray(at + 4, at + 4 + length))).toHaveLength(300 * 301);
  });

  it('are written as SVG with everything escaped', () => {
    const node = el('text', { x: 1 / 3, 'data-x': '"<&', hidden: false }, 'a < b', [
      null,
      false,
      7,
    ]);
    const map = heatmap({
      ...{ key: 'm', x: 0, y: 0, width: 8, height: 8, rows: 1, columns: 2 },
      ...{ values: [0, NaN], low: 0, high: 1, map: 'sequential' as const },
    });
    const drawing = {
      height: 10,
      nodes: [node, map],
      sentence: '',
      table: { columns: [], rows: [] },
    };
    const text = svgText(drawing, { width: 20, title: 'a "title"', theme: 'light' });
    expect(text).toContain('<text x="0.33" data-x="&#34;&#60;&#38;">a &#60; b7</text>');
    expect(text).toContain('href="data:image/png;base64,');
    expect(text).toContain('aria-label="a &#34;title&#34;"');
  });

  it('interrupt a line at holes', () => {
    const points = [0, 1, NaN, 3, 4].map((y, x) => ({ x, y }));
    expect(path(points)).toBe('M0,0L1,1M3,3L4,4');
  });
});

describe('scales', () => {
  it('invert', () => {
    for (const scale of [scaleLinear([2, 10], [0, 100]), scaleLog([1, 1e6], [300, 0])])
      for (const value of [2, 3.5, 9]) expect(scale.invert(scale(value))).toBeCloseTo(value, 9);
  });
  it('have round ticks', () => {
    expect(scaleLinear([0, 63], [0, 1]).ticks(6)).toEqual([0, 20, 40, 60]);
    expect(scaleLinear([-1, 1], [0, 1]).ticks(4)).toEqual([-1, -0.5, 0, 0.5, 1]);
    expect(scaleLog([1, 1e6], [0, 1]).ticks(4)).toEqual([1, 100, 10_000, 1_000_000]);
  });
});

describe('keys', () => {
  const slider = { value: 5, min: 0, max: 10, step: 1, page: 4 };
  it.each([
    ['ArrowRight', 6],
    ['ArrowUp', 6],
    ['ArrowLeft', 4],
    ['ArrowDown', 4],
    ['PageUp', 9],
    ['PageDown', 1],
    ['Home', 0],
    ['End', 10],
    ['x', undefined],
  ])('%s', (key, value) => {
    expect(keyValue(key, slider)).toBe(value);
  });
  it('go down where a picture grows downwards', () => {
    expect(keyValue('ArrowDown', { ...slider, up: 'less' })).toBe(6);
  });
  it('stop at the ends', () => {
    expect(keyValue('PageUp', { ...slider, value: 9 })).toBe(10);
  });
});

describe('links', () => {
  it('hold several figures and ignore the rest', () => {
    const states = parseHash('#f10=m:7,lock:1&heading&f3&x=1&f1=text:a%26b');
    expect([...states]).toEqual([
      ['f10', 'm:7,lock:1'],
      ['f3', ''],
      ['f1', 'text:a%26b'],
    ]);
    expect(writeHash(states)).toBe('#f10=m:7,lock:1&f1=text:a%26b');
    expect(writeHash(new Map())).toBe('');
  });
});

describe('words', () => {
  it('print numbers with a true minus and no negative zero', () => {
    expect(formatNumber(-0.5537, 3)).toBe('−0.554');
    expect(formatNumber(-0.0001, 2)).toBe('0.00');
    expect(formatNumber(NaN)).toBe('—');
    expect(formatNumber(-Infinity)).toBe('−∞');
  });
  it('write CSV with all digits and quotes where they are needed', () => {
    const table = { columns: ['a', { zh: '乙', en: 'b,c' }], rows: [[1 / 3, 'say "x"']] };
    expect(tableCsv(table, 'en')).toBe('a,"b,c"\r\n0.3333333333333333,"say ""x"""\r\n');
  });
  it.each([
    ['Refused to compile: violates the Content Security Policy', "'wasm-unsafe-eval'"],
    ['the answer is HTML, not WebAssembly', 'application/wasm'],
    ['Failed to fetch dynamically imported module', 'connection'],
    ['out of memory', 'tabs'],
    ['something else', 'Reload'],
  ])('explain “%s”', (message, help) => {
    const { remedy, detail } = explainFailure(new Error(message));
    expect(remedy).toMatchObject({ en: expect.stringContaining(help) as string });
    expect(detail).toBe(message);
  });
});

describe('figures', () => {
  it('stand in the list under their own names', async () => {
    for (const [id, entry] of Object.entries(figures))
      expect(await entry.load()).toMatchObject({ id, key: entry.key });
  });
  it('have three controls at most', () => {
    const control = toggle('a', 'a');
    const definition = {
      ...{ id: 'x', key: 'f0', title: '', caption: '', state: {} },
      controls: [control, control, control, control],
      draw: () => ({ height: 1, nodes: [], sentence: '', table: { columns: [], rows: [] } }),
    };
    expect(() => defineFigure(definition)).toThrow('at most three controls');
  });
});

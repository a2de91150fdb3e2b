/** The parts of the page Inspect that need no browser: its chart, numbers, links, comparison and files. */
import { inspect } from 'posenc';
import type { LayerGroup, Plan } from 'posenc';
import { describe, expect, it } from 'vitest';
import { svgText } from '../../web/figures/frame-svg.js';
import { pairAt, wavelengthChart, CHART_ENDS } from '../../web/figures/wavelength-chart.js';
import { comparePlans, differingFields } from '../../web/site/.vitepress/theme/inspect-compare.js';
import { readConfigFile, type FileError } from '../../web/site/.vitepress/theme/inspect-file.js';
import { parseLink, writeLink } from '../../web/site/.vitepress/theme/inspect-link.js';
import {
  bandsOf,
  coverageOf,
  pairNumbers,
  pairsCsv,
  partnerOf,
  slopesCsv,
} from '../../web/site/.vitepress/theme/inspect-numbers.js';
import {
  presetWithText,
  readConfig,
  textOf,
} from '../../web/site/.vitepress/theme/inspect-read.js';
import { codeOf, layerRanges, shortNumber } from '../../web/site/.vitepress/theme/inspect-words.js';
import { presets } from '../../web/site/presets/index.js';

const planOf = (id: string): Plan => {
  const { config, length } = presets.find((preset) => preset.id === id)!;
  return inspect(config, length === undefined ? {} : { length });
};

const rowsOf = (group: LayerGroup, plan: Plan) =>
  pairNumbers(group, bandsOf(group, plan), coverageOf(group, plan));

describe('presets', () => {
  it.each(presets)('draws $id', ({ id }) => {
    const plan = planOf(id);
    const lines = [{ label: 'l', length: plan.trainedLength!, kind: 'trained' as const }];
    for (const group of plan.layerGroups) {
      if (group.wavelengths.length === 0) continue;
      const { inverseFrequencies, wavelengths, divisors } = group;
      const [bands, coverage] = [bandsOf(group, plan), coverageOf(group, plan)!];
      const pairs = inverseFrequencies.length;
      const data = { pairs, wavelengths, divisors, bands, coverage, lines, chosen: pairs - 1 };
      for (const [width, other] of [
        [240, null],
        [700, [...wavelengths, 1e6]],
      ] as const) {
        const chart = wavelengthChart({ ...data, other }, width, String);
        const drawing = { ...chart, sentence: '', table: { columns: [], rows: [] } };
        const svg = svgText(drawing, { width, title: '', theme: 'light' });
        expect(svg).not.toMatch(/NaN|undefined|Infinity/);
        const guide = wavelengths.length === pairs ? 1 : 0;
        const within = coverage.filter(({ inDistribution }) => inDistribution).length;
        expect(svg.match(/<circle/g)).toHaveLength(wavelengths.length + within + guide);
      }
      const rows = rowsOf(group, plan);
      const unfinished = rows.filter(({ coverage: seen }) => seen !== null && seen.covered < 1);
      if (group.incompletePairs !== null) expect(unfinished).toHaveLength(group.incompletePairs);
    }
  });

  it('have texts that lead back to them', () => {
    for (const preset of presets) expect(presetWithText(textOf(preset))).toBe(preset);
    expect(presetWithText(`${textOf(presets[0]!)} `)).toBeNull();
    expect(new Set(presets.map(({ id }) => id)).size).toBe(presets.length);
  });
});

describe('numbers', () => {
  const plan = planOf('llama-3.1-8b');
  const [group] = plan.layerGroups;

  it('Llama 3.1: the bands of its rule, and pairs that training never turned', () => {
    const rows = rowsOf(group!, plan);
    const count = (kind: string) => rows.filter(({ band }) => band === kind).length;
    expect(['kept', 'blended', 'interpolated'].map(count)).toEqual([29, 6, 29]);
    // 2π·500000^(63/64) = 2559195 positions, eight times as many with the rule.
    expect(rows[63]!.before).toBeCloseTo(2559195.5, 0);
    expect(rows[63]!.after! / rows[63]!.before!).toBeCloseTo(8, 12);
    expect(rows[63]!.coverage!.covered).toBeCloseTo(8192 / 2559195.5, 9);
  });

  it('are copied in full precision', () => {
    const [head, first, ...others] = pairsCsv(rowsOf(group!, plan)).trimEnd().split('\n');
    expect(head!.split(',')).toHaveLength(first!.split(',').length);
    expect(others).toHaveLength(63);
    const frequencies = [first!, ...others].map((line) => Number(line.split(',')[1]));
    expect(frequencies).toEqual(group!.inverseFrequencies);
    const [bloom] = planOf('bloom').layerGroups;
    expect(slopesCsv(bloom!.slopes).split('\n')[1]).toBe(`0,${bloom!.slopes[0]}`);
  });

  it('find the pair under the pointer, and stop at the ends', () => {
    const width = 700;
    const end = width - CHART_ENDS.right;
    expect([-50, CHART_ENDS.left, end, 5000].map((x) => pairAt(x, width, 63))).toEqual([
      ...[0, 0, 63, 63],
    ]);
    expect(pairAt((CHART_ENDS.left + end) / 2, width, 62)).toBe(31);
  });

  it('layers and calls are written shortly', () => {
    expect(layerRanges([0, 1, 2, 5, 7, 8])).toBe('0–2, 5, 7–8');
    expect(layerRanges([])).toBe('');
    expect(shortNumber(2559195.5)).toBe('2559196');
    expect(shortNumber(6.283185)).toBe('6.283');
    const [bloom] = planOf('bloom').layerGroups;
    expect(codeOf(bloom!)).toBe("pe.encoding('alibi', { heads: 112 })");
  });
});

describe('links', () => {
  it.each([
    { model: 'llama-3.1-8b', length: '65536', with: 'gemma-3-4b' },
    { model: null, length: '', with: null },
    { model: 'a b&c=d', length: null, with: '%' },
    { model: null, length: null, with: null },
  ])('parse(write(%o)) is the same', (link) => {
    expect(parseLink(writeLink(link))).toEqual(link);
  });

  it('mean nothing where they are something else', () => {
    const nothing = { model: null, length: null, with: null };
    for (const hash of [
      '',
      '#how-it-decides',
      '#f10=m:7',
      '#length=-1',
      '#length=1e9',
      '#%E0%A4%A',
    ])
      expect(parseLink(hash)).toEqual(nothing);
    expect(writeLink(nothing)).toBe('');
  });
});

describe('comparison', () => {
  const llama = planOf('llama-3.1-8b');
  const gemma = planOf('gemma-3-4b');

  it('of a plan with itself differs nowhere', () => {
    const rows = comparePlans(gemma, gemma, 'en').flatMap((part) => part.rows);
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter(({ differs }) => differs)).toEqual([]);
  });

  it('puts layers of the same type side by side', () => {
    const { layerGroups } = gemma;
    const full = layerGroups.find(({ layerType }) => layerType === 'full_attention')!;
    expect(partnerOf(llama.layerGroups[0]!, llama, gemma)).toBe(full);
    for (const group of layerGroups) expect(partnerOf(group, gemma, gemma)).toBe(group);
    expect(partnerOf(full, gemma, { ...llama, layerGroups: [] })).toBeNull();
  });

  it('marks what differs, in words of the language', () => {
    const [whole, layers] = comparePlans(llama, gemma, 'en');
    const heads = whole!.rows.find(({ name }) => name === 'Width of a head');
    expect(heads).toEqual({ name: 'Width of a head', values: ['128', '256'], differs: true });
    const encoding = layers!.rows.find(({ name }) => name === 'Encoding');
    expect(encoding).toMatchObject({ values: ['RoPE', 'RoPE'], differs: false });
  });

  it('lists fields of the configs that differ', () => {
    const left = '{"a": 1, "b": {"c": [1, 2], "d": "x"}, "e": null}';
    const right = '{"a": 1, "b": {"c": [1, 3], "f": true}, "e": null}';
    expect(differingFields(left, right).map(({ name, values }) => [name, ...values])).toEqual([
      ['b.c', '[1,2]', '[1,3]'],
      ['b.d', '"x"', null],
      ['b.f', null, 'true'],
    ]);
    expect(differingFields('{"a": Infinity}', '{}')).toEqual([]);
  });
});

describe('configs', () => {
  it('are read at the length as typed', () => {
    const text = textOf(presets[0]!);
    expect(readConfig(text, ' 4096 ').plan!.length).toBe(4096);
    expect(readConfig(text, '').plan!.length).toBe(8192);
    expect(readConfig(' ', '')).toEqual({ plan: null, failure: null });
    expect(readConfig(text, 'many').failure).toMatchObject({ argument: 'length' });
    expect(readConfig('{', '').failure!.message).toMatch(/cut off/);
  });

  it('come from files, unless these cannot be configs', async () => {
    expect(await readConfigFile(new File(['{"a": 1}'], 'config.json'))).toBe('{"a": 1}');
    const reason = (file: File) =>
      readConfigFile(file).catch((error: unknown) => (error as FileError).reason);
    expect(await reason(new File(['weights'], 'model.gguf'))).toBe('brokenGguf');
    expect(await reason(new File([new Uint8Array(9 * 2 ** 20)], 'w.bin'))).toBe('tooLarge');
  });
});

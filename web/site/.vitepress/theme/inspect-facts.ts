/** What a plan says, as rows of a word and a value: for the lists of facts and for the comparison. */
import type { LayerGroup, Plan } from 'posenc';
import type { Language } from '../chapters.js';
import {
  encodingName,
  inspectWord,
  layerRanges,
  shortNumber,
  type InspectWord,
} from './inspect-words.js';

export type Fact = readonly [InspectWord, string];

/** The model as a whole. */
export function planFacts(plan: Plan, lang: Language): Fact[] {
  const given = (value: string | number | null) =>
    value === null ? inspectWord(lang, 'unknown') : String(value);
  return [
    ['modelType', given(plan.modelType)],
    ['layers', given(plan.layers)],
    ['heads', `${given(plan.heads)} / ${given(plan.kvHeads)}`],
    ['headDim', given(plan.headDim)],
    ['trained', given(plan.trainedLength)],
    ['claimed', given(plan.effectiveLength)],
    ['asked', given(plan.length)],
  ];
}

/** One group of layers. */
export function groupFacts(group: LayerGroup, { headDim }: Plan, lang: Language): Fact[] {
  const w = (word: InspectWord, ...values: (string | number)[]) =>
    inspectWord(lang, word, ...values);
  const { layout, rotaryDim, base, scaling, window, chunk, sections, buckets, table } = group;
  const { disentangled, distances, patchWindow, convolution } = group;
  const { wavelengths, slopes, attentionFactor, softmaxScale, incompletePairs } = group;
  const rows: (Fact | false)[] = [
    ['encoding', encodingName(group, lang)],
    layout !== null && ['layout', w(layout)],
    rotaryDim !== null && [
      'rotaryDim',
      headDim === null ? `${rotaryDim}` : `${rotaryDim} / ${headDim}`,
    ],
    base !== null && ['base', String(base)],
    scaling !== null && scaling.type !== 'default' && ['scaling', ruleText(scaling)],
    attentionFactor !== null &&
      attentionFactor !== 1 && ['cosFactor', shortNumber(attentionFactor)],
    softmaxScale !== null && ['softmaxScale', shortNumber(softmaxScale)],
    ['window', window === null ? w('noWindow') : String(window)],
    chunk !== null && ['chunk', String(chunk)],
    sections !== null && ['sections', `${sections.sizes.join(' / ')} (${sections.order})`],
    buckets !== null && ['buckets', `${buckets.count}, ≤ ${buckets.maxDistance}`],
    disentangled !== null && ['terms', disentangled.terms.join(' + ')],
    distances !== null && ['terms', distances.terms.join(' + ')],
    distances !== null &&
      distances.maxDistance !== null && ['farthest', String(distances.maxDistance)],
    patchWindow !== null && ['patches', `${patchWindow.side} × ${patchWindow.side}`],
    convolution !== null && ['kernel', String(convolution.kernel)],
    wavelengths.length > 0 && ['wavelengths', ends(wavelengths)],
    wavelengths.length > 0 &&
      incompletePairs !== null && [
        'unfinished',
        w('unfinishedOf', incompletePairs, wavelengths.length),
      ],
    slopes.length > 0 && ['slopes', ends([Math.max(...slopes), Math.min(...slopes)])],
    table !== null && ['table', w('rowsBy', table.positions, table.width)],
  ];
  return rows.filter((row) => row !== false);
}

/** Which layers a group is. */
export function groupTitle({ layers }: LayerGroup, plan: Plan, lang: Language): string {
  if (layers.length === 0) return inspectWord(lang, 'noLayers');
  return layers.length === plan.layers
    ? inspectWord(lang, 'allLayers', layers.length)
    : inspectWord(lang, 'someLayers', layerRanges(layers));
}

const ends = (values: readonly number[]): string =>
  [values[0]!, values.at(-1)!].map(shortNumber).join(' … ');

/** A rule with its parameters; of lists their length. */
function ruleText({ type, parameters }: NonNullable<LayerGroup['scaling']>): string {
  const written = Object.entries(parameters).map(([name, value]) => {
    const short = Array.isArray(value) ? `[${value.length}]` : String(value);
    return `${name} ${short}`;
  });
  return [type, ...written].join(', ');
}

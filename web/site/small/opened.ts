/** A model at work in the worker, and what can be done with its positions. */
import type { ContextOptions, Encoding, LanguageModel, Posenc } from 'posenc';
import type { Language } from '../.vitepress/chapters.js';
import { mistakes, type Mistake, type ModelFacts, type Positions, type Way } from './protocol.js';
import { encodeSymbols, readingOf } from './reading.js';
import { prompts } from './texts.js';

/** A model with the positions of its training. */
export interface Opened {
  readonly model: LanguageModel;
  /** What its calls take where nothing is swapped. */
  readonly options: ContextOptions;
  /** What each id shows, where ids are characters or symbols. */
  readonly symbols: readonly string[] | null;
  /** The page's own text, if it learned that. */
  readonly lesson: Language | null;
  dispose(): void;
}

/** Keys at the beginning that stay in sight of a window. */
export const SINKS = 4;

/** Characters of a beginning that is made up. */
const BEGINNING = 12;

/** Trained length of models whose config does not tell. */
const USUAL_LENGTH = 1024;

/** Options of the RoPE that is a layer's own; `null` where it has none, or another encoding was trained. */
export function ropeOf({ model, options }: Opened, layer = 0): RopeSpec | null {
  if (options.encoding !== undefined) return null;
  const { encodings } = model.spec.decoder!.layers[layer]!;
  return (encodings.find(({ name }) => name === 'rope')?.options as RopeSpec | undefined) ?? null;
}

/** What is read of the options of a model's RoPE. */
export interface RopeSpec {
  readonly headDim: number;
  readonly frequencies?: unknown;
  readonly scaling?: { readonly type: string };
}

/** Rows of a table of positions are added to the input, whatever attention does. */
function hasTable({ model, options }: Opened): boolean {
  if (options.embedding !== undefined) return true;
  try {
    return model.tensor('embedding.position.weight').length > 0;
  } catch {
    return false;
  }
}

/** Names of what acts in the model. */
function encodingsOf(opened: Opened): string[] {
  const given = opened.options.encoding?.(0);
  const own =
    given === undefined ? opened.model.spec.decoder!.layers[0]!.encodings : [given].flat();
  const names = own.map(({ name }) => name as string).filter((name) => name !== 'nope');
  const table = hasTable(opened) ? [opened.options.embedding?.name ?? 'learned'] : [];
  const all = [...table, ...names];
  return all.length > 0 ? all : ['nope'];
}

/** What the page says of a model. */
export function factsOf(opened: Opened, lang: Language, ms: number): ModelFacts {
  const { model, lesson } = opened;
  const { decoder, width, vocabulary } = model.spec;
  const { layers, heads, headDim } = decoder!;
  return {
    ...{ modelType: model.modelType, layers: layers.length, heads, headDim, width, vocabulary },
    ...{ trainedLength: model.trainedLength, bytes: model.bytes, lesson, ms },
    ...{ prompt: beginningOf(opened, lang), reading: readingOf(opened.symbols, lesson ?? lang) },
    encodings: encodingsOf(opened),
    ways: waysOf(opened),
    mistakes: mistakesOf(opened),
  };
}

/** What a reader may begin with, where the usual beginning may hold characters that the model lacks. */
function beginningOf({ symbols, lesson }: Opened, lang: Language): string | null {
  if (symbols === null) return null;
  const usual = prompts[lesson ?? lang];
  const known = [...usual].every((character) => symbols.includes(character));
  return known ? usual : [...readingOf(symbols, lang)].slice(0, BEGINNING).join('');
}

/** Ids of a text. */
export const encode = ({ model, symbols }: Opened, text: string): Int32Array =>
  model.tokenizer === undefined && symbols !== null
    ? encodeSymbols(symbols, text)
    : model.encode(text);

/** Ways that a model can take. */
export function waysOf(opened: Opened): Way[] {
  const rope = ropeOf(opened);
  const stretchable = rope !== null && rope.frequencies === undefined;
  const table = hasTable(opened);
  return [
    'own',
    ...(table ? [] : (['nope'] as const)),
    ...(stretchable ? (['linear', 'dynamic', 'yarn'] as const) : []),
    ...(table ? [] : (['alibi'] as const)),
    'window',
    ...(table ? [] : (['sinks'] as const)),
  ];
}

/**
 * A wrong position can be given to keys that are turned by it, and by nothing else: no table, no
 * frequencies that follow the length, no factor or scale of its own that would be lost.
 */
function mistakesOf(opened: Opened): Mistake[] {
  const { decoder } = opened.model.spec;
  const rope = ropeOf(opened);
  const rule = rope?.scaling?.type ?? 'none';
  const usualScale = Math.abs(decoder!.attentionScale * Math.sqrt(decoder!.headDim) - 1) < 1e-6;
  const plain =
    rope !== null &&
    usualScale &&
    !['dynamic', 'yarn', 'longrope'].includes(rule) &&
    !hasTable(opened);
  return mistakes.filter((mistake) => mistake === 'evict' || plain);
}

/** What the model's calls take for a way. */
export function contextOf(pe: Posenc, opened: Opened, positions: Positions): ContextOptions {
  const { model, options } = opened;
  const { way, factor, window } = positions;
  const { heads } = model.spec.decoder!;
  const originalMaxPosition = model.trainedLength ?? USUAL_LENGTH;
  const all = (encoding: Encoding): ContextOptions => ({ ...options, encoding: () => encoding });
  switch (way) {
    case 'own':
      return options;
    case 'nope':
      return all(pe.encoding('nope'));
    case 'alibi':
      return all(pe.encoding('alibi', { heads }));
    case 'linear':
      return { ...options, scaling: { type: 'linear', factor } };
    case 'dynamic':
    case 'yarn':
      return { ...options, scaling: { type: way, factor, originalMaxPosition } };
    case 'window':
      return { ...options, window };
    case 'sinks':
      return { ...options, window: Math.max(1, window - SINKS), sinks: SINKS, positions: 'slots' };
  }
}

/** What the address of the page Small model remembers: `#model=train-en&way=yarn&layer=1&head=3`. */
import {
  mistakes,
  ways,
  type Dtype,
  type Mistake,
  type Positions,
  type Way,
} from '../../small/protocol.js';

/** Everything that can be chosen on the page. */
export interface SmallSettings {
  /** `train-zh`, `train-en`, `files`, or `recipe/name` of a model that comes with the site. */
  model: string;
  dtype: Dtype;
  prompt: string;
  tokens: number;
  temperature: number;
  /** 0 = all. */
  topK: number;
  topP: number;
  seed: number;
  /** How positions act where the model writes and looks. */
  way: Way;
  factor: number;
  window: number;
  layer: number;
  head: number;
  /** −1 = the last token. */
  query: number;
  /** −1 = the one that the query looks at most. */
  key: number;
  /** Which ways are compared, and which mistakes made. */
  ways: Way[];
  mistakes: Mistake[];
}

/** Longer prompts stay out of addresses. */
const LONGEST_PROMPT = 200;

/** Of every number: lowest, highest, and the step between, if there is one. */
export const ranges = {
  tokens: [1, 512, 1],
  temperature: [0, 2, 0.1],
  topK: [0, 1000, 1],
  topP: [0.05, 1, 0.05],
  seed: [0, 2 ** 32 - 1, 1],
  factor: [1, 64, 1],
  window: [2, 4096, 1],
  layer: [0, 255, 1],
  head: [0, 255, 1],
  query: [-1, 4095, 1],
  key: [-1, 4095, 1],
} as const;
export type NumberName = keyof typeof ranges;

/** What is chosen where the address says nothing. */
export const initialSettings = (model: string, prompt: string): SmallSettings => ({
  ...{ model, prompt, dtype: 'f32', tokens: 64, temperature: 0.7, topK: 0, topP: 1, seed: 1 },
  ...{ way: 'own', factor: 4, window: 24, layer: 0, head: 0, query: -1, key: -1 },
  ways: ['own', 'nope', 'linear', 'yarn', 'window'],
  mistakes: [],
});

/** The number inside its range. */
export function inRange(name: NumberName, value: number): number {
  const [low, high, step] = ranges[name];
  const rounded = step === 1 ? Math.round(value) : value;
  return Math.min(high, Math.max(low, rounded));
}

/** Takes over what a field says, and puts it right in place. */
export function settleNumber(settings: SmallSettings, name: NumberName, { target }: Event): void {
  const input = target as HTMLInputElement;
  settings[name] = inRange(name, Number(input.value) || 0);
  input.value = String(settings[name]);
}

const isNumber = (name: string): name is NumberName => name in ranges;

/** What a hash says of the settings; strange values are left out. */
export function parseSmallLink(hash: string): Partial<SmallSettings> {
  const found: Record<string, unknown> = {};
  for (const [name, text] of new URLSearchParams(hash.replace(/^#/, ''))) {
    if (isNumber(name)) {
      const value = Number(text);
      if (text !== '' && Number.isFinite(value)) found[name] = inRange(name, value);
    } else if (name === 'model' || name === 'prompt') found[name] = text.slice(0, LONGEST_PROMPT);
    else if (name === 'dtype' && ['f32', 'f16', 'int8'].includes(text)) found[name] = text;
    else if (name === 'way' && (ways as readonly string[]).includes(text)) found[name] = text;
    else if (name === 'ways') found[name] = listed(ways, text);
    else if (name === 'mistakes') found[name] = listed(mistakes, text);
  }
  return found;
}

const listed = <Name extends string>(names: readonly Name[], text: string): Name[] =>
  names.filter((name) => text.split(',').includes(name));

/** The hash of the settings: what differs from `initial`. */
export function writeSmallLink(settings: SmallSettings, initial: SmallSettings): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(settings)) {
    const text = String(value);
    const usual = text === String(initial[name as keyof SmallSettings]);
    if (!usual && text.length <= LONGEST_PROMPT) parts.set(name, text);
  }
  return parts.size === 0 ? '' : `#${parts.toString().replaceAll('%2C', ',')}`;
}

/** The settings of a way as the worker takes them. */
export const positionsOf = (
  { factor, window }: Pick<SmallSettings, 'factor' | 'window'>,
  way: Way,
): Positions => ({ way, factor, window });

/** Configs as the page Inspect holds them: a text, the preset it came from, and what `inspect` says of it. */
import { inspect, type Plan } from 'posenc/inspect';
import type { PosencError } from 'posenc';
import { presets, type Preset } from '../../presets/index.js';

/** What went wrong: of `inspect` with the field, what was found and what is needed. */
export type Failure = Partial<Pick<PosencError, 'argument' | 'received' | 'allowed'>> & {
  readonly message: string;
};

export interface Reading {
  readonly plan: Plan | null;
  readonly failure: Failure | null;
}

export const presetOf = (id: string | null): Preset | null =>
  presets.find((preset) => preset.id === id) ?? null;

const texts = new Map(presets.map(({ id, config }) => [id, JSON.stringify(config, null, 2)]));

export const textOf = ({ id }: Preset): string => texts.get(id) ?? '';

/** The preset whose config a text is, unchanged. */
export const presetWithText = (text: string): Preset | null =>
  presets.find((preset) => textOf(preset) === text) ?? null;

/** The length a preset asks for, as typed. */
export const lengthOf = ({ length }: Preset): string =>
  length === undefined ? '' : String(length);

/** The plan of a text at a length as typed (empty = the trained one); nothing of an empty text. */
export function readConfig(text: string, length: string): Reading {
  if (!text.trim()) return { plan: null, failure: null };
  try {
    const options = length.trim() === '' ? {} : { length: Number(length) };
    return { plan: inspect(text, options), failure: null };
  } catch (error) {
    return { plan: null, failure: error as PosencError };
  }
}

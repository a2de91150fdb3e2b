/** Checkpoints of tests/golden/models with what float64 references make of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { LanguageModel, LoadModelOptions, Posenc } from 'posenc';
import { expect } from 'vitest';

const folder = fileURLToPath(new URL('../golden/models/', import.meta.url));

/** An array as expected.json holds it. */
interface Packed {
  readonly shape: readonly number[];
  readonly float32: string;
}

/** One text and its numbers. Encoder–decoders have `encoder` and `decoder` in place of `ids`. */
export interface GoldenSequence {
  readonly ids?: readonly number[];
  readonly encoder?: readonly number[];
  readonly decoder?: readonly number[];
  readonly encoded?: Packed;
  readonly logits: Packed;
  readonly losses?: readonly number[];
  readonly perplexity?: number;
  readonly layer?: Record<string, Packed> & { readonly index: number };
}

export const families: readonly string[] = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'reference')
  .map(({ name }) => name);

export const sequencesOf = (family: string): readonly GoldenSequence[] =>
  (
    JSON.parse(readFileSync(`${folder}${family}/expected.json`, 'utf8')) as {
      sequences: GoldenSequence[];
    }
  ).sequences;

export const configOf = (family: string): Record<string, unknown> =>
  JSON.parse(readFileSync(`${folder}${family}/config.json`, 'utf8')) as Record<string, unknown>;

/** The safetensors files of a checkpoint. */
export const filesOf = (family: string): Uint8Array[] =>
  readdirSync(folder + family)
    .filter((name) => name.endsWith('.safetensors'))
    .map((name) => new Uint8Array(readFileSync(`${folder}${family}/${name}`)));

/** Loads a checkpoint of the folder. */
export const loadFamily = (
  posenc: Posenc,
  family: string,
  options: Partial<LoadModelOptions> = {},
): Promise<LanguageModel> =>
  posenc.loadModel({ config: configOf(family), weights: filesOf(family), ...options });

export const unpack = ({ float32 }: Packed): Float32Array =>
  new Float32Array(Uint8Array.from(Buffer.from(float32, 'base64')).buffer);

/**
 * Expects numbers within 2e-5 + 2e-5·|expected|: ten times what one attention may be wrong by, as
 * logits of about 10 cancel in sums over layers.
 */
export function expectModel(actual: Float32Array, expected: Float32Array): void {
  expect(actual.length).toBe(expected.length);
  for (let i = 0; i < expected.length; i++) {
    const [a, e] = [actual[i]!, expected[i]!];
    if (Math.abs(a - e) <= 2e-5 + 2e-5 * Math.abs(e)) continue;
    expect.fail(`number ${i} is ${a}, expected ${e}`);
  }
}

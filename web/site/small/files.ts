/** Files of a checkpoint by what they are: dropped or chosen in any order, among others that nobody needs. */
import { PageFault } from './failures.js';

/** What a name and a size tell. */
export interface NamedFile {
  readonly name: string;
  readonly size: number;
}

/** Files in their roles. */
export interface Checkpoint<File extends NamedFile> {
  readonly config: File | undefined;
  /** safetensors in the order of their names, or one `.bin` of llama2.c. */
  readonly weights: readonly File[];
  readonly index: File | undefined;
  readonly tokenizer: File | undefined;
  readonly tokenizerConfig: File | undefined;
}

/** More than this does not fit into a module of 4 GiB, whatever the dtype. */
const LARGEST = 4 * 2 ** 30;

/** Sorts files; throws a `PageFault` where weights are missing or too large. */
export function sortFiles<File extends NamedFile>(files: readonly File[]): Checkpoint<File> {
  const named = (name: RegExp) => files.find((file) => name.test(file.name));
  const parts = files.filter(({ name }) => name.endsWith('.safetensors'));
  const bins = files.filter(({ name }) => name.endsWith('.bin'));
  const tokenizerBin = bins.find(({ name }) => /^tok/i.test(name));
  const model = bins.find((file) => file !== tokenizerBin);
  const weights =
    parts.length > 0 ? parts.toSorted((a, b) => (a.name < b.name ? -1 : 1)) : model ? [model] : [];
  if (weights.length === 0)
    throw new PageFault('noWeights', files.map(({ name }) => name).join(', '));
  const size = weights.reduce((sum, file) => sum + file.size, 0);
  if (size > LARGEST) throw new PageFault('tooBig', `${(size / 2 ** 30).toFixed(1)} GiB`);
  return {
    config: named(/^config\.json$/),
    weights,
    index: named(/\.safetensors\.index\.json$/),
    tokenizer: named(/^tokenizer\.json$/) ?? tokenizerBin,
    tokenizerConfig: named(/^tokenizer_config\.json$/),
  };
}

import { checkOptions, wrong } from '../../check.js';
import { PosencError, show } from '../../error.js';
import { openBytes } from '../bytes/open.js';
import type { ByteInput, ByteSource } from '../bytes/types.js';
import { decode, readable, unreadableType } from './dtype.js';
import { broken, headerLength, readHeader } from './header.js';
import type { Header, Placed } from './header.js';
import { readIndex } from './index-file.js';
import type { WeightInfo, Weights } from './types.js';

/** Most files of one model. */
const mostFiles = 1000;

/** Options of {@link readSafetensors}. */
export interface SafetensorsOptions {
  /** `model.safetensors.index.json`, as an object or its text: the files must hold what it lists. */
  index?: unknown;
  /** Stops downloads and reads. */
  signal?: AbortSignal;
}

/** A tensor in one of the files. */
interface Located extends Placed {
  readonly source: ByteSource;
}

/**
 * Opens a checkpoint in the format safetensors: one file, or all files of a model that is split. Checks
 * their headers; numbers are read when they are asked for, tensor by tensor.
 *
 * @throws PosencError `config` for a file that breaks the format (names the tensor and the problem),
 *   `argument` for what is no file, `aborted` when the signal fired
 */
export async function readSafetensors(
  files: ByteInput | readonly ByteInput[],
  options?: SafetensorsOptions,
): Promise<Weights> {
  const { index, signal } = checkOptions(options, ['index', 'signal'], 'readSafetensors');
  const inputs: readonly ByteInput[] = Array.isArray(files) ? files : [files as ByteInput];
  if (inputs.length === 0 || inputs.length > mostFiles) {
    throw wrong('argument', 'files', files, `a file, or a list of 1 to ${mostFiles}`);
  }
  const sources: ByteSource[] = [];
  try {
    for (const [i, input] of inputs.entries()) {
      const argument = inputs.length === 1 ? 'file' : `files[${i}]`;
      sources.push(await openBytes(input, signal === undefined ? {} : { signal }, argument));
    }
    const headers: Header[] = [];
    for (const source of sources) headers.push(await headerOf(source));
    const located = locate(sources, headers);
    if (index !== undefined) checkIndex(readIndex(index), located);
    const metadata = Object.assign({}, ...headers.map((header) => header.metadata)) as Record<
      string,
      string
    >;
    return weightsOf(sources, located, metadata);
  } catch (problem) {
    await closeAll(sources);
    throw problem;
  }
}

const closeAll = async (sources: readonly ByteSource[]): Promise<void> => {
  await Promise.all(sources.map((source) => source.close()));
};

async function headerOf(source: ByteSource): Promise<Header> {
  const { name, size } = source;
  if (size < 8) throw broken(name, `it has ${size} bytes, needs at least 8 (cut short?)`);
  const length = headerLength(await source.read(0, 8), size, name);
  return readHeader(await source.read(8, length), size, name);
}

function locate(sources: readonly ByteSource[], headers: readonly Header[]): Map<string, Located> {
  const located = new Map<string, Located>();
  for (const [i, { tensors }] of headers.entries()) {
    const source = sources[i]!;
    for (const tensor of tensors) {
      const other = located.get(tensor.name);
      if (other !== undefined) {
        const problem = `tensor ${show(tensor.name)} is also in ${other.source.name}`;
        throw broken(source.name, problem);
      }
      located.set(tensor.name, { ...tensor, source });
    }
  }
  return located;
}

/** What the index lists must be there, and nothing else. */
function checkIndex(listed: ReadonlySet<string>, located: ReadonlyMap<string, Located>): void {
  const missing = [...listed].filter((name) => !located.has(name));
  const extra = [...located.keys()].filter((name) => !listed.has(name));
  if (missing.length + extra.length === 0) return;
  const parts = [
    ...(missing.length === 0 ? [] : [`the files lack ${names(missing)} of it`]),
    ...(extra.length === 0 ? [] : [`it lacks ${names(extra)} of the files`]),
  ];
  throw new PosencError('config', `index does not fit the files: ${parts.join('; ')}`, {
    argument: 'index',
    allowed: 'the index of these files',
  });
}

const names = (list: readonly string[]): string =>
  list.slice(0, 5).map(show).join(', ') + (list.length > 5 ? ` and ${list.length - 5} more` : '');

function weightsOf(
  sources: readonly ByteSource[],
  located: ReadonlyMap<string, Located>,
  metadata: Readonly<Record<string, string>>,
): Weights {
  const tensors = new Map<string, WeightInfo>();
  for (const [name, { dtype, shape }] of located) tensors.set(name, { dtype, shape });
  return {
    tensors,
    metadata,
    async read(name) {
      const tensor = located.get(name);
      if (tensor === undefined) throw wrong('option', 'name', name, 'the name of a tensor');
      const { dtype, source, offset, length } = tensor;
      if (!readable(dtype)) throw unreadableType(name, dtype);
      return decode(await source.read(offset, length), dtype, source.fresh);
    },
    close: () => closeAll(sources),
  };
}

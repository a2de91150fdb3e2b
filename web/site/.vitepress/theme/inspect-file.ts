/** Files that are dropped on the page Inspect: a config.json as it is, of a GGUF file the header only. */

/** A config has kilobytes; `inspect` refuses more than this anyway. */
const LARGEST = 8 * 2 ** 20;

/** Why a file cannot be read. */
export class FileError extends Error {
  readonly reason: 'unreadable' | 'tooLarge' | 'brokenGguf';

  constructor(reason: FileError['reason'], cause?: unknown) {
    super(reason, { cause });
    this.reason = reason;
  }
}

/** The text of a config, or what a GGUF header says about position, as JSON. Throws `FileError`. */
export async function readConfigFile(file: File): Promise<string> {
  const start = await file
    .slice(0, 4)
    .text()
    .catch((error: unknown) => {
      throw new FileError('unreadable', error);
    });
  if (start === 'GGUF') return readGgufHeader(file);
  if (/\.gguf$/i.test(file.name)) throw new FileError('brokenGguf');
  if (file.size > LARGEST) throw new FileError('tooLarge');
  return file.text();
}

async function readGgufHeader(file: File): Promise<string> {
  try {
    const { gguf } = await import('@huggingface/gguf');
    const { metadata, tensorInfos } = await gguf('file', { fetch: rangesOf(file) });
    if (!('general.architecture' in metadata)) throw new Error('no architecture');
    // The vocabulary fills megabytes and says nothing about position.
    const kept = Object.entries(metadata).filter(([key]) => !key.startsWith('tokenizer.'));
    const tensors = tensorInfos.filter(({ name }) => name.startsWith('rope_'));
    return JSON.stringify(
      {
        metadata: Object.fromEntries(kept),
        tensorInfos: tensors.map(({ name }) => ({ name })),
      },
      (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value),
      2,
    );
  } catch (error) {
    throw new FileError('brokenGguf', error);
  }
}

/** Answers the range requests of the library from a file, so that no more than those ranges is read. */
const rangesOf =
  (file: File): typeof fetch =>
  (_, init) => {
    const range = new Headers(init?.headers).get('range') ?? '';
    const [from = 0, to = 0] = (range.match(/\d+/g) ?? []).map(Number);
    const headers = { 'content-range': `bytes ${from}-${to}/${file.size}` };
    return Promise.resolve(new Response(file.slice(from, to + 1), { headers }));
  };

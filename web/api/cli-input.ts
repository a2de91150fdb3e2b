/** What `posenc inspect` reads: a config.json, or the header of a GGUF file. */
import { createReadStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from './inspect/limits.js';

/** Input that cannot be read. */
export class InputError extends Error {}

/**
 * What `inspect` takes: the text of a file, of a folder's config.json or of standard input (`-`), or the
 * parsed header of a `.gguf` file. Throws `InputError`.
 */
export async function readInput(path: string): Promise<unknown> {
  try {
    const file = path !== '-' && statSync(path).isDirectory() ? join(path, 'config.json') : path;
    return /\.gguf$/i.test(file) ? await readHeader(file) : await readText(file);
  } catch (error) {
    if (error instanceof InputError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const missing =
      code === 'ENOENT' ? 'there is no such file (download it first)' : (code ?? message);
    throw new InputError(`cannot read ${path}: ${missing}`);
  }
}

/** Stops where the text is too long anyway. */
async function readText(file: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > 4 * limits.characters) break; // UTF-8 takes at most four bytes a character
  }
  const bytes = Buffer.concat(chunks);
  const wide = bytes[0] === 0xff && bytes[1] === 0xfe; // what `>` writes in Windows PowerShell
  return new TextDecoder(wide ? 'utf-16le' : 'utf-8').decode(bytes);
}

/** By a library that the package does not depend on: who inspects GGUF files installs it. */
async function readHeader(file: string): Promise<unknown> {
  statSync(file);
  const { gguf } = await import('@huggingface/gguf').catch(() => {
    const install = 'install it beside posenc (npm install @huggingface/gguf)';
    throw new InputError(`reading ${file} needs the library @huggingface/gguf: ${install}`);
  });
  const header = await gguf(file, { allowLocalFile: true });
  if ('general.architecture' in header.metadata) return header;
  throw new InputError(`cannot read ${file}: it is a GGUF model file without a readable header`);
}

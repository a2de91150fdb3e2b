import { PosencError } from './error.js';

/**
 * Imports a chunk of the package.
 * @param name of its file, for messages
 * @throws {PosencError} `wasm-load` when it is not where it was, as after an update of the site
 */
export async function importChunk<Chunk>(name: string, load: () => Promise<Chunk>): Promise<Chunk> {
  try {
    return await load();
  } catch (cause) {
    const hint = 'if the site was updated meanwhile, reload the page';
    throw new PosencError('wasm-load', `cannot import the chunk ${name} (${hint})`, { cause });
  }
}

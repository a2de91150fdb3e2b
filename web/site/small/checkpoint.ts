/** Opens what the reader drops: Hugging Face folders, files of llama2.c, exports of the lab. */
import { huggingFaceTokenizer, llama2cTokenizer, readSafetensors } from 'posenc';
import type { LanguageModel, Posenc, Tokenizer } from 'posenc';
import { openModel } from 'posenc/lab';
import { PageFault } from './failures.js';
import { sortFiles } from './files.js';
import type { Opened } from './opened.js';
import type { Dtype } from './protocol.js';

/** How a load is followed. */
export interface Following {
  readonly signal: AbortSignal;
  readonly onShare: (share: number) => void;
}

/** Opens files of a checkpoint. */
export async function openFiles(
  pe: Posenc,
  files: readonly File[],
  dtype: Dtype,
  { signal, onShare }: Following,
): Promise<Opened> {
  const { config, weights, index, tokenizer, tokenizerConfig } = sortFiles(files);
  const [first] = weights;
  const isBin = first!.name.endsWith('.bin');
  if (config === undefined && !isBin) return openExport(pe, first!);
  const text = await readTokenizer(tokenizer, tokenizerConfig);
  const model = await pe.loadModel({
    ...(isBin
      ? { weights: first! }
      : {
          config: await config!.text(),
          weights: await readSafetensors(weights, {
            ...(index && { index: await index.text() }),
            signal,
          }),
        }),
    ...{ tokenizer: text, dtype, signal },
    onProgress: ({ loaded, total }) => onShare(loaded / total),
  });
  return ownModel(model);
}

/** One file of the lab holds everything. */
export async function openExport(pe: Posenc, file: Blob | Uint8Array): Promise<Opened> {
  const weights = await readSafetensors(file);
  await weights.close();
  if (!('posenc.run' in weights.metadata)) throw new PageFault('noConfig');
  const opened = await openModel({ pe, file });
  const { model, options, symbols } = opened;
  return { model, options, symbols, lesson: null, dispose: () => opened.dispose() };
}

const ownModel = (model: LanguageModel): Opened => ({
  ...{ model, options: {}, symbols: null, lesson: null },
  dispose: () => model.dispose(),
});

async function readTokenizer(file: File | undefined, config: File | undefined): Promise<Tokenizer> {
  if (file === undefined) throw new PageFault('noTokenizer');
  if (file.name.endsWith('.bin')) return llama2cTokenizer(file);
  const { Tokenizer: HuggingFace } = await import('@huggingface/tokenizers');
  const settings = config === undefined ? {} : parse(await config.text(), config.name);
  const content = parse(await file.text(), file.name);
  return huggingFaceTokenizer(new HuggingFace(content, settings), {
    ...special('bos', settings),
    ...special('eos', settings),
  });
}

function parse(text: string, name: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new PageFault('broken', name);
  }
}

/** `bos_token` is a text, or an object with it. */
function special(
  name: 'bos' | 'eos',
  settings: Record<string, unknown>,
): Partial<Record<'bos' | 'eos', string>> {
  const value = settings[`${name}_token`];
  const text =
    typeof value === 'object' && value !== null ? (value as { content?: unknown }).content : value;
  return typeof text === 'string' ? { [name]: text } : {};
}

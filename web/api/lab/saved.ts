import { PosencError } from '../error.js';
import type { ByteInput } from '../model/bytes/types.js';
import { familyTensors } from '../model/export.js';
import { CheckpointModel } from '../model/language-model.js';
import { readSafetensors } from '../model/weights/read.js';
import type { Weights } from '../model/weights/types.js';
import { writeSafetensors, type WrittenTensor } from '../model/weights/write.js';
import type { LabModel } from './model.js';

/** A run as its file holds it. */
export interface SavedRun {
  /** Of the model, under the names of its family. */
  readonly weights: Weights;
  /** What its encoding has learned, by the names of `LabPositions.tensors`. */
  readonly tables: ReadonlyMap<string, Float32Array>;
  /** State of the trainer; `undefined` in a model that was exported. */
  readonly trainer: Uint8Array | undefined;
  /** JSON of the run. */
  readonly run: object;
}

/** Names of tensors that are not the model's. */
const table = 'posenc.encoding.';
const trainerState = 'posenc.trainer';

/** Where the file's metadata has the JSON. */
const runKey = 'posenc.run';

/**
 * One safetensors file: the model's weights under their usual names, what its encoding has learned, and
 * where the run is to go on, the trainer's state.
 */
export function packRun(
  { model, positions }: LabModel,
  run: unknown,
  options: { readonly dtype: 'f32' | 'f16'; readonly trainer?: Uint8Array },
): Uint8Array<ArrayBuffer> {
  const tensors: Record<string, WrittenTensor> = familyTensors(
    CheckpointModel.inside(model, 'model'),
  );
  for (const [name, tensor] of positions?.tensors ?? []) {
    tensors[table + name] = { shape: tensor.shape, data: tensor.read() };
  }
  if (options.trainer !== undefined) {
    const data = new Float32Array(options.trainer.slice().buffer);
    tensors[trainerState] = { shape: [data.length], data };
  }
  const metadata = { format: 'pt', [runKey]: JSON.stringify(run) };
  return writeSafetensors(tensors, { dtype: options.dtype, metadata });
}

/** Reads such a file; throws `config` for others. */
export async function unpackRun(file: ByteInput): Promise<SavedRun> {
  const whole = await readSafetensors(file);
  const { [runKey]: text } = whole.metadata;
  if (text === undefined) {
    throw new PosencError('config', `the file is no saved run: its metadata lacks ${runKey}`, {
      argument: 'file',
      received: `metadata ${Object.keys(whole.metadata).join(', ') || 'without entries'}`,
      allowed: 'bytes that save() or export() of a run gave',
    });
  }
  const own = [...whole.tensors].filter(([name]) => !name.startsWith('posenc.'));
  const tables = new Map<string, Float32Array>();
  for (const name of whole.tensors.keys()) {
    if (name.startsWith(table)) tables.set(name.slice(table.length), await whole.read(name));
  }
  const trainer = whole.tensors.has(trainerState) ? await whole.read(trainerState) : undefined;
  return {
    weights: { ...whole, tensors: new Map(own) },
    tables,
    trainer: trainer && new Uint8Array(trainer.buffer, trainer.byteOffset, trainer.byteLength),
    run: parse(text),
  };
}

function parse(text: string): object {
  const broken = (cause?: unknown): PosencError =>
    new PosencError('config', `the file's ${runKey} is no JSON of a run`, {
      argument: 'file',
      cause,
    });
  let run: unknown;
  try {
    run = JSON.parse(text);
  } catch (cause) {
    throw broken(cause);
  }
  if (typeof run !== 'object' || run === null) throw broken();
  return run;
}

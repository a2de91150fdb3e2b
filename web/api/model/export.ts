import { checkOptions, choice, wrong } from '../check.js';
import type { LoadedModel } from './loaded.js';
import type { Cut } from './families/types.js';
import type { PlannedTensor } from './match.js';
import { blankTensors } from './blank.js';
import { planModel, recognise } from './plan.js';
import type { ExportedModel, ExportOptions } from './types.js';
import { writeSafetensors, type WrittenTensor } from './weights/write.js';

/** Writes a model as its family's checkpoints are; see `LanguageModel.export` in `types.ts`. */
export function exportModel(model: LoadedModel, options: ExportOptions | undefined): ExportedModel {
  const given = checkOptions(options, ['dtype'], 'export') as ExportOptions;
  const dtype = choice(given.dtype, 'dtype', ['f32', 'f16']);
  const weights = writeSafetensors(familyTensors(model), { dtype, metadata: { format: 'pt' } });
  return { config: exportedConfig(model, dtype), weights };
}

/** The config of exported weights. */
export function exportedConfig(model: LoadedModel, dtype: 'f32' | 'f16'): ExportedModel['config'] {
  const { config } = model;
  return {
    ...(typeof config === 'string' ? (JSON.parse(config) as object) : (config as object)),
    ...tieOf(model),
    dtype: dtype === 'f32' ? 'float32' : 'float16',
  };
}

/** Whether the head is the embedding, where the config leaves that to whoever reads it. */
function tieOf({ config, spec, names }: LoadedModel): { tie_word_embeddings?: boolean } {
  const { fields } = recognise(config);
  if (spec.decoder === undefined || fields.flag('tie_word_embeddings') !== null) return {};
  return { tie_word_embeddings: !names.has('head.weight') };
}

/** The weights of a model under the names and in the shapes of its family. */
export function familyTensors(model: LoadedModel): Record<string, WrittenTensor> {
  const { config, dtype, names, numbers } = model;
  if (dtype !== 'f32') {
    throw wrong('unsupported', 'the model', `held as ${dtype}`, 'to be loaded with dtype "f32"');
  }
  const shapes = blankTensors(config, (head) =>
    names.has(/^(lm_head|embed_out)\./.test(head) ? 'head.weight' : 'head.transform.weight'),
  );
  const tensors: Record<string, WrittenTensor> = {};
  for (const tensor of planModel(config, shapes).tensors) {
    const { source } = tensor;
    const { shape } = shapes.get(source)!;
    tensors[source] ??= { shape, data: new Float32Array(shape.reduce((all, n) => all * n, 1)) };
    undoCut(numbers(tensor.name), tensor, tensors[source]);
  }
  return tensors;
}

/** Puts a tensor of the engine where it came from: `applyCut` the other way round. */
function undoCut(
  data: Float32Array,
  { shape, cut }: Pick<PlannedTensor, 'shape' | 'cut'>,
  whole: WrittenTensor,
): void {
  const columns = shape.length === 1 ? 1 : shape[1]!;
  const rows = shape[0]!;
  const { transposed = false, add = 0 } = cut;
  const width = transposed ? whole.shape[1]! : columns;
  for (let row = 0; row < rows; row++) {
    const to = rowOf(row, cut);
    for (let column = 0; column < columns; column++) {
      const at = transposed ? column * width + to : to * width + column;
      whole.data[at] = data[row * columns + column]! - add;
    }
  }
}

/** Row of a fused matrix where a row of its part stands. */
function rowOf(row: number, { blocks }: Cut): number {
  if (blocks === undefined) return row;
  const { first, rows, step } = blocks;
  return first + Math.floor(row / rows) * step + (row % rows);
}

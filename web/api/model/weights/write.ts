import { checkShape, float32 } from '../../array.js';
import { checkOptions, choice, wrong } from '../../check.js';
import { PosencError, show } from '../../error.js';
import { isObject } from '../../inspect/fields.js';
import { narrowHalves } from './half.js';

/** A tensor to write. */
export interface WrittenTensor {
  /** Lengths of its dimensions. */
  shape: readonly number[];
  /** As many numbers as the shape calls for. */
  data: Float32Array;
}

/** Options of {@link writeSafetensors}. */
export interface WriteOptions {
  /** `f16` rounds to the nearest float16, ties to even. Default `f32`. */
  dtype?: 'f32' | 'f16';
  /** Texts for the file's `__metadata__`. Default: none. */
  metadata?: Readonly<Record<string, string>>;
}

/**
 * Writes tensors, in the given order, into the bytes of a safetensors file, which
 * {@link readSafetensors} and all other readers of the format take.
 *
 * @throws PosencError `argument`, `shape` or `option`, naming the tensor
 */
export function writeSafetensors(
  tensors: Readonly<Record<string, WrittenTensor>>,
  options?: WriteOptions,
): Uint8Array<ArrayBuffer> {
  const given = checkOptions(options, ['dtype', 'metadata'], 'writeSafetensors');
  const dtype = choice(given.dtype, 'dtype', ['f32', 'f16']);
  if (!isObject(tensors)) throw wrong('argument', 'tensors', tensors, 'an object of tensors');
  const width = dtype === 'f32' ? 4 : 2;
  const header = Object.create(null) as Record<string, unknown>;
  if (given.metadata !== undefined) header['__metadata__'] = checkMetadata(given.metadata);
  const written: { data: Float32Array; offset: number }[] = [];
  let end = 0;
  for (const [name, tensor] of Object.entries(tensors)) {
    const { shape, data } = checkTensor(name, tensor);
    const offset = end;
    end += data.length * width;
    header[name] = { dtype: dtype.toUpperCase(), shape, data_offsets: [offset, end] };
    written.push({ data, offset });
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const start = 8 + Math.ceil(text.length / 8) * 8; // blanks up to there, so that numbers are aligned
  const bytes = new Uint8Array(start + end);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(start - 8), true);
  bytes.set(text, 8);
  bytes.fill(0x20, 8 + text.length, start);
  for (const { data, offset } of written) {
    if (dtype === 'f32') new Float32Array(bytes.buffer, start + offset, data.length).set(data);
    else narrowHalves(data, new Uint16Array(bytes.buffer, start + offset, data.length));
  }
  return bytes;
}

function checkTensor(name: string, tensor: unknown): { shape: number[]; data: Float32Array } {
  const argument = `tensors[${show(name)}]`;
  if (name === '__metadata__') {
    throw wrong('option', 'tensors', name, 'another name: this one is the metadata of the format');
  }
  if (!isObject(tensor)) throw wrong('argument', argument, tensor, 'an object of shape and data');
  const { shape: given, data: numbers } = tensor as Partial<WrittenTensor>;
  const data = float32(numbers, `${argument}.data`);
  const single = Array.isArray(given) && given.length === 0;
  const shape = single ? [] : checkShape(given, 8, `${argument}.shape`);
  const count = shape.reduce((product, dimension) => product * dimension, 1);
  if (count === data.length) return { shape, data };
  const message = `${argument} has ${data.length} numbers, needs ${count} for [${shape.join(', ')}]`;
  throw new PosencError('shape', message, {
    argument,
    received: `${data.length} numbers`,
    allowed: `${count} numbers`,
  });
}

function checkMetadata(metadata: unknown): Record<string, string> {
  const entries = isObject(metadata) ? Object.entries(metadata) : [];
  if (!isObject(metadata) || entries.some(([, text]) => typeof text !== 'string')) {
    throw wrong('argument', 'metadata', metadata, 'an object of texts');
  }
  return Object.fromEntries(entries);
}

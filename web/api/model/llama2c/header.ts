import { PosencError } from '../../error.js';
import { limits } from '../../inspect/limits.js';

/** Sizes of a llama2.c checkpoint: 7 int32 at its start (Karpathy's run.c, `Config`). */
export interface Llama2cSizes {
  readonly width: number;
  readonly hidden: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly vocabulary: number;
  /** Whether embedding and head are one matrix (a positive vocabulary in the file). */
  readonly tied: boolean;
  /** Trained length. */
  readonly length: number;
}

/** Bytes of the header. */
export const headerBytes = 28;

const most = 2 ** 24;

/** The error for a file that is none of llama2.c's. */
export const broken = (file: string, problem: string): PosencError =>
  new PosencError('config', `${file} is not a llama2.c checkpoint: ${problem}`, {
    argument: file,
    received: problem,
    allowed: 'a .bin file of llama2.c, version 0',
  });

/** Reads and checks the sizes. */
export function readSizes(bytes: Uint8Array, file: string): Llama2cSizes {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) === 0x616b3432) {
    throw broken(file, 'it has version 1 or 2 (magic "ak42"); export it with --version 0');
  }
  const number = (i: number): number => view.getInt32(4 * i, true);
  const size = (name: string, value: number, high = most): number => {
    if (value >= 1 && value <= high) return value;
    throw broken(file, `${name} is ${value}, needs an integer from 1 to ${high}`);
  };
  const width = size('dim', number(0));
  const hidden = size('hidden_dim', number(1));
  const layers = size('n_layers', number(2), limits.layers.high);
  const heads = size('n_heads', number(3));
  const kvHeads = size('n_kv_heads', number(4));
  const vocabulary = size('vocab_size', Math.abs(number(5)));
  const length = size('seq_len', number(6));
  if (width % heads !== 0 || (width / heads) % 2 !== 0) {
    throw broken(file, `dim ${width} is no even multiple of n_heads ${heads}`);
  }
  if (heads % kvHeads !== 0) {
    throw broken(file, `n_heads ${heads} is no multiple of n_kv_heads ${kvHeads}`);
  }
  const headDim = width / heads;
  const tied = number(5) > 0;
  return { width, hidden, layers, heads, kvHeads, headDim, vocabulary, tied, length };
}

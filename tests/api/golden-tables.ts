/** Reads tests/golden; the format is described in tests/golden/import-conformance.mjs. */
import { readFileSync } from 'node:fs';

const folder = new URL('../golden/', import.meta.url);

export interface GoldenTensor {
  /** f32, f64, i32 or u8. */
  readonly type: string;
  readonly shape: readonly number[];
  readonly values: readonly number[];
}

export interface GoldenCase {
  readonly name: string;
  readonly origin: string;
  readonly label: string;
  readonly numbers: Readonly<Record<string, number>>;
  /** All numbers of a line that has several; `numbers` has the first. */
  readonly lists: Readonly<Record<string, readonly number[]>>;
  readonly words: Readonly<Record<string, string>>;
  readonly tensors: Readonly<Record<string, GoldenTensor>>;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type Draft = Mutable<GoldenCase> & {
  numbers: Record<string, number>;
  lists: Record<string, readonly number[]>;
  words: Record<string, string>;
  tensors: Record<string, GoldenTensor>;
};

/** Bytes of a number, and how it is read. */
const types: Record<string, [size: number, read: (view: DataView, at: number) => number]> = {
  f32: [4, (view, at) => view.getFloat32(at, true)],
  f64: [8, (view, at) => view.getFloat64(at, true)],
  i32: [4, (view, at) => view.getInt32(at, true)],
  u8: [1, (view, at) => view.getUint8(at)],
};

function readTensor([type = '', offset, ...sizes]: string[], view: DataView): GoldenTensor {
  const [size, read] = types[type]!;
  const shape = sizes.map(Number);
  const count = shape.reduce((a, b) => a * b, 1);
  const values = Array.from({ length: count }, (_, i) => read(view, Number(offset) + i * size));
  return { type, shape, values };
}

/** The cases of a group, and how many cases the source has. */
export function golden(group: string): { sourceCases: number; cases: GoldenCase[] } {
  const bytes = readFileSync(new URL(`${group}.bin`, folder));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const cases: Draft[] = [];
  let sourceCases = 0;
  for (const line of readFileSync(new URL(`${group}.txt`, folder), 'utf8').split('\n')) {
    const [kind, key = '', ...rest] = line.split(' ');
    const current = cases.at(-1);
    if (kind === 'group') sourceCases = Number(rest[0]);
    if (kind === 'case') {
      const empty = { numbers: {}, lists: {}, words: {}, tensors: {} };
      cases.push({ name: key, origin: '', label: '', ...empty });
    }
    if (!current) continue;
    if (kind === 'origin') current.origin = [key, ...rest].join(' ');
    if (kind === 'label') current.label = key;
    if (kind === 'number') {
      current.lists[key] = rest.map(Number);
      current.numbers[key] = Number(rest[0]);
    }
    if (kind === 'word') current.words[key] = rest.join(' ');
    if (kind === 'tensor') current.tensors[key] = readTensor(rest, view);
  }
  return { sourceCases, cases };
}

/** A tensor that a case must have. */
export function tensor(given: GoldenCase, name: string): GoldenTensor {
  const found = given.tensors[name];
  if (found === undefined) throw new Error(`${given.name} has no tensor ${name}`);
  return found;
}

/** A tensor of a case as the API takes it; undefined where the case has none. */
export function floats(given: GoldenCase, name: string): Float32Array | undefined {
  const found = given.tensors[name];
  return found && Float32Array.from(found.values);
}

/** A tensor of positions as the API takes it. */
export const integers = (given: GoldenCase, name: string): Int32Array =>
  Int32Array.from(tensor(given, name).values);

/** Lines of waiting.txt: cases of the source that nothing here can run yet. */
export function waitingCases(): { group: string; name: string; reason: string }[] {
  return readFileSync(new URL('waiting.txt', folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [group = '', name = '', ...reason] = line.split(' ');
      return { group, name, reason: reason.join(' ') };
    });
}

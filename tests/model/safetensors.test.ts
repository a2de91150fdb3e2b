/** Reads what it should, refuses everything else by name, and reads what it writes. */
import { describe, expect, it } from 'vitest';
import { readSafetensors } from '../../web/api/model/weights/read.js';
import { writeSafetensors } from '../../web/api/model/weights/write.js';
import { bytesOf, errorOf, rejection, safetensors } from './bytes-of.js';

const numbers = Float32Array.of(1, -2.5, 0, 3e38, -0, NaN);
const two = {
  b: { dtype: 'F32', shape: [2], data_offsets: [16, 24] },
  a: { dtype: 'F32', shape: [2, 2], data_offsets: [0, 16] },
};
const refusal = async (header: unknown, data = new Uint8Array(24)): Promise<string> =>
  (await rejection(() => readSafetensors(safetensors(header, data)))).message;

describe('a sound file', () => {
  it('gives tensors in the order of their bytes, and its metadata', async () => {
    const header = { __metadata__: { format: 'pt' }, ...two };
    const weights = await readSafetensors(safetensors(header, bytesOf(numbers)));
    expect([...weights.tensors]).toEqual([
      ['a', { dtype: 'F32', shape: [2, 2] }],
      ['b', { dtype: 'F32', shape: [2] }],
    ]);
    expect(weights.metadata.format).toBe('pt');
    expect(await weights.read('a')).toEqual(numbers.slice(0, 4));
    expect(await weights.read('b')).toEqual(numbers.slice(4));
  });

  it('may have blanks behind the header, single numbers, and tensors of none', async () => {
    const header =
      '{"one":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"none":{"dtype":"F32","shape":[0,3],"data_offsets":[4,4]}}   ';
    const weights = await readSafetensors(safetensors(header, bytesOf(Float32Array.of(7))));
    expect(await weights.read('one')).toEqual(Float32Array.of(7));
    expect(await weights.read('none')).toEqual(new Float32Array());
    expect((await readSafetensors(safetensors('{}'))).tensors.size).toBe(0);
  });

  it('widens F16 and BF16 exactly', async () => {
    const header = {
      half: { dtype: 'F16', shape: [8], data_offsets: [0, 16] },
      brain: { dtype: 'BF16', shape: [5], data_offsets: [16, 26] },
    };
    const bits = Uint16Array.of(
      ...[0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x7bff, 0xfc00, 0x7e00],
      ...[0x3f80, 0x0001, 0xff80, 0x7fc0, 0x8000],
    );
    const weights = await readSafetensors(safetensors(header, bytesOf(bits)));
    expect([...(await weights.read('half'))]).toEqual([
      ...[0, -0, 2 ** -24, -1023 * 2 ** -24, 2 ** -14, 65504, -Infinity, NaN],
    ]);
    expect([...(await weights.read('brain'))]).toEqual([1, 2 ** -133, -Infinity, NaN, -0]);
  });

  it('refuses to read other formats, which it lists all the same', async () => {
    const header = { ids: { dtype: 'I64', shape: [3], data_offsets: [0, 24] } };
    const weights = await readSafetensors(safetensors(header, new Uint8Array(24)));
    expect(weights.tensors.get('ids')?.dtype).toBe('I64');
    const error = await rejection(() => weights.read('ids'));
    expect(error.code).toBe('unsupported');
    expect(error.message).toBe('tensor "ids" is I64, needs F32, F16 or BF16');
    expect((await rejection(() => weights.read('odd'))).code).toBe('option');
  });
});

describe('a broken file', () => {
  const tensor = (change: object) => ({ a: { ...two.a, ...change }, b: two.b });
  it.each([
    ['[]', 'does not begin with {'],
    ['{"a":', 'its header is no JSON'],
    [{ __metadata__: { n: 1 } }, '__metadata__ has 1 for "n", needs a text'],
    [{ __metadata__: 'pt' }, '__metadata__ is "pt", needs an object'],
    [{ a: null }, 'tensor "a" is null, needs an object'],
    [tensor({ dtype: 'F33' }), 'tensor "a" has the dtype "F33", needs one of BOOL'],
    [tensor({ dtype: 'toString' }), 'tensor "a" has the dtype "toString"'],
    [tensor({ shape: [-2, -2] }), 'tensor "a" has the shape [-2, -2]'],
    [tensor({ shape: [2.5] }), 'tensor "a" has the shape [2.5]'],
    [tensor({ shape: '4' }), 'tensor "a" has the shape "4"'],
    [tensor({ shape: Array(33).fill(1) }), 'an array of length 33, needs a list'],
    [tensor({ shape: [2 ** 40, 2 ** 40] }), 'has too many numbers'],
    [tensor({ data_offsets: [0] }), 'tensor "a" has data_offsets [0]'],
    [tensor({ data_offsets: [16, 0] }), 'tensor "a" has data_offsets [16, 0]'],
    [tensor({ data_offsets: [16, 32] }), 'tensor "a" ends at byte 32 of the 24'],
    [tensor({ shape: [3] }), 'tensor "a" of F32 and shape [3] has 16 bytes, needs 12'],
    [tensor({ shape: [5], data_offsets: [0, 20] }), 'tensors "a" and "b" overlap'],
    [tensor({ shape: [3], data_offsets: [0, 12] }), '4 bytes between "a" and "b" belong to none'],
    [tensor({ shape: [3], data_offsets: [4, 16] }), '4 bytes between the header and "a"'],
    [{ a: two.a }, 'the last 8 bytes belong to no tensor'],
  ])('%#: %j', async (header, message) => {
    expect(await refusal(header)).toContain(message);
  });

  it('has a header that does not fit', async () => {
    const whole = safetensors(two, new Uint8Array(24));
    for (const length of [0, 5, 8, 40]) {
      const error = await rejection(() => readSafetensors(whole.slice(0, length)));
      expect(error.code).toBe('config');
      expect(error.message).toContain('cut short?');
    }
    new DataView(whole.buffer).setBigUint64(0, 2n ** 63n, true);
    expect((await rejection(() => readSafetensors(whole))).message).toContain(
      'more than 100000000',
    );
  });
});

describe('several files', () => {
  const first = safetensors({ a: two.a }, new Uint8Array(16));
  const second = safetensors(
    { b: { ...two.b, data_offsets: [0, 8] } },
    bytesOf(Float32Array.of(5, 6)),
  );
  it('are one checkpoint, as their index says', async () => {
    const index = { weight_map: { a: '1.safetensors', b: '2.safetensors' } };
    const weights = await readSafetensors([first, new Blob([second as BlobPart])], { index });
    expect([...weights.tensors.keys()]).toEqual(['a', 'b']);
    expect(await weights.read('b')).toEqual(Float32Array.of(5, 6));
  });

  it('must fit the index, and each other', async () => {
    const index = JSON.stringify({ weight_map: { a: '1', c: '2' } });
    const error = await rejection(() => readSafetensors([first, second], { index }));
    expect(error.message).toBe(
      'index does not fit the files: the files lack "c" of it; it lacks "b" of the files',
    );
    const twice = await rejection(() => readSafetensors([first, first]));
    expect(twice.message).toContain(
      'files[1] is not a sound safetensors file: tensor "a" is also in files[0]',
    );
    expect((await rejection(() => readSafetensors([]))).code).toBe('argument');
    expect((await rejection(() => readSafetensors([first], { index: {} }))).code).toBe('config');
  });
});

describe('writeSafetensors', () => {
  const tensors = {
    'w.1': { shape: [2, 3], data: numbers },
    scalar: { shape: [], data: Float32Array.of(0.1) },
    none: { shape: [0], data: new Float32Array() },
  };
  it('writes what readSafetensors reads', async () => {
    const bytes = writeSafetensors(tensors, { metadata: { made: '你好 "quoted"' } });
    const weights = await readSafetensors(bytes);
    expect(weights.metadata.made).toBe('你好 "quoted"');
    expect([...weights.tensors.keys()]).toEqual(['w.1', 'scalar', 'none']);
    for (const [name, { shape, data }] of Object.entries(tensors)) {
      expect(weights.tensors.get(name)).toEqual({ dtype: 'F32', shape });
      expect(await weights.read(name)).toEqual(data);
    }
  });

  it('rounds to the nearest float16, ties to even', async () => {
    const cases: [number, number][] = [
      [1, 1],
      [1 + 2 ** -11, 1],
      [1 + 3 * 2 ** -11, 1 + 2 ** -9],
      [1 + 2 ** -11 + 2 ** -20, 1 + 2 ** -10],
      [65519, 65504],
      [65520, Infinity],
      [-1e6, -Infinity],
      [2 ** -25, 0],
      [2 ** -25 * 1.001, 2 ** -24],
      [1.5 * 2 ** -24, 2 ** -23],
      [2.5 * 2 ** -24, 2 ** -23],
      [-(2 ** -14) + 2 ** -26, -(2 ** -14)],
      [1e-40, 0],
      [-0, -0],
      [NaN, NaN],
      [Infinity, Infinity],
    ];
    const data = Float32Array.from(cases, ([x]) => x);
    const bytes = writeSafetensors({ x: { shape: [data.length], data } }, { dtype: 'f16' });
    const weights = await readSafetensors(bytes);
    expect(weights.tensors.get('x')?.dtype).toBe('F16');
    expect([...(await weights.read('x'))]).toEqual(cases.map(([, y]) => y));
  });

  it('gives back every float16', async () => {
    const bits = Uint16Array.from({ length: 2 ** 16 }, (_, i) => i);
    const header = { x: { dtype: 'F16', shape: [2 ** 16], data_offsets: [0, 2 ** 17] } };
    const data = await (await readSafetensors(safetensors(header, bytesOf(bits)))).read('x');
    const bytes = writeSafetensors({ x: { shape: [2 ** 16], data } }, { dtype: 'f16' });
    const written = new Uint16Array(bytes.buffer, bytes.length - 2 ** 17);
    const isNaNBits = (value: number): boolean => (value & 0x7fff) > 0x7c00;
    const differing = written.findIndex((value, i) => value !== i && !isNaNBits(i));
    expect(differing).toBe(-1);
    expect(written.every((value, i) => isNaNBits(value) === isNaNBits(i))).toBe(true);
  });

  it.each([
    [{ x: { shape: [3], data: new Float32Array(2) } }, 'tensors["x"] has 2 numbers, needs 3'],
    [{ x: { shape: [2], data: [1, 2] } }, 'tensors["x"].data is'],
    [{ x: { data: new Float32Array(2) } }, 'tensors["x"].shape is missing'],
    [{ __metadata__: { shape: [], data: new Float32Array(1) } }, 'another name'],
    [{ x: 1 }, 'tensors["x"] is 1'],
    [[], 'tensors is an array'],
  ])('refuses %j', (given, message) => {
    expect(errorOf(() => writeSafetensors(given as never)).message).toContain(message);
  });

  it('refuses metadata that are no texts, and other formats', () => {
    expect(errorOf(() => writeSafetensors({}, { metadata: { a: 1 } as never })).argument).toBe(
      'metadata',
    );
    expect(errorOf(() => writeSafetensors({}, { dtype: 'f64' as never })).code).toBe('option');
  });
});

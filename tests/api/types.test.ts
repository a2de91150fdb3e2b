/** Checked by the compiler (`tsc`): the calls of `wrong` are never made. */
import { expect, expectTypeOf, test } from 'vitest';
import { convertLayout, mropePositions } from 'posenc';
import type { AttentionResult, Encoding, Hook, PosencError, Tensor } from 'posenc';
import { errorOf, posenc } from './posenc.js';

const x = new Float32Array(8);
const shape = { heads: 1, queries: 2, headDim: 4 };
const inputs = { query: x, key: x, value: x, shape };

test('options are typed by the name of the encoding', () => {
  const rope = posenc.encoding('rope', { headDim: 4 });
  expectTypeOf(rope).toEqualTypeOf<Encoding<'rope'>>();
  expectTypeOf(rope.name).toEqualTypeOf<'rope'>();
  expectTypeOf(rope.options.rotaryDim).toEqualTypeOf<number>();
  expectTypeOf(rope.options.frequencies).toEqualTypeOf<readonly number[] | undefined>();
  expectTypeOf(rope.options.layout).toEqualTypeOf<'half' | 'interleaved'>();
  expectTypeOf(rope.hooks).toEqualTypeOf<readonly Hook[]>();
  expectTypeOf(posenc.encoding('nope')).toExtend<Encoding>();
  expectTypeOf(posenc.encoding('nope', {})).toEqualTypeOf<Encoding<'nope'>>();
});

test('options that nothing stands in for may be missing', () => {
  const fope = posenc.encoding('fope', { headDim: 4, frequencyCount: 2 });
  expectTypeOf(fope.options.trainedLength).toEqualTypeOf<number | undefined>();
  expectTypeOf(fope.options.frequencyCount).toEqualTypeOf<number>();
  expect('trainedLength' in fope.options).toBe(false);
  const remapped = posenc.encoding('rope_remapped', { headDim: 4, method: 'rerope', window: 2 });
  expectTypeOf(remapped.options.group).toEqualTypeOf<number | undefined>();
  expect('group' in remapped.options).toBe(false);
  const hope = posenc.encoding('hope', { headDim: 4, trainedLength: 9 });
  expectTypeOf(hope.options.trainedLength).toEqualTypeOf<number>();
  const rope = posenc.encoding('rope', { headDim: 4 });
  expectTypeOf(rope.options.length).toEqualTypeOf<number | undefined>();
  expect('length' in rope.options).toBe(false);
});

test('results go where out says, else into new arrays', () => {
  using tensor = posenc.zeros([1, 1, 2, 4]);
  const rope = posenc.encoding('rope', { headDim: 4 });
  const at = { shape: [2, 4] };
  expectTypeOf(rope.rotate(x, at)).toEqualTypeOf<Float32Array>();
  expectTypeOf(rope.rotate(tensor)).toEqualTypeOf<Float32Array>();
  expectTypeOf(rope.rotate(x, { ...at, out: x.slice() })).toExtend<Float32Array>();
  expectTypeOf(rope.rotate(x, { ...at, out: tensor })).toEqualTypeOf<Tensor>();
  expectTypeOf(posenc.attention(inputs)).toEqualTypeOf<AttentionResult>();
  expectTypeOf(posenc.attention(inputs).output).toEqualTypeOf<Float32Array>();
  expectTypeOf(posenc.attention({ ...inputs, out: tensor }).output).toEqualTypeOf<Tensor>();
  // Where a value is used must not decide its type.
  const list: ArrayLike<number> = rope.rotate(x, at);
  expect(list).toHaveLength(8);
});

test('what makes no sense does not compile', () => {
  const wrong = [
    // @ts-expect-error unknown encoding
    () => posenc.encoding('roep'),
    // @ts-expect-error options are needed
    () => posenc.encoding('rope'),
    // @ts-expect-error headDim is needed
    () => posenc.encoding('rope', {}),
    // @ts-expect-error unknown option
    () => posenc.encoding('rope', { headDim: 4, head_dim: 4 }),
    // @ts-expect-error unknown layout
    () => posenc.encoding('rope', { headDim: 4, layout: 'neox' }),
    // @ts-expect-error options of another encoding
    () => posenc.encoding('alibi', { headDim: 4 }),
    // @ts-expect-error no options
    () => posenc.encoding('nope', { heads: 4 }),
    // @ts-expect-error wrong kind of array
    () => posenc.attention({ ...inputs, query: new Float64Array(8) }),
    // @ts-expect-error misspelt option
    () => posenc.attention({ ...inputs, casual: true }),
    // @ts-expect-error unknown tap
    () => posenc.attention({ ...inputs, return: ['weight'] }),
    // @ts-expect-error positions are int32
    () => posenc.encoding('rope', { headDim: 4 }).table(new BigInt64Array(2)),
    // @ts-expect-error frequencies are float64
    () => posenc.encoding('rope', { headDim: 4, frequencies: new Float32Array(2) }),
    // @ts-expect-error the formats of weights
    () => convertLayout([1, 2], { from: 'half', to: 'interleaved', headDim: 2 }),
    // @ts-expect-error a part is text or a grid
    () => mropePositions([{ image: [1, 2, 2] }]),
    // @ts-expect-error a plain array
    () => posenc.tensor([1, 2], [2]),
    // @ts-expect-error immutable
    () => (posenc.encoding('rope', { headDim: 4 }).options.headDim = 8),
    // @ts-expect-error immutable
    () => (posenc.info.version = '2'),
  ];
  expect(wrong.length).toBeGreaterThan(0);
});

test('errors have codes to switch on', () => {
  const error: PosencError = errorOf(() => posenc.zeros([-1]));
  expectTypeOf(error.code).toExtend<string>();
  switch (error.code) {
    case 'range':
      expect(error.argument).toBe('shape[0]');
      break;
    // @ts-expect-error no such code
    case 'ranges':
      break;
    default:
      expect.fail(error.code);
  }
});

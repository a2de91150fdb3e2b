/** What the calls with bad input are made of. */
import { readFile } from 'node:fs/promises';
import { load, type PosencErrorCode } from 'posenc';
import { numbers, posenc } from '../posenc.js';

/** What is called, and code, argument and part of the message of the error it must throw. */
export type Case = [call: () => unknown, code: PosencErrorCode, argument: string, message: string];

type Method =
  | ('encoding' | 'attention' | 'attentionBackward' | 'tensor' | 'zeros' | 'random')
  | ('onnxAttention' | 'onnxLinearAttention' | 'onnxRotaryEmbedding')
  | 'scaledDotProductAttention'
  | ('embed' | 'rotate' | 'table' | 'bias' | 'read' | 'write' | 'dispose' | 'uniform' | 'normal');

/** The API as JavaScript sees it, where no compiler checks arguments. */
export type Untyped = { readonly [M in Method]: (...args: unknown[]) => Untyped };

export const js = posenc as unknown as Untyped;
const bytes = await readFile(new URL('../../../dist/kernels-simd.wasm', import.meta.url));
const other = (await load({ variant: 'simd', wasmBinary: bytes })) as unknown as Untyped;

export const rope = js.encoding('rope', { headDim: 16 });
export const alibi = js.encoding('alibi', { heads: 2 });
export const sinusoidal = js.encoding('sinusoidal', { width: 8 });

export const x = numbers(128);
export const shape = { batch: 1, heads: 2, queries: 4, headDim: 16 };

/** A call of attention that works but for the change. */
export const attend = (change: object) => () =>
  js.attention({ query: x, key: x, value: x, shape, ...change });

export const rotate =
  (options: unknown, data: unknown = x) =>
  () =>
    rope.rotate(data, options);

/** Transfers the buffer of an array away. */
export function detached<T extends ArrayBufferView>(array: T): T {
  structuredClone(array.buffer, { transfer: [array.buffer as ArrayBuffer] });
  return array;
}

export const hole = Symbol('hole');

/** An array that lacks the elements written as `hole`. */
export function sparse(...elements: unknown[]): unknown[] {
  const array: unknown[] = [];
  array.length = elements.length;
  elements.forEach((element, i) => {
    if (element !== hole) array[i] = element;
  });
  return array;
}

export const disposed = js.zeros([128]);
disposed.dispose();
export const foreign = other.zeros([128]);
export const odd = js.zeros([3, 5]);
export const small = js.zeros([1, 2, 4, 16]);
export const three = js.zeros([1, 3, 4, 16]);

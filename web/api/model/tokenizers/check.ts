import { checkOptions, integer, wrong } from '../../check.js';
import type { EncodeTextOptions } from './types.js';

/** Checks what `encode` takes; gives whether special ids are wanted. */
export function checkEncode(text: unknown, options: EncodeTextOptions | undefined): boolean {
  if (typeof text !== 'string') throw wrong('argument', 'text', text, 'a string');
  const { addSpecial = true } = checkOptions(options, ['addSpecial'], 'encode');
  if (typeof addSpecial === 'boolean') return addSpecial;
  throw wrong('argument', 'addSpecial', addSpecial, 'true or false');
}

/** Checks one id. */
export const checkId = (id: unknown, vocabulary: number, argument = 'id'): number =>
  integer(id, argument, 0, vocabulary - 1);

/** Checks a list of ids. */
export function checkIds(ids: unknown, vocabulary: number): number[] {
  const list = Array.isArray(ids) || (ArrayBuffer.isView(ids) && 'length' in ids);
  if (!list) throw wrong('argument', 'ids', ids, 'an array of ids');
  return Array.from(ids as ArrayLike<unknown>, (id, i) => checkId(id, vocabulary, `ids[${i}]`));
}
